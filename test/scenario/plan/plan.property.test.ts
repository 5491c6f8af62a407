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
  if (action.kind === 'record') {
    const { phase = '', rollback } = action.status;
    return phase === 'Applying' ? undefined : `${action.revision} ${phase} ${JSON.stringify(rollback ?? {})}`;
  }
  if (action.kind === 'deliver')
    return `${action.mode} ${releaseKey(action.target)} for ${action.revision}, attempt ${String(action.attempt)}`;
  if (action.kind === 'uninstall')
    return `uninstall ${releaseKey(action.target)}${action.keepData ? ' but its data' : ''}`;
  return JSON.stringify(action);
}

/** What a person is told, made from what happened by rules of their own. */
function toldOf(actions: readonly Action[], before: World): readonly string[] {
  const past = before.revisions.filter(({ status }) => status?.phase === 'Failed');
  const failed = new Set(past.map(({ metadata }) => metadata.name));
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

/** What somebody removed before its delivery was noted looks like a record that has not been seen yet. */
function isUntellable({ releases }: World): boolean {
  return Object.values(releases).some(
    ({ observation, delivery }) => delivery.kind === 'accepted' && observation.state !== 'present',
  );
}

const EXPECTED = [
  ...['blocked', 'converged', 'invalid', 'removed', 'stalled'].map((kind) => `end ${kind}`),
  ...['fetch', 'begin', 'hook', 'install', 'upgrade', 'keep', 'commit', 'fail', 'unlock', 'forget'],
  ...['moved', 'dropped', 'hook-done', 'undone', 'leftover', 'package'].map((why) => `remove ${why}`),
  'rollback true',
  'rollback false',
];

const ENDS: Readonly<Record<Exclude<Decision['kind'], 'act'>, readonly Forecast['end']['kind'][]>> = {
  converged: ['converged'],
  wait: ['blocked', 'removed'],
  observe: ['blocked'],
  stalled: ['stalled'],
  invalid: ['invalid'],
};

describe('P18 what is planned', { timeout: 600_000 }, () => {
  it(`is what the engine then does, in that order, for ${String(WORLDS)} random worlds`, () => {
    const met = new Map<string, number>();
    const count = (what: string): Map<string, number> => met.set(what, (met.get(what) ?? 0) + 1);
    const counted = (step: ForeseenStep): string => (step.kind === 'remove' ? `remove ${step.why}` : step.kind);
    fc.assert(
      fc.property(lives, (life) => {
        const model = modelOf(life);
        const world = model.world();
        fc.pre(!isUntellable(world));
        const forecast = foresee(world, contextOf(world));
        const run = runWell(model);
        expect(deedsOf(forecast.actions)).toEqual(deedsOf(run.actions));
        expect(listedIn(forecast.steps, 'shop')).toEqual(toldOf(run.actions, world));
        expect(ENDS[run.end.kind]).toContain(forecast.end.kind);
        expect(forecast.end.reason).toBe(run.end.reason);
        count(`end ${forecast.end.kind}`);
        for (const step of forecast.steps) count(counted(step));
        if (forecast.rollback !== undefined) count(`rollback ${String(forecast.rollback.possible)}`);
      }),
      { numRuns: WORLDS },
    );
    // The worlds are of all kinds: each way to end, and each step that the model knows, was met.
    expect(EXPECTED.filter((what) => (met.get(what) ?? 0) === 0)).toEqual([]);
  });
});
