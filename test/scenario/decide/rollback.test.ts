import { describe, expect, it } from 'vitest';
import type { PackageSource } from '../../../src/api/package-source.ts';
import { aComponent, aPackage, aSource } from '../../build/objects.ts';
import { PROGRESSING, RUNNING } from '../../build/world.ts';
import { Model } from './model.ts';

const THREE = [aComponent('a'), aComponent('b', { dependsOn: ['a'] }), aComponent('c', { dependsOn: ['b'] })];

function sourceAt(version: string, { safe = true, components = THREE, build = 0 } = {}): PackageSource {
  return aSource(components, { version, build, rollback: { safe } });
}

function installed(source = sourceAt('1.0.0')): Model {
  const model = new Model(aPackage(), source);
  model.settle();
  model.actions.length = 0;
  return model;
}

/** `deliver shop-2/a`, `uninstall new`, in order. */
function steps(model: Model): readonly string[] {
  return model.actions.flatMap((action) => {
    if (action.kind === 'deliver') return [`deliver ${action.revision}/${action.component}`];
    return action.kind === 'uninstall' ? [`uninstall ${action.target.component}`] : [];
  });
}

const phases = (model: Model): readonly (string | undefined)[] => model.revisions.map(({ status }) => status?.phase);
const readyOf = (model: Model): string | undefined =>
  model.pkg.status?.conditions?.find(({ type }) => type === 'Ready')?.status;

/** Turns the crank, once at least, until something holds; what goes on for ever is a fault. */
function until(model: Model, holds: () => boolean): void {
  for (let step = 0; step < 200; step += 1) {
    model.step();
    if (holds()) return;
  }
  throw new Error('it did not come to that in 200 steps');
}

function untilFailed(model: Model): void {
  until(model, () => model.revisions.at(-1)?.status?.phase === 'Failed');
}

/** The upgrade to 1.1.0 fails at its last component. */
function failed(next = sourceAt('1.1.0'), model = installed()): Model {
  model.source = next;
  model.outcomes.set('c', 'failed');
  untilFailed(model);
  model.outcomes.clear();
  return model;
}

