import type { LoadedChart } from './chart.ts';
import { newestFirst } from './history.ts';
import { isObserved, isPending, type StoredRelease } from './records.ts';
import type { Snapshot } from './status.ts';
import type { WorkingCopy } from './working-copy.ts';

/** What helm's storage says of a release, compared with what the HelmRelease wants. */
export type ReleaseState = 'absent' | 'locked' | 'unmanaged' | 'out-of-sync' | 'in-sync' | 'failed';

export interface Desired {
  readonly chart: LoadedChart;
  readonly configDigest: string;
}

export function releaseState(newest: StoredRelease | undefined, copy: WorkingCopy, desired: Desired): ReleaseState {
  if (newest === undefined) return 'absent';
  const { record } = newest;
  // [16]: one that a dead helm, or a dead controller, left is unlocked first.
  if (isPending(record)) return 'locked';
  const latest = latestOf(copy);
  // [16, 20]: somebody else's release of that name, or somebody else's write to ours, is taken over by an upgrade.
  if (latest === undefined) return record.status === 'uninstalled' ? 'absent' : 'unmanaged';
  if (!isObserved(latest, record)) return 'unmanaged';
  if (record.status === 'failed') return 'failed';
  if (record.status === 'uninstalled') return 'absent';
  if (record.status !== 'deployed')
    throw new Error(`unable to determine state for release with status '${record.status}'`);
  return isWanted(latest, desired) ? 'in-sync' : 'out-of-sync';
}

function latestOf(copy: WorkingCopy): Snapshot | undefined {
  return newestFirst(copy.status.history ?? [])[0];
}

function isWanted(latest: Snapshot, { chart, configDigest }: Desired): boolean {
  return (
    latest.chartName === chart.name && latest.chartVersion === chart.version && latest.configDigest === configDigest
  );
}

/** Whether the release would become another one, so that the present one is removed first (published behaviour). */
export function targetChanged(copy: WorkingCopy, chart: LoadedChart): boolean {
  const { spec, status } = copy;
  const latest = latestOf(copy);
  if (latest === undefined || status.storageNamespace === undefined || status.storageNamespace === '') return false;
  return (
    spec.storageNamespace !== status.storageNamespace ||
    spec.releaseNamespace !== latest.namespace ||
    spec.shortReleaseName !== latest.name ||
    (spec.upgrade.reinstallsRenamedChart && chart.name !== latest.chartName)
  );
}
