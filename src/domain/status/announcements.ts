import { EVENT_REASONS, type EventReason } from '../../api/event-reasons.ts';
import type { Condition } from '../../api/kube.ts';
import type { PackageStatus } from '../../api/package.ts';
import { parseTime } from '../../lib/time.ts';
import type { Decision } from '../decide/decision.ts';
import type { World } from '../decide/world.ts';

/** What people are told of by an Event. */
export interface Announcement {
  readonly type: 'Normal' | 'Warning';
  /** An EventReason, or the reason of the Ready condition. */
  readonly reason: string;
  readonly message: string;
}

/** A removal that takes longer is held up by something. */
const BLOCKED_MS = 60_000;

export function tell(reason: EventReason, message: string): Announcement {
  return { type: EVENT_REASONS[reason].type, reason, message };
}

/** What a new status says that the one before it did not: another reason of Ready, another verdict, or a step that no revision records. */
export function statusAnnouncements(
  before: PackageStatus | undefined,
  after: PackageStatus,
  decision?: Decision,
): readonly Announcement[] {
  const [former, ready] = [readyOf(before), readyOf(after)];
  if (ready === undefined) return [];
  const { reason, message } = ready;
  const type = isTrouble(after, reason) ? 'Warning' : 'Normal';
  if (former?.reason !== reason) {
    return [...departure(former?.reason, ready), { type, reason, message }, ...stepBeside(ready, decision)];
  }
  // What was being put away beside it has been.
  if (former.message === message || former.message.startsWith(`${message}; `)) return [];
  return decision === undefined ? [{ type, reason, message }] : restated({ type, reason, message }, decision);
}

/** The same reason in other words: a step that no revision records, or another verdict. */
function restated(announcement: Announcement, decision: Decision): readonly Announcement[] {
  const step = stepReason(decision);
  if (step !== undefined) return [tell(step, announcement.message)];
  return isPassing(decision) ? [] : [announcement];
}

/** A step that puts something away beside a word on what is applied, which does not tell of it by its reason. */
function stepBeside({ reason, message }: Condition, decision: Decision | undefined): readonly Announcement[] {
  const step = decision === undefined || !STANDING.includes(reason) ? undefined : stepReason(decision);
  return step === undefined ? [] : [tell(step, message)];
}

const STANDING: readonly string[] = ['ReconciliationSucceeded', 'RolledBack', 'UpgradeRolledBack', 'Degraded'];

/** What ended with the former reason. */
function departure(former: string | undefined, { reason, message }: Condition): readonly Announcement[] {
  if (former === 'Suspended') return [tell('Resumed', message)];
  if (former === 'Degraded' && reason === 'ReconciliationSucceeded') return [tell('Recovered', message)];
  if (former === 'RequirementsNotMet' && reason === 'Progressing') return [tell('RequirementsMet', message)];
  return [];
}

/** Steps that are in no journal. */
function stepReason(decision: Decision): EventReason | undefined {
  const reasons: Readonly<Partial<Record<string, EventReason>>> = {
    uninstall: 'ReleaseRemoving',
    unlock: 'ReleaseUnlocking',
    stop: 'DeliveryStopped',
    'replace-pod': 'PodReplaced',
  };
  return decision.kind === 'act' ? reasons[decision.action.kind] : undefined;
}

/** That a wait, or a step on the way, tells something else is for the status alone. */
function isPassing({ kind }: Decision): boolean {
  return kind === 'act' || kind === 'wait' || kind === 'observe';
}

/** What holds up the removal of a package, once that has lasted. */
export function blockedRemoval({ now, package: pkg, releases }: World, decision: Decision): Announcement | undefined {
  const since = pkg.metadata.deletionTimestamp;
  if (since === undefined || decision.kind !== 'wait' || now - parseTime(since) < BLOCKED_MS) return undefined;
  const isHeld = Object.values(releases).some(
    ({ observation, delivery }) =>
      delivery.kind === 'failed' || (observation.state === 'present' && observation.delivery === 'draining'),
  );
  return isHeld ? tell('DeletionBlocked', decision.message) : undefined;
}

function readyOf(status: PackageStatus | undefined): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

function isTrouble({ conditions = [] }: PackageStatus, reason: string): boolean {
  const troubles = ['Degraded', 'FetchFailed', 'RollbackFailed', 'UpgradeRolledBack'];
  return troubles.includes(reason) || conditions.some(({ type }) => type === 'Stalled');
}