describe('an upgrade that fails', () => {
  it('P10 what is put back and ready at once is in the journal as delivered while others are waited for', () => {
    const model = failed();
    model.healths.set('a', PROGRESSING);
    expect(model.settle().kind).toBe('wait');
    const { components = [] } = model.revisions.at(-1)?.status ?? {};
    expect(components.map(({ name, state, backendRevision }) => [name, state, backendRevision])).toEqual([
      ['a', 'Submitted', 3],
      ['b', 'Submitted', 3],
      ['c', 'Submitted', 3],
    ]);
  });

  it('P10 F63 is rolled back whole, what was changed last first', () => {
    const model = failed();
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'UpgradeRolledBack' });
    expect(steps(model)).toEqual([
      'deliver shop-2/a',
      'deliver shop-2/b',
      'deliver shop-2/c',
      'deliver shop-3/c',
      'deliver shop-3/b',
      'deliver shop-3/a',
    ]);
    expect(phases(model)).toEqual(['Superseded', 'RolledBack', 'Applied']);
    expect(model.revisions[2]?.spec).toMatchObject({ version: '1.0.0', restoredFrom: 1 });
    expect(model.revisions[1]?.status?.rollback).toEqual({ to: 1, state: 'Done', revision: 3 });
    expect(model.pkg.status?.version).toBe('1.0.0');
  });

  it('P10 that the rollback is owed is in the same write as the failure', () => {
    expect(failed().revisions[1]?.status).toMatchObject({ phase: 'Failed', rollback: { to: 1, state: 'Owed' } });
  });

  it('P10 F63 new components are removed, and removed ones put back', () => {
    const next = [aComponent('a'), aComponent('new', { dependsOn: ['a'] }), aComponent('c', { dependsOn: ['new'] })];
    const model = failed(sourceAt('1.1.0', { components: next }));
    model.settle();
    expect(steps(model).slice(3)).toEqual(['deliver shop-3/c', 'uninstall new', 'deliver shop-3/a']);
    expect([...model.releases.keys()].sort()).toEqual(['shop/a', 'shop/b', 'shop/c']);
  });

  it.each([
    ['whose uninstall a controller has yet to do is waited for', true, []],
    ['whose objects are still going is not waited for', undefined, ['deliver shop-3/a']],
  ])('P10 a new component %s', (_, uninstalling, further) => {
    const next = [aComponent('a'), aComponent('new', { dependsOn: ['a'] }), aComponent('c', { dependsOn: ['new'] })];
    const model = failed(sourceAt('1.1.0', { components: next }));
    until(model, () => model.actions.at(-1)?.kind === 'deliver');
    const release = model.releases.get('shop/new');
    if (release?.observation.state !== 'present') throw new Error('it is not there');
    release.observation = { ...release.observation, delivery: 'draining', uninstalling };
    expect(model.settle().kind).toBe('wait');
    expect(steps(model).slice(3)).toEqual(['deliver shop-3/c', ...further]);
    expect(model.revisions.at(-1)?.status?.removals?.[0]?.deadline !== undefined).toBe(uninstalling === true);
  });

  it('P10 an old component that needs its old dependency is not waited for before that one is back', () => {
    const model = failed();
    model.healths.set('c', PROGRESSING);
    model.healths.set('b', PROGRESSING);
    expect(model.settle().kind).toBe('wait');
    expect(steps(model).slice(3)).toEqual(['deliver shop-3/c', 'deliver shop-3/b', 'deliver shop-3/a']);
    model.healths.clear();
    expect(model.settle().reason).toBe('UpgradeRolledBack');
  });

  it('P9 P10 each component of a rollback has its whole time from its own turn', () => {
    const model = failed();
    model.healths.set('a', PROGRESSING);
    model.healths.set('c', PROGRESSING);
    model.settle();
    model.now += 550_000;
    model.healths.delete('a');
    expect(model.settle().kind).toBe('wait');
    model.now += 590_000;
    expect(model.settle().kind).toBe('wait');
    model.now += 10_000;
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'UpgradeFailed' });
  });

  it('P10 P22 what is being put back is seen to its end first, whatever becomes of what was put back before', () => {
    const model = failed();
    model.outcomes.set('b', 'running');
    until(model, () => steps(model).includes('deliver shop-3/c'));
    model.now += 100_000;
    until(model, () => steps(model).includes('deliver shop-3/b'));
    const release = model.releases.get('shop/c');
    if (release?.observation.state !== 'present') throw new Error('it was not put back');
    release.observation = { ...release.observation, revision: 9, token: 'of-somebody-else' };
    model.now += 550_000;
    expect(model.settle()).toMatchObject({ kind: 'wait', message: expect.stringContaining('component b') as unknown });
    model.finish();
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'UpgradeFailed' });
    expect(model.revisions[2]?.status?.failure).toMatchObject({ component: 'c', code: 'DeadlineExceeded' });
  });

  it('P9 I12 what is being put back is judged at its deadline, whatever somebody sets going meanwhile', () => {
    const model = installed();
    model.source = sourceAt('1.1.0');
    model.outcomes.set('b', 'failed');
    untilFailed(model);
    model.outcomes.set('b', 'transient');
    until(model, () => steps(model).includes('deliver shop-3/b'));
    const release = model.releases.get('shop/c');
    if (release?.observation.state !== 'present') throw new Error('it is not there');
    release.observation = { ...release.observation, delivery: 'underway' };
    model.rest();
    expect(steps(model)).not.toContain('deliver shop-3/c');
    expect(model.revisions[2]?.status?.failure).toMatchObject({ component: 'b', code: 'DeadlineExceeded' });
  });

  it('P10 P22 what still runs is seen to its end before anything is put back', () => {
    const model = failed();
    const release = model.releases.get('shop/a');
    if (release === undefined) throw new Error('it is not there');
    release.delivery = RUNNING;
    expect(model.settle()).toMatchObject({ kind: 'wait', message: expect.stringContaining('component a') as unknown });
    expect(steps(model)).toHaveLength(3);
    release.delivery = { kind: 'none' };
    model.settle();
    expect(steps(model).slice(3)).toEqual(['deliver shop-3/c', 'deliver shop-3/b', 'deliver shop-3/a']);
  });

  it('P10 a rollback that cannot be completed is told with both causes, and is not rolled back itself', () => {
    const model = failed();
    model.outcomes.set('b', 'failed');
    const decision = model.settle();
    expect(decision).toMatchObject({ kind: 'stalled', reason: 'UpgradeFailed' });
    expect(decision.message).toMatch(/component c failed.*component b failed/s);
    expect(phases(model)).toEqual(['Applied', 'Failed', 'Failed']);
    expect(model.revisions[1]?.status?.rollback).toMatchObject({ to: 1, state: 'Failed', revision: 3 });
  });

  it.each([['before it is created'], ['while it restores']])('P10 R10 dies %s and goes on', (when) => {
    const model = failed();
    if (when === 'while it restores') {
      until(model, () => steps(model).includes('deliver shop-3/c'));
    }
    model.crash();
    expect(model.settle().reason).toBe('UpgradeRolledBack');
    expect(new Set(steps(model)).size).toBe(steps(model).length);
  });

  it.each([
    ['its version is not safe', sourceAt('1.1.0', { safe: false }), {}],
    ['spec.upgrade.atomic is false', sourceAt('1.1.0'), { atomic: false }],
  ])('P11 stays as it is when %s', (_why, next, upgrade) => {
    const model = installed();
    model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, upgrade: { atomic: true, timeout: '10m', ...upgrade } } };
    failed(next, model);
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'UpgradeFailed' });
    expect(phases(model)).toEqual(['Applied', 'Failed']);
  });

  it('P10 the safety is that of the version being left, not of the one that is gone back to', () => {
    const model = failed(sourceAt('1.1.0'), installed(sourceAt('1.0.0', { safe: false })));
    expect(model.settle().reason).toBe('UpgradeRolledBack');
  });

  it('P10 an unsafe version that was tried in between, and skipped by a later safe one, forbids it', () => {
    const model = failed(sourceAt('2.0.0', { safe: false }));
    expect(model.settle().reason).toBe('UpgradeFailed');
    model.actions.length = 0;
    model.source = sourceAt('2.1.0');
    model.outcomes.set('c', 'failed');
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'UpgradeFailed' });
    expect(phases(model)).toEqual(['Applied', 'Failed', 'Failed']);
  });

  it('P10 a values change at the same version needs no declaration', () => {
    const model = installed(sourceAt('1.0.0', { safe: false }));
    model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, components: { c: { values: { x: 1 } } } } };
    model.outcomes.set('c', 'failed');
    untilFailed(model);
    model.outcomes.clear();
    expect(model.settle().reason).toBe('UpgradeRolledBack');
  });

  it('P10 what the failed version left is removed after the rollback, and Ready is not claimed meanwhile', () => {
    const hook = aComponent('migrate', { phase: 'PreUpgrade' });
    const model = failed(sourceAt('1.1.0', { components: [hook, ...THREE] }));
    model.stubborn.set('migrate', 3);
    expect(model.settle()).toMatchObject({ kind: 'wait', reason: 'UpgradeRolledBack' });
    expect(readyOf(model)).toBe('False');
    expect(model.rest()).toMatchObject({ kind: 'stalled', reason: 'UpgradeRolledBack' });
    expect([...model.releases.keys()].sort()).toEqual(['shop/a', 'shop/b', 'shop/c']);
  });

  it('P12 is held after its rollback until something else is wanted', () => {
    const model = failed();
    model.settle();
    model.actions.length = 0;
    model.now += 24 * 3_600_000;
    expect(model.settle().reason).toBe('UpgradeRolledBack');
    expect(model.actions).toEqual([]);
    model.annotate({ 'kubepkg.dev/retry': '1' });
    expect(model.settle().kind).toBe('converged');
    expect(phases(model).at(-1)).toBe('Applied');
    expect(model.pkg.status?.version).toBe('1.1.0');
  });

  it('P12 F70 the spec set back to what the rollback restored is Ready, with no change of any release', () => {
    const model = failed();
    model.settle();
    model.actions.length = 0;
    model.source = sourceAt('1.0.0');
    expect(model.settle().kind).toBe('converged');
    expect(steps(model)).toEqual([]);
    expect(readyOf(model)).toBe('True');
  });

  it('P12 what was rolled back is tried again, and not taken for what runs, after something else was tried', () => {
    const model = failed();
    model.settle();
    model.source = sourceAt('1.2.0', { components: [aComponent('migrate', { phase: 'PreUpgrade' }), ...THREE] });
    model.outcomes.set('migrate', 'failed');
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'UpgradeFailed' });
    model.source = sourceAt('1.1.0');
    expect(model.settle().kind).toBe('converged');
    expect(model.pkg.status?.version).toBe('1.1.0');
  });

  it('P12 a raised timeout tries again after a missed deadline that was rolled back', () => {
    const model = installed();
    model.source = sourceAt('1.1.0');
    model.healths.set('c', PROGRESSING);
    model.settle();
    model.now += 600_000;
    untilFailed(model);
    model.healths.clear();
    expect(model.settle().reason).toBe('UpgradeRolledBack');
    model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, upgrade: { atomic: true, timeout: '20m' } } };
    expect(model.settle().kind).toBe('converged');
    expect(model.pkg.status?.version).toBe('1.1.0');
  });

  it('a newer desired state takes over from a rollback, and starts from what was applied last', () => {
    const model = failed();
    model.healths.set('a', PROGRESSING);
    model.settle();
    model.healths.clear();
    model.source = sourceAt('1.2.0');
    expect(model.settle().kind).toBe('converged');
    expect(model.pkg.status?.version).toBe('1.2.0');
    expect(model.revisions[1]?.status?.rollback?.state).toBe('Failed');
    expect(model.revisions[3]?.spec.fromVersion).toBe('1.0.0');
  });

  it('a first install that fails has nothing to go back to', () => {
    const model = new Model(aPackage(), sourceAt('1.0.0'));
    model.outcomes.set('b', 'failed');
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'UpgradeFailed' });
    expect(model.revisions.length).toBe(1);
  });
});

