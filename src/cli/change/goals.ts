import { KubepkgError } from '../../api/errors.ts';
import { CONDITION_TYPES } from '../../api/reasons.ts';
import type { Package } from '../../api/package.ts';
import { didYouMeanHint } from '../../lib/did-you-mean.ts';
import type { Goal } from '../install/outcome.ts';
import { conditionOf, packageState } from '../report/package-state.ts';
import type { Judge, Verdict } from '../watch/verdict.ts';
import { removalJudge } from './judges.ts';

/** What `wait --for` is about. */
export type WaitGoal = ConditionGoal | { readonly kind: 'removed' };

export interface ConditionGoal {
  readonly kind: 'condition';
  readonly type: string;
  readonly status: string;
}

const NAMES = ['Ready', 'Available', 'Removed'] as const;
const CONDITION = 'condition=';

/** `Ready`, `Available`, `Removed`, `condition=TYPE` or `condition=TYPE=STATUS`. */
export function parseGoal(text: string): WaitGoal {
  const named = NAMES.find((name) => name.toLowerCase() === text.toLowerCase());
  if (named === 'Removed') return { kind: 'removed' };
  if (named !== undefined) return { kind: 'condition', type: named, status: 'True' };
  if (!text.startsWith(CONDITION)) throw unknownGoal(text);
  const [type = '', status = 'True', ...rest] = text.slice(CONDITION.length).split('=');
  const found = CONDITION_TYPES.find((one) => one.toLowerCase() === type.toLowerCase());
  if (found === undefined) throw unknownType(type);
  if (rest.length > 0 || !/^(true|false|unknown)$/i.test(status)) throw unknownStatus(type, status);
  return { kind: 'condition', type: found, status: status.charAt(0).toUpperCase() + status.slice(1).toLowerCase() };
}

function unknownGoal(text: string): KubepkgError {
  const hint = didYouMeanHint(text, NAMES, `write one of ${NAMES.join(', ')}, or condition=TYPE=STATUS`);
  return new KubepkgError('InvalidInput', `--for ${text} is nothing that can be waited for`, { hint });
}

function unknownType(type: string): KubepkgError {
  const hint = didYouMeanHint(type, CONDITION_TYPES, `packages have ${CONDITION_TYPES.join(', ')}`);
  return new KubepkgError('InvalidInput', `packages have no condition ${type === '' ? '""' : type}`, { hint });
}

function unknownStatus(type: string, status: string): KubepkgError {
  return new KubepkgError('InvalidInput', `condition ${type} never is ${status === '' ? '""' : status}`, {
    hint: `write condition=${type}=True, =False or =Unknown`,
  });
}

/** A status about an older edit counts neither for nor against it. `uid`: of the Package at the first look. */
export function judgeOf(goal: WaitGoal, uid: string | undefined): Judge {
  if (goal.kind === 'removed') return removalJudge(uid);
  return ({ package: pkg }) => (pkg === undefined ? 'gone' : conditionVerdict(goal, pkg));
}

function conditionVerdict({ type, status }: ConditionGoal, pkg: Package): Verdict {
  const condition = conditionOf(pkg, type);
  if (condition !== undefined && condition.status === status && isCurrent(pkg, condition)) return 'ready';
  // A condition that is not there is as one that is not true.
  if (condition === undefined && status === 'False' && hasReported(pkg)) return 'ready';
  // What has failed for good is not ready any more; any other condition can still come about.
  return type === 'Ready' && isFinal(pkg) ? 'failed' : 'pending';
}

/** What has failed stays so until somebody does something; what is only not healthy any more can recover by itself. */
function isFinal(pkg: Package): boolean {
  const ready = conditionOf(pkg, 'Ready');
  return packageState(pkg) === 'Failed' && ready?.reason !== 'Degraded' && hasReported(pkg);
}

function hasReported(pkg: Package): boolean {
  const ready = conditionOf(pkg, 'Ready');
  return ready !== undefined && isCurrent(pkg, ready);
}

function isCurrent(
  { metadata }: Package,
  { observedGeneration }: { observedGeneration?: number | undefined },
): boolean {
  return observedGeneration === undefined || observedGeneration >= (metadata.generation ?? 1);
}

/** `Ready=True` has the words of install. */
export function wordsOf(goal: WaitGoal): Goal | undefined {
  if (goal.kind === 'removed') return { state: 'gone', reached: ({ name }) => `${name} is removed` };
  const { type, status } = goal;
  if (type === 'Ready' && status === 'True') return undefined;
  const what = `${type}=${status}`;
  return { state: what, reached: ({ name }) => `${name} is ${what}` };
}
