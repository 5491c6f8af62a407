import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Action, Decision } from '../../../src/domain/decide/decision.ts';
import { releaseKey, type World } from '../../../src/domain/decide/world.ts';
import type { ActionContext } from '../../../src/domain/plan/apply-action.ts';
import { foresee } from '../../../src/domain/plan/foresee.ts';
import type { Forecast, ForeseenStep } from '../../../src/domain/plan/forecast.ts';
import { preparationOf } from '../decide/model.ts';
import { runWell } from './run.ts';
import { lives, modelOf } from './worlds.ts';

/** Issue 6: what `plan` lists is what the engine then does, in that order, for so many random worlds. */
const WORLDS = 10_000;

function contextOf({ resolution }: World): ActionContext {
  return resolution?.kind === 'resolved' ? { charts: preparationOf(resolution.desired).charts } : {};
}

/** What an action does to the cluster, without the moment. Progress that is only noted changes nothing there. */
function deedsOf(actions: readonly Action[]): readonly string[] {
  return actions.flatMap((action) => deedOf(action) ?? []);
}

function deedOf(action: Action): string | undefined {
  switch (action.kind) {
    case 'record': {
      const { phase = '', rollback } = action.status;
      return phase === 'Applying' ? undefined : `${action.revision} ${phase} ${JSON.stringify(rollback ?? {})}`;
    }
    case 'deliver':
      return `${action.mode} ${releaseKey(action.target)} for ${action.revision}, attempt ${String(action.attempt)}`;
    case 'uninstall':
      return `uninstall ${releaseKey(action.target)}${action.keepData ? ' but its data' : ''}`;
    case 'stop':
    case 'unlock':
    case 'hand-back':
      return `${action.kind} ${releaseKey(action.target)}`;
    default:
      return JSON.stringify(action);
  }
}

/** What a person is told, made from what happened by rules of their own. */
function toldOf(actions: readonly Action[]): readonly string[] {
  const failed = new Set<string>();
  return actions.flatMap((action) => {
    if (action.kind === 'deliver' || action.kind === 'uninstall') return `${action.kind} ${releaseKey(action.target)}`;
    if (action.kind === 'create-revision') return `begin ${String(action.spec.revision)} ${action.spec.version}`;
    if (action.kind !== 'record' || action.status.phase !== 'Failed' || failed.has(action.revision)) return [];
    failed.add(action.revision);
    return `fail ${action.revision}`;
  });
}

function listedIn(steps: readonly ForeseenStep[], pkg: string): readonly string[] {
  return steps.flatMap((step) => {
    if (step.kind === 'hook' || step.kind === 'install' || step.kind === 'upgrade') return `deliver ${step.release}`;
    if (step.kind === 'remove') return `uninstall ${step.release}`;
    if (step.kind === 'begin') return `begin ${String(step.revision)} ${step.version}`;
    return step.kind === 'fail' ? `fail ${pkg}-${String(step.revision)}` : [];
  });
}

const ENDS: Readonly<Record<Exclude<Decision['kind'], 'act'>, readonly Forecast['end']['kind'][]>> = {
  converged: ['converged'],
  wait: ['blocked', 'removed'],
  observe: ['blocked'],
  stalled: ['stalled'],
  invalid: ['invalid'],
};

describe('P18 what is planned', { timeout: 120_000 }, () => {
  it(`is what the engine then does, in that order, for ${String(WORLDS)} random worlds`, () => {
    const met = new Map<string, number>();
    const count = (what: string): Map<string, number> => met.set(what, (met.get(what) ?? 0) + 1);
    fc.assert(
      fc.property(lives, (life) => {
        const model = modelOf(life);
        const world = model.world();
        const forecast = foresee(world, contextOf(world));
        const run = runWell(model);
        expect(deedsOf(forecast.actions)).toEqual(deedsOf(run.actions));
        expect(listedIn(forecast.steps, 'shop')).toEqual(toldOf(run.actions));
        expect(ENDS[run.end.kind]).toContain(forecast.end.kind);
        expect(forecast.end.reason).toBe(run.end.reason);
        count(`end ${forecast.end.kind}`);
        for (const { kind } of forecast.steps) count(kind);
      }),
      { numRuns: WORLDS },
    );
    console.log(met);
  });
});
