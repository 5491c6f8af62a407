import { answerTo } from '../domain/decide/answer.ts';
import { isCode, KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import { ANNOTATION, API_VERSION, FINALIZER } from '../api/names.ts';
import type { ChartRecord, PackageRevision, RevisionAdditions, RevisionComponent } from '../api/package-revision.ts';
import type { Action } from '../domain/decide/decision.ts';
import { componentsOf, isRestoring, progressOf, targetOf } from '../domain/decide/views.ts';
import type { World } from '../domain/decide/world.ts';
import {
  completedComponent,
  isChartOf,
  isVersion,
  isWanted,
  rememberedComponent,
  surroundingAdditions,
} from '../domain/release/additions.ts';
import { type PreparedChart, recordedChart } from '../domain/release/snapshot.ts';
import type { DesiredPackage } from '../domain/resolve/desired.ts';
import { withAcceptedValues } from '../domain/resolve/platform-values.ts';
import type { JsonObject } from '../lib/json.ts';
import type { FetchedChart } from '../ports/artifacts.ts';
import type { Backend, RecalledRelease, ReleaseTarget } from '../ports/backend.ts';
import type { Hands } from './hands.ts';
import { ensureNamespace } from './namespaces.ts';
import { saveValues } from './values.ts';

/** First how it ended, then the marks: a process that dies in between does it again. */
export async function takeOverRevision(hands: Hands, action: Extract<Action, { kind: 'take-over' }>): Promise<void> {
  const { revision, annotations, status } = action;
  if (status !== undefined) await hands.journal.writeStatus(rawRevision(hands, revision), status);
  await mark(hands, revision, annotations);
}

/** Takes what the spec lacks from the release records; the values are kept as for any revision. */
export async function completeRevision(
  hands: Hands,
  world: World,
  { revision, backend }: { readonly revision: PackageRevision; readonly backend: Backend },
): Promise<void> {
  const { cluster, options } = hands.deps;
  const desired = desiredAt(world, revision);
  const sources = { hands, revision, backend, desired, charts: chartsOf(world) };
  const members = await Promise.all(componentsOf(revision).map((component) => recover(sources, component)));
  const components = members.map(({ component }) => component);
  const additions: RevisionAdditions = { components, ...surroundingAdditions(revision, desired) };
  await ensureNamespace(cluster, options.namespace);
  await saveValues(cluster, { ...revision, spec: { ...revision.spec, components } }, valuesOf(members));
  await mark(hands, revision.metadata.name, {
    [ANNOTATION.additions]: JSON.stringify(additions),
    ...answerOf(world, revision, components),
  });
}

interface Recovered {
  readonly component: RevisionComponent;
  readonly values?: JsonObject;
}

interface Sources {
  readonly hands: Hands;
  readonly revision: PackageRevision;
  readonly backend: Backend;
  readonly desired: DesiredPackage | undefined;
  readonly charts: Readonly<Record<string, PreparedChart>>;
}

/** As it is, where no record is left of it. */
async function recover(sources: Sources, component: RevisionComponent): Promise<Recovered> {
  const { hands, revision, backend, desired } = sources;
  const { backendRevision = 0 } = progressOf(revision, component.name);
  const number = backendRevision > 0 ? backendRevision : undefined;
  const recalled = await recall(backend, targetOf(revision, component), number);
  if (recalled === undefined) return { component };
  const context = { revision, valuesNamespace: hands.deps.options.namespace };
  const { values } = recalled;
  const wanted = desired?.components.find(({ name }) => name === component.name);
  const chart = await offeredChart(sources, component, recalled);
  const isSamePlace = wanted?.releaseName === component.releaseName && wanted.namespace === component.namespace;
  if (wanted !== undefined && chart !== undefined && isSamePlace) {
    return { component: completedComponent(wanted, { chart, recalled }, context), values };
  }
  const { digest } = await hands.deps.artifacts.pack(recalled.chartName, recalled.files);
  return { component: rememberedComponent(component, { chartDigest: digest, recalled }, context), values };
}

/** The chart that the source names, if it is the one that runs. */
async function offeredChart(
  { hands, charts }: Sources,
  component: RevisionComponent,
  recalled: RecalledRelease,
): Promise<PreparedChart | undefined> {
  const prepared = charts[component.name];
  if (prepared === undefined) return undefined;
  const { ref, digest, name, version } = await hands.deps.artifacts.fetch(prepared.ref);
  return isChartOf(component, recalled, { ref, digest, name, version }) ? prepared : undefined;
}

function recall(backend: Backend, target: ReleaseTarget, number?: number): Promise<RecalledRelease | undefined> {
  if (backend.archive === undefined) {
    throw new KubepkgError(
      'Unsupported',
      `backend ${backend.id} keeps no records of past deliveries, so package ${target.package} cannot be taken over`,
      { hint: 'let the operator run with the backend that delivered the package' },
    );
  }
  return backend.archive.recall(target, number);
}

function valuesOf(members: readonly Recovered[]): readonly { readonly name: string; readonly values: JsonObject }[] {
  return members.flatMap(({ component, values }) => (values === undefined ? [] : [{ name: component.name, values }]));
}

/** What is wanted, while the source is still at the version of the revision. */
function desiredAt({ resolution }: World, revision: PackageRevision): DesiredPackage | undefined {
  if (resolution?.kind !== 'resolved') return undefined;
  return isVersion(revision, resolution.desired) ? resolution.desired : undefined;
}

function chartsOf({ preparation }: World): Readonly<Record<string, PreparedChart>> {
  return preparation.kind === 'ready' ? preparation.charts : {};
}

/** The newest revision answers to what is wanted when that is what runs. */
function answerOf(
  world: World,
  revision: PackageRevision,
  components: readonly RevisionComponent[],
): Readonly<Record<string, string>> {
  const desired = desiredAt(world, revision);
  const isNewest = revision === world.revisions.at(-1) && !isRestoring(revision);
  if (!isNewest || desired?.variant !== revision.spec.variant) return {};
  const charts = chartsOf(world);
  if (
    !isWanted(
      components,
      withAcceptedValues(desired, (name) => charts[name]?.valuesKeys),
      charts,
    )
  )
    return {};
  return answerTo(world, desired);
}

/** From then on it is one of ours: it holds its Package as any revision does. */
async function mark(hands: Hands, name: string, annotations: Readonly<Record<string, string>>): Promise<void> {
  const { finalizers = [], resourceVersion } = rawRevision(hands, name).metadata;
  const kept = finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER];
  const ref = { apiVersion: API_VERSION, kind: 'PackageRevision', name };
  await hands.journal.write({
    verb: 'merge-patch',
    ref,
    patch: { metadata: { annotations, finalizers: kept, resourceVersion } },
  });
}

