import { withObserved } from './history.ts';
import { isPending, snapshotOf } from './records.ts';
import { summarize } from './summarize.ts';
import type { Surroundings } from './surroundings.ts';
import type { WorkingCopy } from './working-copy.ts';

/** A pending record of whomever becomes a failed one; then comes an ordinary upgrade [16: held, left]. */
export async function unlock(copy: WorkingCopy, around: Surroundings): Promise<void> {
  const { storageNamespace, shortReleaseName: name } = copy.spec;
  const newest = await around.records.newest({ storageNamespace, name });
  if (newest === undefined || !isPending(newest.record)) {
    summarize(copy);
    return;
  }
  const { status } = newest.record;
  const settled = await around.records.settle(newest, 'failed', `Release unlocked from stale '${status}' state`);
  const history = copy.status.history ?? [];
  const known = history.find(({ version }) => version === settled.record.version);
  const snapshot = snapshotOf(settled.record, { action: known?.action, ociDigest: known?.ociDigest });
  if (known !== undefined) copy.update({ history: withObserved(history, [snapshot]) });
  const chart = `${snapshot.chartName}@${snapshot.chartVersion}`;
  const release = `${snapshot.namespace}/${snapshot.name}.v${String(snapshot.version)}`;
  const message = `Unlocked Helm release ${release} with chart ${chart} in ${status} state`;
  copy.mark({ type: 'Released', status: 'False', reason: 'PendingRelease', message });
  summarize(copy);
  await around.events.write(copy.object, { type: 'Normal', reason: 'PendingRelease', message });
}
