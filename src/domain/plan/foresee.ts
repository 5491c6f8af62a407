import { FINALIZER } from '../../api/names.ts';
import type { Action, Decision } from '../decide/decision.ts';
import { decide } from '../decide/decide.ts';
import { judgeRollback } from '../decide/safety.ts';
import { everyMember, isRestoring } from '../decide/views.ts';
import type { World } from '../decide/world.ts';
import { type ActionContext, applyAction } from './apply-action.ts';
import { describeAction } from './describe-action.ts';
import type { Forecast, ForecastEnd, ForeseenStep, RollbackForecast } from './forecast.ts';
import { passWait } from './pass-wait.ts';

/** Turns that any package may take, and those that each of its members may. */
const TURNS = 100;
const TURNS_OF_MEMBER = 20;

export interface ForeseeOptions extends ActionContext {
  /** The first action of this kind is the last one that is listed. */
  readonly until?: Action['kind'];
}

/** `decide`, run forward on a world in which every action succeeds. What it lists is what the engine then does. */
export function foresee(start: World, { until, ...context }: ForeseeOptions = {}): Forecast {
  const steps: ForeseenStep[] = [];
  const actions: Action[] = [];
  let world = start;
  let rollback: RollbackForecast | undefined;
  for (let turn = turnsOf(start); turn > 0; turn -= 1) {
    const decision = decide(world);
    if (decision.kind === 'act') {
      steps.push(...describeAction(world, decision.action));
      actions.push(decision.action);
      rollback = rollbackAt(world, decision.action) ?? rollback;
      if (decision.action.kind === until) return ended(blockedAt(decision));
      if (decision.action.kind === 'complete-revision') return ended(takeoverFirst(decision));
      world = applyAction(world, decision.action, context);
      continue;
    }
    const next = decision.kind === 'wait' || decision.kind === 'observe' ? passWait(world, decision) : undefined;
    if (next === undefined) return ended(endOf(world, decision));
    world = next;
  }
  const message = `no end was found after ${String(actions.length)} steps: this is a fault of kubepkg`;
  return ended({ kind: 'endless', reason: 'Progressing', message });

  function ended(end: ForecastEnd): Forecast {
    return { package: start.package.metadata.name, steps, end, rollback, actions, world };
  }
}

function blockedAt({ reason, message }: Decision): ForecastEnd {
  return { kind: 'blocked', reason, message };
}

function turnsOf({ revisions, resolution, strays }: World): number {
  const known = revisions.reduce((sum, revision) => sum + 1 + everyMember(revision).length, strays.length);
  const { hooks = [], components = [] } = resolution?.kind === 'resolved' ? resolution.desired : {};
  return TURNS + TURNS_OF_MEMBER * (known + hooks.length + components.length);
}

/** What it has is read from the backend's records by the operator, and cannot be told before. */
function takeoverFirst({ message }: Decision): ForecastEnd {
  return {
    kind: 'blocked',
    reason: 'Progressing',
    message: `${message}; the operator does that first, and changes nothing by it: plan again afterwards`,
  };
}

function endOf(world: World, decision: Exclude<Decision, { kind: 'act' }>): ForecastEnd {
  const { reason, message } = decision;
  switch (decision.kind) {
    case 'converged':
      return { kind: 'converged', reason, message };
    case 'invalid':
      return { kind: 'invalid', reason, message };
    case 'stalled':
      return { kind: 'stalled', reason, message, code: decision.code };
    case 'observe':
    case 'wait':
      return { kind: isRemoved(world) ? 'removed' : 'blocked', reason, message };
  }
}

/** kubepkg has let go of a package that is being deleted. */
function isRemoved({ package: { metadata } }: World): boolean {
  return metadata.deletionTimestamp !== undefined && !(metadata.finalizers ?? []).includes(FINALIZER);
}

/** Asked where everything has been submitted: whichever component fails, what stands against going back is the same. */
function rollbackAt(world: World, action: Action): RollbackForecast | undefined {
  if (action.kind !== 'record' || action.status.phase !== 'Applied') return undefined;
  const revision = world.revisions.find(({ metadata }) => metadata.name === action.revision);
  if (revision === undefined || revision.status?.phase === 'Applied') return undefined;
  if (isRestoring(revision)) return { possible: false, why: 'a rollback is not rolled back itself' };
  const verdict = judgeRollback(world, { ...revision, status: action.status });
  if (verdict.kind === 'none') return { possible: false, why: verdict.why };
  return { possible: true, revision: verdict.to.spec.revision, version: verdict.to.spec.version };
}
