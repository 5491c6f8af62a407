import { describe, expect, it } from 'vitest';
import type { ComponentProgress, PackageRevision } from '../../../src/api/package-revision.ts';
import type { SourceComponent } from '../../../src/api/package-source.ts';
import { formatTime } from '../../../src/lib/time.ts';
import { aComponent, aPackage, aSource } from '../../build/objects.ts';
import { present, PROGRESSING, RUNNING, UNOBSERVED } from '../../build/world.ts';
import { Model } from './model.ts';

const hook = (name: string, dependsOn: string[] = []): SourceComponent =>
  aComponent(name, { phase: 'PreUpgrade', dependsOn });
const APP = [aComponent('store'), aComponent('app', { dependsOn: ['store'] })];
const WITH_HOOKS = [hook('migrate', ['backup']), hook('backup'), ...APP];
const FAILED_JOB = { status: 'failed', message: 'Job shop/migrate: failed', notes: [], final: true } as const;

const sourceAt = (version: string, safe = false): ReturnType<typeof aSource> =>
  aSource(WITH_HOOKS, { version, rollback: { safe } });

function installed(): Model {
  const model = new Model(aPackage(), sourceAt('1.0.0'));
  model.settle();
  model.actions.length = 0;
  return model;
}

function hooksOf(revision: PackageRevision | undefined): readonly (readonly [string, ComponentProgress['state']])[] {
  return (revision?.status?.hooks ?? []).map(({ name, state }) => [name, state] as const);
}

const standing = (model: Model): readonly string[] => [...model.releases.keys()].sort();