function rawRevision(hands: Hands, name: string): KubeObject {
  const object = hands.journal.rawRevision(name);
  if (object === undefined) throw new KubepkgError('ApiNotFound', `PackageRevision ${name} is gone`);
  return object;
}

interface ChartRequest {
  readonly component: RevisionComponent;
  readonly chart: ChartRecord;
  readonly target: ReleaseTarget;
  readonly backend: Backend;
}

/**
 * The recorded chart: from the registry, or, where that has it no more and the revision was taken over, made of the
 * release record.
 */
export async function chartOf(
  hands: Pick<Hands, 'deps'>,
  request: ChartRequest,
  signal: AbortSignal,
): Promise<FetchedChart> {
  const { component, chart } = request;
  const ref = recordedChart(component);
  if (ref === undefined) return remadeChart(hands, request);
  try {
    return await hands.deps.artifacts.fetch(ref, signal);
  } catch (error) {
    if (chart.record === undefined || !isCode(error, 'ArtifactNotFound', 'DigestMismatch')) throw error;
    return remadeChart(hands, request);
  }
}

async function remadeChart(
  { deps }: Pick<Hands, 'deps'>,
  { chart: { record }, target, backend }: ChartRequest,
): Promise<FetchedChart> {
  const recalled = await recall(backend, target, record);
  if (recalled !== undefined) return deps.artifacts.pack(recalled.chartName, recalled.files);
  throw new KubepkgError(
    'HelmFailed',
    `record ${String(record)} of release ${target.namespace}/${target.releaseName} is gone, and no registry has what it applied`,
    { hint: 'fix it forward' },
  );
}
