import { ANNOTATION } from '../../api/names.ts';
import {
  type PackageRevision,
  type RevisionAdditions,
  revisionAdditions,
  type RevisionComponent,
} from '../../api/package-revision.ts';
import { UNVERSIONED } from '../../api/package-source.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { DesiredComponent, DesiredPackage } from '../resolve/desired.ts';
import { type PreparedChart, releaseDigest, snapshotComponent } from './snapshot.ts';

/** The revision with what it was completed with in its spec; what cannot be read there counts as not there. */
export function withAdditions(revision: PackageRevision): PackageRevision {
  const { [ANNOTATION.additions]: text, ...annotations } = revision.metadata.annotations ?? {};
  if (text === undefined) return revision;
  const additions = revisionAdditions.safeParse(parsed(text));
  if (!additions.success) return { ...revision, metadata: { ...revision.metadata, annotations } };
  return { ...revision, spec: { ...revision.spec, ...additions.data } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a component's release record says of it. */
export interface Recalled {
  readonly revision: number;
  readonly chartName: string;
  readonly chartVersion: string;
  readonly values: JsonObject;
  readonly privileged: boolean;
}

/** A chart that was fetched as the desired state names it. */
export interface OfferedChart extends PreparedChart {
  readonly name: string;
  readonly version: string;
}

/** Whether two versions of a package are one; the Go implementation has a name for none. */
export function isVersion(revision: PackageRevision, desired: DesiredPackage): boolean {
  return (revision.spec.version || UNVERSIONED) === (desired.version || UNVERSIONED);
}

/**
 * Whether the chart that is offered for a component is the one that runs. A published chart was recorded with the
 * digest of its archive; one from a tree with a digest of another making, so there its name and version in the same
 * version of the package have to do.
 */
export function isChartOf(component: RevisionComponent, recalled: Recalled, offered: OfferedChart): boolean {
  if (offered.name !== recalled.chartName || offered.version !== recalled.chartVersion) return false;
  return offered.ref.kind === 'tree' || component.chartDigest === '' || component.chartDigest === offered.digest;
}

export interface CompletionContext {
  readonly revision: PackageRevision;
  readonly valuesNamespace: string;
}

/** A component as it runs, with a chart that is known to be its own. */
export function completedComponent(
  wanted: DesiredComponent,
  { chart, recalled }: { readonly chart: PreparedChart; readonly recalled: Recalled },
  context: CompletionContext,
): RevisionComponent {
  const component = { ...wanted, values: recalled.values };
  const snapshot = snapshotComponent(
    { package: context.revision.spec.package },
    {
      component,
      chart,
      options: { number: context.revision.spec.revision, valuesNamespace: context.valuesNamespace },
    },
  );
  return withRecord(snapshot, recalled);
}

/** The same where nothing but the record is left of the chart. */
export function rememberedComponent(
  component: RevisionComponent,
  { chartDigest, recalled }: { readonly chartDigest: string; readonly recalled: Recalled },
  context: CompletionContext,
): RevisionComponent {
  const { name, releaseName, namespace, dependsOn = [] } = component;
  const ref = { kind: 'chart', repository: '', name: recalled.chartName, version: recalled.chartVersion } as const;
  const wanted: DesiredComponent = {
    name,
    releaseName,
    namespace,
    dependsOn,
    hook: false,
    chart: ref,
    values: recalled.values,
    privileged: recalled.privileged,
    upgradeCRDs: 'Skip',
    readyWhen: [],
    healthCheckExprs: [],
    readiness: {},
    recreate: 'FinishedJobs',
    skipSchemaValidation: true,
  };
  const { chart: _published, ...rest } = completedComponent(
    wanted,
    { chart: { ref, digest: chartDigest }, recalled },
    context,
  );
  const { chartName, chartVersion, revision } = recalled;
  return { ...rest, chart: { kind: 'release', name: chartName, version: chartVersion, record: revision } };
}

function withRecord(component: RevisionComponent, { revision }: Recalled): RevisionComponent {
  const { chart } = component;
  return chart === undefined ? component : { ...component, chart: { ...chart, record: revision } };
}

/** What belongs to the revision as a whole, where the source still is at its version. */
export function surroundingAdditions(
  revision: PackageRevision,
  desired: DesiredPackage | undefined,
): Omit<RevisionAdditions, 'components'> {
  if (desired === undefined || !isVersion(revision, desired)) return {};
  const { build, crds, requires } = desired;
  return { build, crds: [...crds], ...(requires.length > 0 ? { requires: [...requires] } : {}) };
}

/** Nothing of what is wanted differs from what runs. */
export function isWanted(
  components: readonly RevisionComponent[],
  desired: DesiredPackage,
  charts: Readonly<Record<string, PreparedChart>>,
): boolean {
  if (components.length !== desired.components.length) return false;
  return desired.components.every((wanted) => {
    const chart = charts[wanted.name];
    const runs = components.find(({ name }) => name === wanted.name);
    return chart !== undefined && runs?.digest === releaseDigest(wanted, chart.digest);
  });
}
