import type { KubeObject, ObjectRef } from '../api/kube.ts';
import { asArray, asString, at } from '../lib/json.ts';
import { parseTime } from '../lib/time.ts';
import type { Cluster } from '../ports/cluster.ts';
import { type ManifestDocument, manifestDocuments } from './manifest.ts';
import type { ReleaseRecord } from './record.ts';
import { isTerminating } from './remains.ts';

/** The clock of helm is not that of the API server. */
const CLOCK_SKEW_MS = 5_000;

interface StartedHook extends ManifestDocument {
  readonly startedAt: number;
}

/** Hooks of a record that run something, and that helm has started. */
export function startedHooks(
  { raw }: ReleaseRecord,
  isMeant: (hook: unknown) => boolean = () => true,
): readonly StartedHook[] {
  return asArray(raw['hooks']).flatMap((hook) => {
    if (!isMeant(hook)) return [];
    const startedAt = parseTime(asString(at(hook, 'last_run', 'started_at')) ?? '');
    // Go writes the year 1 for a time that is not set.
    if (!(startedAt > 0)) return [];
    const documents = manifestDocuments(asString(at(hook, 'manifest')) ?? '').filter(({ ref }) => runs(ref));
    return documents.map((document) => ({ ...document, startedAt }));
  });
}

/** The hook that an uninstall waits for: helm notes it before it makes it. Undefined: it waits for none that is known. */
export function awaitedHook(record: ReleaseRecord): StartedHook | undefined {
  return startedHooks(record, isAwaited)[0];
}

function isAwaited(hook: unknown): boolean {
  const isOfUninstall = asArray(at(hook, 'events')).some((event) => event === 'pre-delete' || event === 'post-delete');
  return isOfUninstall && at(hook, 'last_run', 'phase') === 'Running';
}

/**
 * Helm leaves the hooks of a release behind. Those that ended are what it was told to leave; one that a dead process
 * had started still runs, and nothing of a release runs on once that is removed.
 */
export async function findRunningHooks(
  hooks: readonly StartedHook[],
  cluster: Cluster,
): Promise<readonly KubeObject[]> {
  const running: KubeObject[] = [];
  for (const { ref, startedAt } of hooks) {
    const live = await cluster.read(ref);
    if (live !== undefined && isOfRun(live, startedAt) && (isTerminating(live) || !hasEnded(live))) running.push(live);
  }
  return running;
}

function runs({ apiVersion, kind }: ObjectRef): boolean {
  return (apiVersion === 'batch/v1' && kind === 'Job') || (apiVersion === 'v1' && kind === 'Pod');
}

/** Hooks do not say whose they are: it is one that was made when this release made its own. */
function isOfRun({ metadata }: KubeObject, startedAt: number): boolean {
  const createdAt = parseTime(metadata.creationTimestamp ?? '');
  return metadata.annotations?.['helm.sh/hook'] !== undefined && createdAt >= startedAt - CLOCK_SKEW_MS;
}

function hasEnded(object: KubeObject): boolean {
  if (object.kind === 'Pod') return ['Succeeded', 'Failed'].includes(asString(at(object, 'status', 'phase')) ?? '');
  return asArray(at(object, 'status', 'conditions')).some(
    (condition) => ['Complete', 'Failed'].includes(String(at(condition, 'type'))) && at(condition, 'status') === 'True',
  );
}
