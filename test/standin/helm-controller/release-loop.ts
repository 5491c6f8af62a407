import { deliver, type Request } from './delivery.ts';
import { newestFirst, previousOf, truncated } from './history.ts';
import { isObserved } from './records.ts';
import { releaseState } from './release-state.ts';
import { remediateByUninstall, rollBack } from './remediation.ts';
import type { Remediation } from './spec.ts';
import { summarize } from './summarize.ts';
import type { Surroundings } from './surroundings.ts';
import { unlock } from './unlock.ts';
import type { WorkingCopy } from './working-copy.ts';

type ActionName = 'install' | 'upgrade' | 'rollback' | 'uninstall' | 'unlock';

type Next =
  | { readonly kind: 'act'; readonly action: ActionName }
  | { readonly kind: 'in-sync' }
  /** Every allowed try has failed. */
  | { readonly kind: 'stall'; readonly reason: string; readonly message: string };

/** `settled`: as wanted; `stalled`: nothing more until something changes; `again`: soon, there is a try left. */
export type LoopEnding = 'settled' | 'stalled' | 'again';

export interface LoopOptions {
  readonly request: Request;
  readonly around: Surroundings;
  /** Writes what has come about so far. */
  readonly patch: () => Promise<void>;
}

/** One action after the other, each decided on what helm's storage says then, until there is none or a remediation was made. */
export async function runLoop({ request, around, patch }: LoopOptions): Promise<LoopEnding> {
  const { copy } = request;
  const done = new Set<string>();
  for (;;) {
    const next = await decide(request, around);
    if (next.kind === 'in-sync') {
      copy.unmark('Reconciling');
      summarize(copy);
      return 'settled';
    }
    if (next.kind === 'stall') {
      copy.stalled(next.reason, next.message);
      return 'stalled';
    }
    const { action } = next;
    const type = typeOf(action);
    if (done.has(type)) return comeAgain(copy) ? 'again' : 'settled';
    announce(action, copy);
    await patch();
    await act(action, request, around);
    if (type === 'remediation') return afterRemediation(copy);
    done.add(type);
    await patch();
  }
}

function typeOf(action: ActionName): 'release' | 'remediation' | 'unlock' {
  if (action === 'unlock') return 'unlock';
  return action === 'install' || action === 'upgrade' ? 'release' : 'remediation';
}

/** Only a release makes Ready unknown: a remediation leaves what went wrong to be read [07, 16]. */
function announce(action: ActionName, copy: WorkingCopy): void {
  const message = `Running '${action}' action with timeout of ${timeoutTextOf(action, copy)}`;
  copy.reconciling('Progressing', message);
  if (typeOf(action) === 'release') copy.ready('Unknown', 'Progressing', message);
}

function timeoutTextOf(action: ActionName, { spec }: WorkingCopy): string {
  return (action === 'unlock' ? spec.rollback : spec[action]).timeoutText;
}

async function act(action: ActionName, request: Request, around: Surroundings): Promise<void> {
  if (action === 'install' || action === 'upgrade') await deliver(action, request, around);
  else if (action === 'rollback') await rollBack(request, around);
  else if (action === 'uninstall') await remediateByUninstall(request, around);
  else await unlock(request.copy, around);
}

function comeAgain(copy: WorkingCopy): boolean {
  const remediation = activeRemediation(copy);
  if (remediation !== undefined && isExhausted(remediation, copy)) {
    copy.unmark('Reconciling');
    return false;
  }
  copy.reconciling('ProgressingWithRetry', copy.condition('Ready')?.message ?? '');
  return true;
}

function afterRemediation(copy: WorkingCopy): LoopEnding {
  if (comeAgain(copy)) return 'again';
  copy.stalled('RetriesExceeded', exceededMessage(copy));
  return 'stalled';
}

function exceededMessage(copy: WorkingCopy): string {
  const action = copy.status.lastAttemptedReleaseAction ?? '';
  return `Failed to ${action} after ${String(failureCount(copy))} attempt(s)`;
}

