import { describeError, isCode, KubepkgError } from '../../api/errors.ts';
import type { DesiredRelease, ReleaseObservation, SubmitOutcome } from '../../ports/backend.ts';
import type { CommandResult } from '../../ports/process.ts';
import { readChartArchive } from './chart-archive.ts';
import { createCrds } from './create-crds.ts';
import { chooseDelivery } from './delivery-mode.ts';
import { failureOf } from './errors.ts';
import type { RecordHead } from './interpret.ts';
import { protectData } from './protect-data.ts';
import { recreateFinishedJobs } from './recreate-jobs.ts';
import { sweepLeftovers } from './sweep-leftovers.ts';
import type { HelmTools } from './tools.ts';
import { type DeliveryMode, translateDelivery } from './translate.ts';

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
  const refusal = await prepare(release, { mode: step.mode, heads }, tools);
  if (refusal !== undefined) return { kind: 'refused', error: refusal };
  if (step.mode !== 'upgrade') await createCrds(release, signal, tools);
  const version = await tools.program.version();
  const call = translateDelivery(release, step.mode, { version, historyMax: tools.historyMax });
  const result = await tools.program.run(call, { signal });
  if (result.exitCode === 0) return delivered(release, heads, tools);
  return { kind: 'failed', error: await explain(release, result, signal) };
}

async function delivered(
  release: DesiredRelease,
  before: readonly RecordHead[],
  tools: HelmTools,
): Promise<SubmitOutcome> {
  await sweepLeftovers(release, before, tools);
  return { kind: 'accepted' };
}

/** All that must be right before helm is started. */
async function prepare(
  release: DesiredRelease,
  { mode, heads }: { readonly mode: DeliveryMode; readonly heads: readonly RecordHead[] },
  tools: HelmTools,
): Promise<KubepkgError | undefined> {
  try {
    if (!release.skipSchemaValidation) await tools.schemas.refuseRemote(release.chart);
  } catch (error) {
    if (isCode(error, 'ValuesInvalid', 'ArchiveInvalid')) return error;
    throw error;
  }
  if (mode === 'upgrade') await protectData(await tools.store.inventory(release, { heads }), tools.cluster);
  if (mode !== 'install' && release.recreate !== 'Never') await recreateFinishedJobs(release, heads, tools);
  return undefined;
}

async function explain(release: DesiredRelease, result: CommandResult, signal: AbortSignal): Promise<KubepkgError> {
  const { namespace, releaseName, chart, component } = release;
  const error = failureOf(result, {
    release: `${namespace}/${releaseName}`,
    values: release.values,
    aborted: signal.aborted,
    names: [namespace, releaseName, component, release.package, chart.name, chart.version],
    paths: { [chart.path]: `${chart.name}-${chart.version}.tgz` },
  });
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
