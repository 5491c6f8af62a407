import { describeError, isCode, KubepkgError } from '../../api/errors.ts';
import type { DesiredRelease, ReleaseObservation, SubmitOutcome } from '../../ports/backend.ts';
import type { CommandResult } from '../../ports/process.ts';
import { readChartArchive } from '../../helm/chart-archive.ts';
import { type CrdStep, planCrds, writeCrds } from '../../helm/create-crds.ts';
import { crdPolicy } from '../../helm/crd-policy.ts';
import { chooseDelivery } from './delivery-mode.ts';
import { explainFailure } from '../../helm/explain-failure.ts';
import { examineChart } from '../../helm/examine-chart.ts';
import { refuseForeignHooks } from '../../helm/foreign-hooks.ts';
import { clearFormerRun } from '../../helm/former-jobs.ts';
import { renderManifest } from '../../helm/preview.ts';
import type { RecordHead } from '../../helm/interpret.ts';
import { protectData } from '../../helm/protect-data.ts';
import { recreateFinishedJobs } from '../../helm/recreate-jobs.ts';
import { sweepLeftovers } from './sweep-leftovers.ts';
import type { HelmTools } from './tools.ts';
import type { DeliveryMode } from '../../helm/helm-call.ts';
import { translateDelivery } from './translate.ts';

/** Found while nothing was written yet. */
const REFUSALS = ['ValuesInvalid', 'ArchiveInvalid', 'OwnershipConflict', 'ImmutableField', 'ApiInvalid'] as const;

export interface DeliveryRequest {
  /** What the decision was taken on. */
  readonly observed: ReleaseObservation;
  readonly signal: AbortSignal;
}

/** Looks once more, so that nothing is done on old knowledge, then runs helm to its end. */
export async function deliver(
  release: DesiredRelease,
  { observed, signal }: DeliveryRequest,
  tools: HelmTools,
): Promise<SubmitOutcome> {
  const heads = await tools.store.heads(release);
  const step = chooseDelivery(release, observed, heads);
  if (step.kind === 'done') return delivered(release, heads, tools);
  if (step.kind !== 'run') return step;
  const scene = { mode: step.mode, heads, signal };
  const crds = await examine(release, scene, tools);
  if (crds instanceof KubepkgError) return { kind: 'refused', error: crds };
  await prepare(release, { ...scene, crds }, tools);
  const moved = await movedOn(release, heads, tools);
  if (moved !== undefined) return { kind: 'failed', error: moved };
  const version = await tools.program.version();
  const call = translateDelivery(release, step.mode, { version, historyMax: tools.historyMax });
  const result = await tools.program.run(call, { signal });
  if (result.exitCode === 0) return delivered(release, heads, tools);
  return { kind: 'failed', error: await explain(release, { result, signal }, tools) };
}

/** Rendering and preparing take seconds, in which somebody may have begun something with the release. */
async function movedOn(
  release: DesiredRelease,
  before: readonly RecordHead[],
  { store }: HelmTools,
): Promise<KubepkgError | undefined> {
  const [now, then] = [(await store.heads(release))[0], before[0]];
  if (now?.uid === then?.uid && now?.status === then?.status) return undefined;
  const name = `release ${release.namespace}/${release.releaseName}`;
  return new KubepkgError('ApiConflict', `${name} was changed by somebody else while its delivery was prepared`);
}

async function delivered(
  release: DesiredRelease,
  before: readonly RecordHead[],
  tools: HelmTools,
): Promise<SubmitOutcome> {
  await sweepLeftovers(release, before, tools);
  return { kind: 'accepted' };
}

interface Scene {
  readonly mode: DeliveryMode;
  readonly heads: readonly RecordHead[];
  readonly signal: AbortSignal;
}

/** All that must be right before anything is written; what is to be written of CRDs, or why nothing is. */
async function examine(
  release: DesiredRelease,
  { mode, heads, signal }: Scene,
  tools: HelmTools,
): Promise<readonly CrdStep[] | KubepkgError> {
  try {
    if (!release.skipSchemaValidation) await tools.schemas.refuseRemote(release.chart);
    const { crds, hooks } = await examineChart(release, { mode, signal }, tools);
    await refuseForeignHooks(hooks, { release, heads }, tools);
    return await planCrds(crds, { release, policy: crdPolicy(release, mode) }, tools.cluster);
  } catch (error) {
    if (isCode(error, ...REFUSALS)) return error;
    throw error;
  }
}

/** All that must be done before helm is started. */
async function prepare(
  release: DesiredRelease,
  { mode, heads, signal, crds }: Scene & { readonly crds: readonly CrdStep[] },
  tools: HelmTools,
): Promise<void> {
  if (mode === 'install') await clearFormerRun(release, () => renderManifest(release, tools), tools);
  if (mode === 'upgrade') await protectData(await tools.store.inventory(release, { heads }), tools.cluster);
  await writeCrds(crds, signal, { release, cluster: tools.cluster });
  if (mode !== 'install' && release.recreate !== 'Never') await recreateFinishedJobs(release, heads, tools);
}

async function explain(
  release: DesiredRelease,
  { result, signal }: { readonly result: CommandResult; readonly signal: AbortSignal },
  tools: HelmTools,
): Promise<KubepkgError> {
  const error = await explainFailure(release, { result, aborted: signal.aborted }, tools);
  return error.code === 'ReleaseTooLarge' ? tooLarge(release, error) : error;
}

/** Found before anything is applied: helm writes its record first. */
async function tooLarge({ chart }: DesiredRelease, error: KubepkgError): Promise<KubepkgError> {
  const files = [...(await readChartArchive(chart.path))].sort((a, b) => b.content.length - a.content.length);
  const biggest = files.slice(0, 3).map(({ path, content }) => `${path} (${kibibytes(content.length)})`);
  const size = `chart ${chart.name} ${chart.version} has ${kibibytes(chart.sizeBytes)} packed`;
  return new KubepkgError(
    'ReleaseTooLarge',
    `${describeError(error)}; ${size}, its biggest files: ${biggest.join(', ')}`,
    {
      hint: 'a release record holds the chart and must fit into 1 MiB: keep such files out of the chart',
      cause: error,
    },
  );
}

function kibibytes(bytes: number): string {
  return `${String(Math.ceil(bytes / 1024))} KiB`;
}