/** Of the action that was attempted last. */
function activeRemediation(copy: WorkingCopy): Remediation | undefined {
  const action = copy.status.lastAttemptedReleaseAction;
  return action === undefined ? undefined : copy.spec[action].remediation;
}

function failureCount({ status }: WorkingCopy): number {
  return (status.lastAttemptedReleaseAction === 'install' ? status.installFailures : status.upgradeFailures) ?? 0;
}

function isExhausted({ retries }: Remediation, copy: WorkingCopy, count = failureCount(copy)): boolean {
  return retries >= 0 && count > retries;
}

async function decide(request: Request, around: Surroundings): Promise<Next> {
  const { copy } = request;
  const { storageNamespace, shortReleaseName: name } = copy.spec;
  const newest = await around.records.newest({ storageNamespace, name });
  const state = releaseState(newest, copy, request);
  const isForced = copy.handle('forceAt');
  switch (state) {
    case 'locked':
      return { kind: 'act', action: 'unlock' };
    case 'unmanaged':
      // [20]: the history cannot be relied on any more.
      copy.update({ history: undefined });
      return { kind: 'act', action: 'upgrade' };
    case 'absent':
      return unlessExhausted('install', copy, isForced);
    case 'out-of-sync':
      return unlessExhausted('upgrade', copy, isForced);
    case 'in-sync':
      return inSync(copy, isForced);
    case 'failed':
      return isForced ? { kind: 'act', action: 'upgrade' } : failed(copy, around);
  }
}

function unlessExhausted(action: 'install' | 'upgrade', copy: WorkingCopy, isForced: boolean): Next {
  const { remediation } = copy.spec[action];
  const count = (action === 'install' ? copy.status.installFailures : copy.status.upgradeFailures) ?? 0;
  if (isForced || !isExhausted(remediation, copy, count)) return { kind: 'act', action };
  return { kind: 'stall', reason: 'RetriesExceeded', message: exceededMessage(copy) };
}

/** [07]: a rollback can be what is wanted now; then it is no remediation any more. */
function inSync(copy: WorkingCopy, isForced: boolean): Next {
  copy.update({ history: truncated(copy.status.history ?? []) });
  if (isForced) return { kind: 'act', action: 'upgrade' };
  const latest = newestFirst(copy.status.history ?? [])[0];
  if (copy.condition('Remediated')?.status === 'True' && latest !== undefined) {
    const { namespace, name, version, chartName, chartVersion } = latest;
    const message = `Helm upgrade succeeded for release ${namespace}/${name}.v${String(version)} with chart ${chartName}@${chartVersion}`;
    copy.unmark('Remediated');
    copy.mark({ type: 'Released', status: 'True', reason: 'UpgradeSucceeded', message });
  }
  return { kind: 'in-sync' };
}

async function failed(copy: WorkingCopy, around: Surroundings): Promise<Next> {
  const remediation = activeRemediation(copy);
  // Counters that are gone mean that something has changed since: it is simply tried again [04, 06].
  if (remediation === undefined || failureCount(copy) <= 0) return { kind: 'act', action: 'upgrade' };
  if (isExhausted(remediation, copy) && !remediation.remediatesLast) {
    return { kind: 'stall', reason: 'RetriesExceeded', message: exceededMessage(copy) };
  }
  copy.update({ history: truncated(copy.status.history ?? []) });
  return remediation.strategy === 'uninstall' ? { kind: 'act', action: 'uninstall' } : rollback(copy, around);
}

/** To a release that is in storage as it was left; when it is not, another upgrade is all that remains. */
async function rollback(copy: WorkingCopy, around: Surroundings): Promise<Next> {
  const target = previousOf(copy.status.history ?? []);
  const message = 'Failed to perform remediation: missing target release for rollback: cannot remediate failed release';
  if (target === undefined) return { kind: 'stall', reason: 'MissingRollbackTarget', message };
  const { storageNamespace, shortReleaseName: name } = copy.spec;
  const stored = await around.records.all({ storageNamespace, name });
  const there = stored.find(({ record }) => record.version === target.version);
  const isGood = there !== undefined && isObserved(target, there.record);
  return { kind: 'act', action: isGood ? 'rollback' : 'upgrade' };
}
