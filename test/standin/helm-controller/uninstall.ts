import { asNumber, at, isRecord } from '../../../src/lib/json.ts';
import type { ReleaseRecord } from '../../../src/helm/record.ts';
import { formatTime } from '../../../src/lib/time.ts';
import { helmPlace, timeoutArg, Untraceable } from './delivery.ts';
import type { HelmResult } from './helm-runner.ts';
import { chartOf, fullName, newestFirst } from './history.ts';
import { snapshotOf } from './records.ts';
import type { Snapshot } from './status.ts';
import { summarize } from './summarize.ts';
import type { Surroundings } from './surroundings.ts';
import type { WorkingCopy } from './working-copy.ts';

export interface Uninstalled {
  readonly result: HelmResult;
  /** What the history keeps of it, when helm got as far as to write it. */
  readonly observed: Snapshot | undefined;
}

/** [15]: pods are not awaited, unless the deletion is asked to be in the foreground. */
export async function runUninstall(copy: WorkingCopy, around: Surroundings, action?: string): Promise<Uninstalled> {
  const { shortReleaseName: name, storageNamespace, uninstall } = copy.spec;
  const before = await around.records.newest({ storageNamespace, name });
  const result = await around.helm.run({
    args: uninstallArgs(copy, around),
    ...helmPlace(copy, around),
    ready: () => Promise.resolve(undefined),
    sabotage: undefined,
  });
  if (before === undefined || result.failure !== undefined) return { result, observed: undefined };
  const kept = uninstall.keepHistory ? await around.records.newest({ storageNamespace, name }) : undefined;
  const record = kept?.record ?? asLastSeen(before.record, around.clock.now());
  const known = copy.status.history?.find(({ version }) => version === record.version);
  return { result, observed: snapshotOf(record, { action, ociDigest: known?.ociDigest }) };
}

function uninstallArgs({ spec }: WorkingCopy, around: Surroundings): readonly string[] {
  const { shortReleaseName: name, releaseNamespace, uninstall } = spec;
  return [
    ...['uninstall', name, '--namespace', releaseNamespace, '--timeout', timeoutArg(uninstall, around)],
    ...['--cascade', uninstall.deletionPropagation],
    ...(uninstall.keepHistory ? ['--keep-history'] : []),
    ...(uninstall.waits ? ['--wait=watcher'] : []),
    ...(uninstall.hooks ? [] : ['--no-hooks']),
  ];
}

/** [28]: a release that is purged was last seen as `uninstalling`, with the time. */
function asLastSeen(record: ReleaseRecord, now: number): ReleaseRecord {
  const info = at(record.raw, 'info');
  const seen = { ...(isRecord(info) ? info : {}), status: 'uninstalling', deleted: formatTime(now) };
  return { ...record, raw: { ...record.raw, info: seen }, status: 'uninstalling' };
}

/**
 * With the HelmRelease goes its release [15], if the HelmRelease knows of one: what a controller that died in the first
 * install has left is not in its history, and stays (published behaviour).
 */
export async function uninstallRelease(copy: WorkingCopy, around: Surroundings): Promise<void> {
  const latest = newestFirst(copy.status.history ?? [])[0];
  if (latest === undefined) {
    summarize(copy);
    return;
  }
  const { result } = await runUninstall(copy, around);
  const { failure } = result;
  const release = fullName(latest);
  const say = (message: string): void =>
    copy.mark({ type: 'Released', status: 'False', reason: 'UninstallSucceeded', message });
  if (failure === undefined) {
    const message = `Helm uninstall succeeded for release ${release} with chart ${chartOf(latest)}`;
    say(message);
    await around.events.write(copy.object, { type: 'Normal', reason: 'UninstallSucceeded', message });
  } else if (/release: not found/.test(failure)) {
    say(`Release ${release} was not found, assuming it is uninstalled`);
  } else if (copy.spec.uninstall.keepHistory && failure.includes('is already deleted')) {
    say(`Release ${release} was already uninstalled`);
  } else {
    const message = `Helm uninstall failed for release ${release} with chart ${chartOf(latest)}: ${failure}`;
    copy.update({ failures: (asNumber(copy.status.failures) ?? 0) + 1 });
    copy.mark({ type: 'Released', status: 'False', reason: 'UninstallFailed', message });
    await around.events.write(copy.object, { type: 'Warning', reason: 'UninstallFailed', message });
    summarize(copy);
    throw new Untraceable(failure);
  }
  summarize(copy);
}
