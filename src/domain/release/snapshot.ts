import type { ChartRef } from '../../api/chart-ref.ts';
import type { ChartRecord, PackageRevisionSpec, RevisionComponent } from '../../api/package-revision.ts';
import { digestOf } from '../../lib/digest.ts';
import { isRecord } from '../../lib/json.ts';
import type { DesiredComponent, DesiredPackage } from '../resolve/desired.ts';
import { labelDigest } from './token.ts';

/** A chart as it was found when the revision was prepared. */
export interface PreparedChart {
  readonly ref: ChartRef;
  readonly digest: string;
  /** Top-level keys of values that it takes; absent: any. */
  readonly valuesKeys?: readonly string[];
}

export interface SnapshotOptions {
  readonly number: number;
  readonly adopt: boolean;
  /** Namespace of the Secrets that keep the values of revisions. */
  readonly valuesNamespace: string;
  /** By component name. */
  readonly charts: Readonly<Record<string, PreparedChart>>;
  /** The hooks that the revision runs. */
  readonly hooks?: readonly DesiredComponent[];
  /** Version that runs before; absent: none does. */
  readonly fromVersion?: string | undefined;
}

export function revisionName(pkg: string, number: number): string {
  return `${pkg}-${String(number)}`;
}

/** Name of the Secret with a revision's values. */
export function valuesSecretName(pkg: string, number: number): string {
  return `kubepkg-values-${revisionName(pkg, number)}`;
}

/** The full desired state as the revision records it; undefined while a chart is missing. */
export function snapshotOf(desired: DesiredPackage, options: SnapshotOptions): PackageRevisionSpec | undefined {
  const { hooks: running = [], fromVersion } = options;
  const components = snapshotComponents(desired, desired.components, options);
  const hooks = snapshotComponents(desired, withVersions(running, { from: fromVersion, to: desired.version }), options);
  if (components === undefined || hooks === undefined) return undefined;
  return {
    package: desired.package,
    revision: options.number,
    version: desired.version,
    build: desired.build,
    variant: desired.variant,
    rollbackSafe: desired.rollbackSafe,
    backend: desired.backend,
    ...(options.adopt ? { adopt: true } : {}),
    components,
    ...(fromVersion === undefined ? {} : { fromVersion }),
    ...(hooks.length > 0 ? { hooks } : {}),
    crds: [...desired.crds],
    ...(desired.requires.length > 0 ? { requires: [...desired.requires] } : {}),
  };
}

/** P14: what a hook's chart is told of the upgrade that it runs before. */
export function withVersions(
  hooks: readonly DesiredComponent[],
  { from = '', to }: { readonly from?: string | undefined; readonly to: string },
): readonly DesiredComponent[] {
  return hooks.map((hook) => {
    const own = isRecord(hook.values['kubepkg']) ? hook.values['kubepkg'] : {};
    return { ...hook, values: { ...hook.values, kubepkg: { ...own, fromVersion: from, toVersion: to } } };
  });
}

function snapshotComponents(
  desired: DesiredPackage,
  components: readonly DesiredComponent[],
  options: SnapshotOptions,
): RevisionComponent[] | undefined {
  const found: RevisionComponent[] = [];
  for (const component of components) {
    const chart = options.charts[component.name];
    if (chart === undefined) return undefined;
    found.push(snapshotComponent(desired, { component, chart, options }));
  }
  return found;
}

export interface ComponentSnapshot {
  readonly component: DesiredComponent;
  readonly chart: PreparedChart;
  readonly options: Pick<SnapshotOptions, 'number' | 'valuesNamespace'>;
}

export function snapshotComponent(
  desired: Pick<DesiredPackage, 'package'>,
  { component, chart, options }: ComponentSnapshot,
): RevisionComponent {
  const hasValues = Object.keys(component.values).length > 0;
  const secret = { namespace: options.valuesNamespace, name: valuesSecretName(desired.package, options.number) };
  return {
    name: component.name,
    releaseName: component.releaseName,
    namespace: component.namespace,
    dependsOn: [...component.dependsOn],
    chartDigest: chart.digest,
    valuesDigest: digestOf(component.values),
    digest: releaseDigest(component, chart.digest),
    chart: chartRecord(chart.ref),
    ...(hasValues ? { valuesRef: { ...secret, key: component.name } } : {}),
    ...(component.privileged ? { privileged: true } : {}),
    ...(component.readyWhen.length > 0 ? { readyWhen: [...component.readyWhen] } : {}),
    ...(component.healthCheckExprs.length > 0 ? { healthCheckExprs: [...component.healthCheckExprs] } : {}),
    ...(component.waitStrategy === undefined ? {} : { waitStrategy: component.waitStrategy }),
    readiness: component.readiness,
    upgradeCRDs: component.upgradeCRDs,
    recreate: component.recreate,
    ...(component.skipSchemaValidation ? { skipSchemaValidation: true } : {}),
  };
}

/** Over what a delivery would change: readiness declarations and order change no release. */
export function releaseDigest(component: DesiredComponent, chartDigest: string): string {
  return labelDigest({
    chart: chartDigest,
    values: component.values,
    release: component.releaseName,
    namespace: component.namespace,
    privileged: component.privileged,
  });
}

function chartRecord(ref: ChartRef): ChartRecord {
  if (ref.kind === 'chart') return { kind: 'chart', repository: ref.repository, name: ref.name, version: ref.version };
  return {
    kind: 'tree',
    url: ref.url,
    root: ref.root,
    path: ref.path,
    libraries: [...ref.libraries],
    valuesFiles: [...ref.valuesFiles],
    ...(ref.treeDigest === undefined ? {} : { treeDigest: ref.treeDigest }),
  };
}

/** The reference of a recorded chart, with its digests: fetching it gives the recorded bytes or fails. Undefined: it was never fetched. */
export function recordedChart(component: RevisionComponent): ChartRef | undefined {
  const { chart, chartDigest } = component;
  if (chart === undefined || chart.kind === 'release') return undefined;
  return chart.kind === 'chart' ? recordedPublished(chart, chartDigest) : recordedTree(chart, chartDigest);
}

function recordedPublished(chart: ChartRecord, digest: string): ChartRef {
  const { repository = '', name = '', version = '' } = chart;
  return { kind: 'chart', repository, name, version, digest };
}

function recordedTree(chart: ChartRecord, digest: string): ChartRef {
  const { url = '', root = '', path = '', libraries = [], valuesFiles = [], treeDigest } = chart;
  return { kind: 'tree', url, root, path, libraries, valuesFiles, treeDigest, digest };
}
