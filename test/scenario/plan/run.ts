import type { Action, Decision } from '../../../src/domain/decide/decision.ts';
import { everyMember, isInProgress } from '../../../src/domain/decide/views.ts';
import type { Model } from '../decide/model.ts';

export interface Run {
  readonly actions: readonly Action[];
  readonly end: Exclude<Decision, { kind: 'act' }>;
}

/** More turns than any package of the model needs. */
const TURNS = 2000;

/**
 * The model, driven by `decide` and by nothing of the plan: every delivery succeeds, what was delivered is ready,
 * and time goes on where something is tried again.
 */
export function runWell(model: Model): Run {
  model.outcomes.clear();
  model.stubborn.clear();
  model.diesBeforeDelivery = false;
  const actions: Action[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const decision = model.step();
    if (decision.kind === 'act') {
      actions.push(decision.action);
      if (decision.action.kind === 'deliver') model.healths.delete(decision.action.component);
    } else if (!goesOn(model, decision)) return { actions, end: decision };
  }
  throw new Error('the model does not come to rest');
}

/** Whatever goes on by itself in a model where all is well. */
function goesOn(model: Model, decision: Decision): boolean {
  if (decision.kind !== 'wait' && decision.kind !== 'observe') return false;
  const running = [...model.releases.values()].some(({ delivery }) => delivery.kind === 'running');
  if (running) {
    model.finish();
    return true;
  }
  return isReadAndReady(model) || isTriedAgain(model, decision);
}

function isReadAndReady(model: Model): boolean {
  const awaited = model.revisions.filter((revision) => isInProgress(revision)).flatMap(everyMember);
  const names = new Set(awaited.map(({ name }) => name));
  const before = model.healths.size;
  for (const [name, { status }] of model.healths) {
    if (status === 'unobserved' || (names.has(name) && status !== 'ready')) model.healths.delete(name);
  }
  return model.healths.size < before;
}

function isTriedAgain(model: Model, decision: Decision): boolean {
  if (decision.kind !== 'wait' || decision.until === undefined || decision.until <= model.now) return false;
  const isPausing = [...model.releases.values()].some(
    ({ delivery }) => delivery.kind === 'failed' && delivery.retryAt > model.now,
  );
  if (isPausing) model.now = decision.until;
  return isPausing;
}