describe('hooks', () => {
  it('P13 I3 run in their own order before every component, when the package moves to another version', () => {
    const model = installed();
    expect(model.deliveries()).toEqual([]);
    model.source = sourceAt('1.1.0');
    expect(model.settle().kind).toBe('converged');
    expect(model.deliveries()).toEqual(['backup', 'migrate', 'store', 'app']);
    expect(hooksOf(model.revisions.at(-1))).toEqual([
      ['backup', 'Ready'],
      ['migrate', 'Ready'],
    ]);
  });

  it('I3 begin only after a removal that the former revision began has ended', () => {
    const model = installed();
    model.source = aSource([APP[0] ?? hook('none')], { version: '1.1.0', rollback: { safe: true } });
    model.settle();
    const app = { observation: present(), delivery: RUNNING, health: UNOBSERVED };
    model.releases.set('shop/app', app);
    model.source = sourceAt('1.2.0');
    model.actions.length = 0;
    expect(model.settle()).toMatchObject({
      kind: 'wait',
      message: expect.stringMatching(/component app has ended/) as string,
    });
    expect(model.deliveries()).toEqual([]);
    model.releases.delete('shop/app');
    model.settle();
    expect(model.deliveries()).toEqual(['backup', 'migrate', 'store', 'app']);
  });

  it('P14 F54 the version that they come from is the one that runs, not one that was tried', () => {
    const model = installed();
    model.source = sourceAt('2.0.0');
    model.outcomes.set('store', 'failed');
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'UpgradeFailed' });
    model.outcomes.clear();
    model.source = sourceAt('2.1.0');
    expect(model.settle().kind).toBe('converged');
    const [, tried, moved] = model.revisions.map(({ spec }) => [spec.fromVersion, spec.version]);
    expect(tried).toEqual(['1.0.0', '2.0.0']);
    expect(moved).toEqual(['1.0.0', '2.1.0']);
  });

  it.each([
    ['a values change', (model: Model) => edit(model, { components: { app: { values: { a: 1 } } } })],
    ['a values change of the hook', (model: Model) => edit(model, { components: { migrate: { values: { a: 1 } } } })],
    ['a retry', (model: Model) => model.annotate({ 'kubepkg.dev/retry': '1' })],
    [
      'a new build of the same version',
      (model: Model) => {
        model.source = aSource(WITH_HOOKS, { version: '1.0.0', build: 2 });
      },
    ],
  ])('P13 F53 do not run for %s', (_what, change) => {
    const model = installed();
    change(model);
    expect(model.settle().kind).toBe('converged');
    expect(model.revisions.length).toBe(2);
    expect(model.deliveries()).not.toContain('migrate');
  });

  it('P13 P19 do not run in a rollback, not even to a revision that had run them', () => {
    const model = installed();
    for (const version of ['1.1.0', '1.2.0']) {
      model.source = sourceAt(version, true);
      model.settle();
    }
    model.actions.length = 0;
    model.annotate({ 'kubepkg.dev/rollback-to': '2' });
    expect(model.settle()).toMatchObject({ kind: 'converged', reason: 'RolledBack' });
    expect(model.deliveries()).not.toContain('migrate');
    expect(model.revisions.at(-1)?.spec).toMatchObject({ restoredFrom: 2 });
    expect(model.revisions.at(-1)?.spec.hooks).toBeUndefined();
  });

  it('P15 R10 one that fails stops the upgrade before anything else changed, and nothing is rolled back', () => {
    const model = installed();
    model.source = sourceAt('1.1.0', true);
    model.healths.set('migrate', FAILED_JOB);
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'UpgradeFailed' });
    expect(model.deliveries()).toEqual(['backup', 'migrate']);
    expect(model.revisions.map(({ status }) => status?.phase)).toEqual(['Applied', 'Failed']);
    expect(model.revisions.at(-1)?.status?.rollback).toBeUndefined();
    const failing = model.actions.find((action) => action.kind === 'record' && action.failed !== undefined);
    expect(failing).toMatchObject({ failed: { component: 'migrate', part: 'hooks' } });
  });

  it('P15 one that fails undoes nothing of an attempt before it either', () => {
    const model = installed();
    const upgrade = { atomic: false, timeout: '10m' };
    edit(model, { upgrade });
    model.source = sourceAt('2.0.0', true);
    model.outcomes.set('app', 'failed');
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'UpgradeFailed' });
    model.outcomes.clear();
    edit(model, { upgrade: { ...upgrade, atomic: true } });
    model.source = sourceAt('2.1.0', true);
    model.healths.set('migrate', FAILED_JOB);
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'UpgradeFailed' });
    expect(model.revisions.map(({ spec }) => spec.restoredFrom)).toEqual([undefined, undefined, undefined]);
  });

  it('P15 back to what runs after a failed hook needs its releases gone, and no other change', () => {
    const model = installed();
    model.source = sourceAt('1.1.0', true);
    model.healths.set('backup', FAILED_JOB);
    model.settle();
    model.actions.length = 0;
    model.source = sourceAt('1.0.0', true);
    expect(model.settle().kind).toBe('converged');
    expect(model.deliveries()).toEqual([]);
    expect(standing(model)).toEqual(['shop/app', 'shop/store']);
  });

  it('P12 P15 the spec set back to what runs after a failed hook of an unsafe version is Ready', () => {
    const model = installed();
    model.source = sourceAt('2.0.0');
    model.healths.set('backup', FAILED_JOB);
    model.settle();
    model.actions.length = 0;
    model.source = sourceAt('1.0.0');
    expect(model.settle().kind).toBe('converged');
    expect(model.deliveries()).toEqual([]);
  });

  it('P11 I4 a hook of an unsafe version that has run is not forgotten when nothing came after it', () => {
    const model = installed();
    model.source = sourceAt('2.0.0');
    for (let step = 0; step < 100 && hooksOf(model.revisions.at(-1)).at(-1)?.[1] !== 'Ready'; step += 1) {
      if (hooksOf(model.revisions.at(-1)).at(-1)?.[1] === 'Submitted') model.source = sourceAt('3.0.0', true);
      model.step();
    }
    model.healths.set('backup', FAILED_JOB);
    model.settle();
    expect(model.deliveries()).not.toContain('store');
    model.source = sourceAt('1.0.0');
    const decision = model.settle();
    expect(decision).toMatchObject({ kind: 'invalid', reason: 'InvalidConfiguration' });
    expect(decision.message).toContain('version 2.0.0 does not declare that going back is safe');
  });

  it('P15 one does not take the place of a component that runs', () => {
    const model = new Model(aPackage(), aSource([aComponent('migrate'), ...APP], { version: '1.0.0' }));
    model.settle();
    model.source = sourceAt('1.1.0');
    const decision = model.settle();
    expect(decision).toMatchObject({ kind: 'invalid', reason: 'InvalidConfiguration' });
    expect(decision.message).toContain('hook migrate would take the place of component migrate, release shop/migrate');
    expect(standing(model)).toEqual(['shop/app', 'shop/migrate', 'shop/store']);
    model.source = aSource([hook('backup'), ...APP], { version: '1.2.0' });
    expect(model.settle().kind).toBe('converged');
  });

  it('P16 their releases are uninstalled after success, again and again until they are gone', () => {
    const model = installed();
    model.stubborn.set('migrate', 2);
    model.source = sourceAt('1.1.0');
    expect(model.settle()).toMatchObject({ kind: 'wait', reason: 'ReconciliationSucceeded' });
    expect(model.revisions.at(-1)?.status?.phase).toBe('Applied');
    expect(model.rest().kind).toBe('converged');
    expect(standing(model)).toEqual(['shop/app', 'shop/store']);
  });

  it('P16 leftovers of a failed attempt are removed before the next run, which is a fresh one', () => {
    const model = installed();
    model.source = sourceAt('1.1.0');
    model.healths.set('backup', FAILED_JOB);
    model.settle();
    expect(standing(model)).toEqual(['shop/app', 'shop/backup', 'shop/store']);
    model.healths.clear();
    model.actions.length = 0;
    model.annotate({ 'kubepkg.dev/retry': '1' });
    expect(model.settle().kind).toBe('converged');
    const steps = model.actions.flatMap((action) =>
      'target' in action ? [`${action.kind} ${action.target.component}`] : [],
    );
    expect(steps.slice(0, 3)).toEqual(['uninstall backup', 'deliver backup', 'deliver migrate']);
    expect(model.actions.find(({ kind }) => kind === 'deliver')).toMatchObject({ mode: 'install' });
  });

  it('P16 a running migration is never cut off by a newer spec: it is awaited, and the next attempt runs its own', () => {
    const model = installed();
    model.source = sourceAt('1.1.0');
    model.healths.set('backup', PROGRESSING);
    model.settle();
    model.source = sourceAt('1.2.0');
    expect(model.settle().kind).toBe('wait');
    expect(model.revisions.length).toBe(2);
    model.healths.clear();
    expect(model.settle().kind).toBe('converged');
    const attempts = model.actions.flatMap((action) =>
      action.kind === 'deliver' ? [`${action.revision} ${action.component}`] : [],
    );
    expect(attempts).toEqual(['shop-2 backup', 'shop-3 backup', 'shop-3 migrate', 'shop-3 store', 'shop-3 app']);
    expect(model.revisions[1]?.status).toMatchObject({ phase: 'Failed', failure: { code: 'Interrupted' } });
    expect(model.revisions[2]?.spec.fromVersion).toBe('1.0.0');
  });

  it('P16 F72 a process that dies while its Job runs, comes back and waits for that Job', () => {
    const model = installed();
    model.source = sourceAt('1.1.0');
    model.healths.set('migrate', PROGRESSING);
    model.settle();
    model.crash();
    model.settle();
    model.healths.clear();
    expect(model.settle().kind).toBe('converged');
    expect(model.deliveries().filter((name) => name === 'migrate')).toEqual(['migrate']);
  });

  it.each([
    ['never', ['backup', 'backup'], 'converged'],
    ['some', ['backup'], 'converged'],
    ['unknown', ['backup'], 'stalled'],
  ] as const)('P16 cut off in mid-delivery with Jobs %s there', (jobs, deliveries, end) => {
    const model = installed();
    model.jobs.set('backup', jobs);
    model.outcomes.set('backup', 'interrupted');
    model.source = sourceAt('1.1.0');
    model.settle();
    model.crash();
    model.outcomes.clear();
    expect(model.rest().kind).toBe(end);
    expect(model.deliveries().filter((name) => name === 'backup')).toEqual(deliveries);
  });

  it('P16 cut off after its Job was made, it is awaited until that Job has ended', () => {
    const model = installed();
    model.jobs.set('migrate', 'some');
    model.outcomes.set('migrate', 'interrupted');
    model.healths.set('migrate', PROGRESSING);
    model.source = sourceAt('1.1.0');
    model.settle();
    model.crash();
    expect(model.settle().kind).toBe('wait');
    expect(model.settle().message).not.toContain('someone else');
    model.healths.clear();
    model.outcomes.clear();
    expect(model.settle().kind).toBe('converged');
    expect(model.deliveries().filter((name) => name === 'migrate')).toEqual(['migrate']);
  });

  it.each([
    ['while its controller is at work on it', 'underway'],
    ['while its process runs', 'pending'],
    ['after its delivery', 'delivered'],
  ] as const)('P16 one whose release somebody deletes %s is not run again by itself', (_, delivery) => {
    const model = installed();
    model.source = sourceAt('1.1.0');
    model.outcomes.set('backup', 'running');
    model.healths.set('backup', PROGRESSING);
    model.settle();
    const release = model.releases.get('shop/backup');
    if (release?.observation.state !== 'present') throw new Error('the hook was not begun');
    release.observation = { ...release.observation, revision: delivery === 'underway' ? 0 : 1, delivery };
    model.settle();
    model.crash();
    model.releases.delete('shop/backup');
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'UpgradeFailed' });
    const failure = model.revisions.at(-1)?.status?.failure;
    expect(failure).toMatchObject({ component: 'backup', code: 'HookUnprovable' });
    expect(failure?.message).toContain('removed by someone else');
    expect(model.deliveries()).toEqual(['backup']);
    model.outcomes.clear();
    model.healths.clear();
    model.annotate({ 'kubepkg.dev/retry': '1' });
    expect(model.settle().kind).toBe('converged');
    expect(model.deliveries()).toEqual(['backup', 'backup', 'migrate', 'store', 'app']);
  });

  it('P16 one whose release somebody deletes before it could be noted is not run again by the process that saw it', () => {
    const model = installed();
    model.source = sourceAt('1.1.0');
    untilBackupRuns(model);
    const release = model.releases.get('shop/backup');
    if (release?.observation.state !== 'present') throw new Error('the hook was not begun');
    const { token: lastToken } = release.observation;
    model.releases.set('shop/backup', {
      ...release,
      observation: { state: 'absent' },
      lastToken,
      delivery: { kind: 'none' },
    });
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'UpgradeFailed' });
    expect(model.deliveries()).toEqual(['backup']);
  });

  it('P16 one whose release somebody deletes while the package is suspended is not run again by itself', () => {
    const model = installed();
    model.source = sourceAt('1.1.0');
    untilBackupRuns(model);
    edit(model, { suspend: true });
    expect(model.settle()).toMatchObject({ kind: 'wait', reason: 'Suspended' });
    model.crash();
    model.releases.delete('shop/backup');
    edit(model, { suspend: false });
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'UpgradeFailed' });
    expect(model.deliveries()).toEqual(['backup']);
  });

  it('P16 one whose process died before anything was written is begun again', () => {
    const model = installed();
    model.source = sourceAt('1.1.0');
    model.diesBeforeDelivery = true;
    expect(model.rest().kind).toBe('converged');
    expect(model.deliveries()).toEqual(['backup', 'backup', 'migrate', 'store', 'app']);
  });

  it('P9 P16 one that another process begins again keeps its start, which its own Jobs are known by, and has a new clock', () => {
    const model = installed();
    model.source = sourceAt('1.1.0');
    model.diesBeforeDelivery = true;
    untilBackupRuns(model);
    const begun = model.revisions.at(-1)?.status?.hooks?.[0];
    model.now += 300_000;
    model.watchingSince = model.now;
    model.settle();
    expect(model.deliveries()).toEqual(['backup', 'backup']);
    expect(model.revisions.at(-1)?.status?.hooks?.[0]).toMatchObject({
      startedAt: begun?.startedAt,
      awaitedSince: formatTime(model.now),
      deadline: formatTime(model.now + 600_000),
    });
  });

  it('P9 one that is not done at its deadline fails, with a clock of its own', () => {
    const model = installed();
    model.source = sourceAt('1.1.0');
    model.healths.set('migrate', PROGRESSING);
    model.settle();
    model.now += 600_000;
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'UpgradeFailed' });
    expect(model.revisions.at(-1)?.status?.failure).toMatchObject({ component: 'migrate', code: 'DeadlineExceeded' });
  });

  it('P17 are not in the recorded components of a revision', () => {
    const model = installed();
    model.source = sourceAt('1.1.0');
    model.settle();
    expect(model.revisions.map(({ spec }) => spec.components?.map(({ name }) => name))).toEqual([
      ['store', 'app'],
      ['store', 'app'],
    ]);
  });
});

/** Until the delivery of the first hook is under way, and nothing was decided since. */
function untilBackupRuns(model: Model): void {
  model.outcomes.set('backup', 'running');
  for (let step = 0; step < 50 && model.deliveries().length === 0; step += 1) model.step();
}

function edit(model: Model, spec: Partial<Model['pkg']['spec']>): void {
  model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, ...spec } };
}