describe('a rollback by request', () => {
  function upgraded({ safe = true } = {}): Model {
    const model = installed();
    model.source = sourceAt('2.0.0', { safe });
    model.settle();
    model.actions.length = 0;
    return model;
  }

  it('P19 restores an earlier applied revision and holds it as RolledBack', () => {
    const model = upgraded();
    model.annotate({ 'kubepkg.dev/rollback-to': '1' });
    expect(model.settle()).toMatchObject({ kind: 'converged', reason: 'RolledBack' });
    expect(steps(model)).toEqual(['deliver shop-3/c', 'deliver shop-3/b', 'deliver shop-3/a']);
    expect(model.pkg.metadata.annotations).not.toHaveProperty('kubepkg.dev/rollback-to');
    expect([readyOf(model), model.pkg.status?.version]).toEqual(['True', '1.0.0']);
    model.source = sourceAt('2.1.0');
    expect(model.settle()).toMatchObject({ kind: 'converged', reason: 'ReconciliationSucceeded' });
  });

  it('P19 P11 past an unsafe version is refused, and what runs is left alone', () => {
    const model = upgraded({ safe: false });
    model.annotate({ 'kubepkg.dev/rollback-to': '1' });
    const reasons = new Set<string>();
    for (let decision = model.step(); decision.kind === 'act'; decision = model.step()) reasons.add(decision.reason);
    expect(reasons).toContain('RollbackFailed');
    expect(model.revisions.length).toBe(2);
    expect(model.pkg.metadata.annotations).not.toHaveProperty('kubepkg.dev/rollback-to');
    expect(steps(model)).toEqual([]);
  });

  it('P19 P11 is carried out when that very version is forced, once', () => {
    const model = upgraded({ safe: false });
    model.annotate({ 'kubepkg.dev/rollback-to': '1', 'kubepkg.dev/force-rollback': '2.0.0' });
    expect(model.settle()).toMatchObject({ kind: 'converged', reason: 'RolledBack' });
    expect(model.pkg.metadata.annotations).not.toHaveProperty('kubepkg.dev/force-rollback');
  });

  it.each(['7', 'x', '', '3'])('P19 to "%s", which was never applied, is refused', (wanted) => {
    const model = failed(sourceAt('3.0.0', { safe: false }), upgraded());
    model.annotate({ 'kubepkg.dev/rollback-to': wanted });
    model.settle();
    expect(model.revisions.length).toBe(3);
    expect(model.pkg.metadata.annotations).not.toHaveProperty('kubepkg.dev/rollback-to');
  });

  it('P19 one that cannot be completed is RollbackFailed', () => {
    const model = upgraded();
    model.outcomes.set('b', 'failed');
    model.annotate({ 'kubepkg.dev/rollback-to': '1' });
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'RollbackFailed' });
  });

  it('P19 takes over from a revision in progress', () => {
    const model = upgraded();
    model.source = sourceAt('2.1.0');
    model.healths.set('a', PROGRESSING);
    model.settle();
    model.annotate({ 'kubepkg.dev/rollback-to': '1' });
    model.healths.clear();
    expect(model.settle()).toMatchObject({ kind: 'converged', reason: 'RolledBack' });
    expect(phases(model)).toEqual(['Superseded', 'Superseded', 'Failed', 'Applied']);
  });

  it('P11 going back by editing the Package past an unsafe version is refused, unless forced', () => {
    const model = upgraded({ safe: false });
    model.source = sourceAt('1.0.0');
    expect(model.settle()).toMatchObject({ kind: 'invalid', reason: 'InvalidConfiguration' });
    expect(model.revisions.length).toBe(2);
    model.annotate({ 'kubepkg.dev/force-rollback': '2.0.0' });
    expect(model.settle().kind).toBe('converged');
    expect(model.pkg.status?.version).toBe('1.0.0');
  });

  it('P11 going back by editing the Package past safe versions only is an upgrade like any other', () => {
    const model = upgraded();
    model.source = sourceAt('1.0.0');
    expect(model.settle().kind).toBe('converged');
    expect(model.pkg.status?.version).toBe('1.0.0');
  });

  it('P11 I4 an unsafe version is not forgotten when its revision is', () => {
    const model = installed();
    model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, revisionHistoryLimit: 1 } };
    for (const [version, safe] of [
      ['2.0.0', false],
      ['2.1.0', true],
      ['2.2.0', true],
    ] as const) {
      model.source = sourceAt(version, { safe });
      expect(model.settle().kind).toBe('converged');
    }
    expect(model.revisions.length).toBe(1);
    model.source = sourceAt('1.0.0');
    expect(model.settle()).toMatchObject({ kind: 'invalid', reason: 'InvalidConfiguration' });
    model.source = sourceAt('2.1.0');
    expect(model.settle().kind).toBe('converged');
  });

  it('P11 a forced way back by editing is used up by the revision that it let start', () => {
    const model = upgraded({ safe: false });
    model.source = sourceAt('1.0.0');
    model.annotate({ 'kubepkg.dev/force-rollback': '2.0.0' });
    expect(model.settle().kind).toBe('converged');
    expect(model.pkg.metadata.annotations).not.toHaveProperty('kubepkg.dev/force-rollback');
    model.source = sourceAt('2.0.0', { safe: false });
    model.settle();
    model.source = sourceAt('1.0.0');
    expect(model.settle()).toMatchObject({ kind: 'invalid' });
  });

  it('P12 a history of one keeps the failure that a rollback answers to', () => {
    const model = failed();
    model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, revisionHistoryLimit: 1 } };
    expect(model.settle()).toMatchObject({ reason: 'UpgradeRolledBack' });
    expect(phases(model)).toEqual(['RolledBack', 'Applied']);
  });
});
