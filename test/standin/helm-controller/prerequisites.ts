import { isCode } from '../../../src/api/errors.ts';
import type { KubeObject } from '../../../src/api/kube.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { ArtifactError, ChartMutateError, type LoadedChart, loadChart } from './chart.ts';
import { artifactOf, notReadyMessage, type SourceKind, sourceRef } from './source.ts';
import type { Surroundings } from './surroundings.ts';
import { composeValues, ValuesError } from './values.ts';
import { isReadyRelease, type WorkingCopy } from './working-copy.ts';

/** What a release is made of, or why it cannot be had now; that is written in the working copy already. */
export type Prerequisites =
  | { readonly kind: 'found'; readonly chart: LoadedChart; readonly values: JsonObject }
  /** Looked at again on the tick. */
  | { readonly kind: 'waiting' }
  /** Looked at again with growing pauses. */
  | { readonly kind: 'failed' };

export interface PrerequisitesOptions {
  readonly around: Surroundings;
  /** The HelmChart that this turn has written: what it reads again is not newer [26: SourceNotReady after each change]. */
  readonly changed: KubeObject | undefined;
}

/** In this order, each only after the one before [02, 10, 12, 17]. */
export async function findPrerequisites(copy: WorkingCopy, options: PrerequisitesOptions): Promise<Prerequisites> {
  if (!(await areDependenciesReady(copy, options.around))) return { kind: 'waiting' };
  return findSource(copy, options);
}

async function areDependenciesReady(copy: WorkingCopy, around: Surroundings): Promise<boolean> {
  for (const { namespace, name } of copy.spec.dependsOn) {
    const { apiVersion, kind } = copy.object;
    const dependency = await around.cluster.read({ apiVersion, kind, namespace, name });
    if (dependency !== undefined && isReadyRelease(dependency)) continue;
    const message =
      dependency === undefined
        ? `unable to get '${namespace}/${name}' dependency: helmreleases.helm.toolkit.fluxcd.io "${name}" not found`
        : `dependency '${namespace}/${name}' is not ready`;
    copy.ready('False', 'DependencyNotReady', message);
    // Only the event counts up while it waits [12].
    await around.events.write(copy.object, { type: 'Normal', reason: 'DependencyNotReady', message });
    return false;
  }
  forget(copy, 'DependencyNotReady');
  return true;
}

/** No event is made of a source that is not there or not ready ("Waiting, not failed" [10]). */
async function findSource(copy: WorkingCopy, { around, changed }: PrerequisitesOptions): Promise<Prerequisites> {
  const ref = sourceRef(copy.spec.chart);
  const source = changed ?? (await around.cluster.read(ref));
  if (source === undefined) {
    const message = `could not get Source object: ${ref.kind}.source.toolkit.fluxcd.io "${ref.name}" not found`;
    copy.ready('False', 'ArtifactFailed', message);
    return { kind: 'failed' };
  }
  forget(copy, 'ArtifactFailed');
  const why = notReadyMessage(source);
  const artifact = artifactOf(source);
  if (why !== undefined || artifact === undefined) {
    copy.ready('False', 'SourceNotReady', why ?? '');
    return { kind: 'waiting' };
  }
  forget(copy, 'SourceNotReady');
  const values = await findValues(copy, around);
  if (values === undefined) return { kind: 'failed' };
  // Only these two are taken for a chart.
  const kind: SourceKind = ref.kind === 'OCIRepository' ? 'OCIRepository' : 'HelmChart';
  try {
    const chart = await loadChart(artifact, kind, around.tempDir);
    forget(copy, 'ArtifactFailed');
    return { kind: 'found', chart, values };
  } catch (error) {
    return chartError(error, copy, around);
  }
}

async function findValues(copy: WorkingCopy, around: Surroundings): Promise<JsonObject | undefined> {
  try {
    const values = await composeValues(copy, around.cluster);
    forget(copy, 'ValuesError');
    return values;
  } catch (error) {
    if (!(error instanceof ValuesError)) throw error;
    copy.ready('False', 'ValuesError', error.message);
    await around.events.write(copy.object, { type: 'Warning', reason: 'ValuesError', message: error.message });
    return undefined;
  }
}

async function chartError(error: unknown, copy: WorkingCopy, around: Surroundings): Promise<Prerequisites> {
  if (error instanceof ChartMutateError) {
    copy.ready('False', 'ChartMutateError', error.message);
    return { kind: 'failed' };
  }
  if (error instanceof ArtifactError && error.isAbsent) {
    copy.ready('False', 'ArtifactFailed', 'Source not ready: artifact not found. Retrying in 5s');
    return { kind: 'waiting' };
  }
  const isOfChart = error instanceof ArtifactError || isCode(error, 'ArchiveInvalid');
  if (!isOfChart) throw error;
  copy.ready('False', 'ArtifactFailed', `Could not load chart: ${error.message}`);
  await around.events.write(copy.object, { type: 'Warning', reason: 'ArtifactFailed', message: error.message });
  return { kind: 'failed' };
}

/** What was in the way is not any more; it is only written together with what comes next [02: 1040]. */
function forget(copy: WorkingCopy, reason: string): void {
  if (copy.condition('Ready')?.reason === reason) copy.ready('Unknown', 'Progressing', 'reconciliation in progress');
}
