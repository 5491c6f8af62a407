import { describe, expect, it } from 'vitest';
import { ANNOTATION, FINALIZER } from '../../../src/api/names.ts';
import { aComponent, aPackage, aSource } from '../../build/objects.ts';
import { PROGRESSING, READY } from '../../build/world.ts';
import { Model } from './model.ts';

const FOUR = [
  aComponent('front', { dependsOn: ['app'] }),
  aComponent('widgets'),
  aComponent('store'),
  aComponent('app', { dependsOn: ['store', 'widgets'] }),
];

const sourceAt = (version: string): ReturnType<typeof aSource> => aSource(FOUR, { version });

function installed(): Model {
  const model = new Model(aPackage(), sourceAt('1.0.0'));
  model.settle();
  model.actions.length = 0;
  return model;
}

function phases(model: Model): readonly (string | undefined)[] {
  return model.revisions.map((revision) => revision.status?.phase);
}

const readyOf = (model: Model): string | undefined =>
  model.pkg.status?.conditions?.find((condition) => condition.type === 'Ready')?.status;
const availableOf = (model: Model): string | undefined =>
  model.pkg.status?.conditions?.find((condition) => condition.type === 'Available')?.status;

describe('a package through its life', () => {
  it('P1 installs in the order of dependsOn, ties in order of declaration', () => {
    const model = new Model(aPackage({}, { finalizers: [] }), sourceAt('1.0.0'));
    const decision = model.settle();
    expect(decision.kind).toBe('converged');
    expect(model.deliveries()).toEqual(['widgets', 'store', 'app', 'front']);
    expect(model.actions[0]?.kind).toBe('add-finalizer');
    expect(phases(model)).toEqual(['Applied']);
    expect([readyOf(model), availableOf(model)]).toEqual(['True', 'True']);
  });

  it('P1 upgrades in the same order, and retires the former revision', () => {
    const model = installed();
    model.source = sourceAt('1.1.0');
    expect(model.settle().kind).toBe('converged');
    expect(model.deliveries()).toEqual(['widgets', 'store', 'app', 'front']);
    expect(phases(model)).toEqual(['Superseded', 'Applied']);
    expect(model.pkg.status?.version).toBe('1.1.0');
  });

  it('P22 an applied revision is left alone', () => {
    const model = installed();
    expect(model.settle().kind).toBe('converged');
    expect(model.actions).toEqual([]);
  });

  it('P22 a values change of one component touches only that one', () => {
    const model = installed();
    model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, components: { app: { values: { replicas: 3 } } } } };
    expect(model.settle().kind).toBe('converged');
    expect(model.deliveries()).toEqual(['app']);
    expect(model.revisions[1]?.status?.components?.map(({ attempt }) => attempt)).toEqual([0, 0, 1, 0]);
  });

  it.each([
    { edit: 'a longer history', spec: { revisionHistoryLimit: 3 } },
    { edit: 'a longer timeout', spec: { upgrade: { atomic: true, timeout: '20m' } } },
    { edit: 'a constraint that selects the same version', spec: { version: '>=1.0' } },
  ])('P22 $edit makes no new revision', ({ spec }) => {
    const model = installed();
    model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, ...spec } };
    expect(model.settle().kind).toBe('converged');
    expect(model.revisions).toHaveLength(1);
  });

  it('P1 a component that is not ready holds the next ones back', () => {
    const model = new Model(aPackage(), sourceAt('1.0.0'));
    model.healths.set('store', PROGRESSING);
    const decision = model.settle();
    expect(decision).toMatchObject({ kind: 'wait', reason: 'Progressing' });
    expect(decision.message).toContain('store (2 of 4)');
    expect(model.deliveries()).toEqual(['widgets', 'store']);
  });

  it('P9 it fails at its own deadline, counted from its own start; nothing after it was begun', () => {
    const model = new Model(aPackage({ upgrade: { atomic: true, timeout: '5m' } }), sourceAt('1.0.0'));
    model.healths.set('widgets', PROGRESSING);
    model.settle();
    model.now += 290_000;
    model.healths.set('widgets', READY);
    model.healths.set('store', PROGRESSING);
    model.settle();
    model.now += 290_000;
    expect(model.settle().kind).toBe('wait');
    model.now += 10_000;
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'UpgradeFailed' });
    expect(model.revisions[0]?.status).toMatchObject({
      phase: 'Failed',
      failure: { component: 'store', code: 'DeadlineExceeded' },
    });
    expect(model.deliveries()).toEqual(['widgets', 'store']);
  });

  it('P9 a raised timeout extends a running wait, a lowered one does not shorten it', () => {
    const model = new Model(aPackage({ upgrade: { atomic: true, timeout: '5m' } }), sourceAt('1.0.0'));
    model.healths.set('widgets', PROGRESSING);
    model.settle();
    model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, upgrade: { atomic: true, timeout: '1m' } } };
    model.now += 299_000;
    expect(model.settle().kind).toBe('wait');
    model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, upgrade: { atomic: true, timeout: '10m' } } };
    model.now += 300_000;
    expect(model.settle().kind).toBe('wait');
    model.now += 1000;
    expect(model.settle().kind).toBe('stalled');
  });

  it('P12 after a failure nothing is retried until the desired state changes', () => {
    const model = new Model(aPackage(), sourceAt('1.0.0'));
    model.outcomes.set('store', 'failed');
    expect(model.settle().kind).toBe('stalled');
    model.actions.length = 0;
    model.now += 3_600_000;
    expect(model.settle().kind).toBe('stalled');
    expect(model.actions).toEqual([]);
    model.outcomes.clear();
    model.pkg = { ...model.pkg, metadata: { ...model.pkg.metadata, annotations: { 'kubepkg.dev/retry': '1' } } };
    expect(model.settle().kind).toBe('converged');
    expect(model.deliveries()).toEqual(['store', 'app', 'front']);
  });

  it('P12 after a missed deadline a raised timeout is a reason to try again', () => {
    const model = new Model(aPackage({ upgrade: { atomic: true, timeout: '1m' } }), sourceAt('1.0.0'));
    model.healths.set('store', PROGRESSING);
    model.settle();
    model.now += 60_000;
    expect(model.settle().kind).toBe('stalled');
    model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, upgrade: { atomic: true, timeout: '2m' } } };
    expect(model.settle().kind).toBe('wait');
    model.healths.set('store', READY);
    expect(model.settle().kind).toBe('converged');
  });

  it('F70 a failed attempt that changed nothing, with the spec set back, is Ready without a backend change', () => {
    const model = installed();
    model.source = sourceAt('1.1.0');
    model.releases.set('shop/widgets', {
      observation: { state: 'foreign', message: 'belongs to someone else' },
      delivery: { kind: 'none' },
      health: READY,
    });
    expect(model.settle().kind).toBe('invalid');
    model.source = sourceAt('1.0.0');
    model.releases.delete('shop/widgets');
    expect(model.deliveries()).toEqual([]);
  });

  it('P12 I11 a failed attempt that changed nothing after one that did is no reason to believe that the old state runs', () => {
    const model = installed();
    model.source = sourceAt('1.1.0');
    model.outcomes.set('store', 'failed');
    expect(model.settle().kind).toBe('stalled');
    model.outcomes.clear();
    model.healths.set('widgets', PROGRESSING);
    model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, components: { front: { values: { replicas: 3 } } } } };
    model.settle();
    model.now += 600_000;
    expect(model.settle().kind).toBe('stalled');
    expect(model.revisions.at(-1)?.status?.components?.every(({ attempt = 0 }) => attempt === 0)).toBe(true);
    model.healths.clear();
    model.actions.length = 0;
    model.source = sourceAt('1.0.0');
    model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, components: {} } };
    model.annotate({ 'kubepkg.dev/force-rollback': '1.1.0' });
    expect(model.settle().kind).toBe('converged');
    expect(model.deliveries()).toEqual(['widgets', 'store']);
  });

  it('P22 a release that somebody else changed after the package was applied is Degraded, and left alone', () => {
    const model = installed();
    const release = model.releases.get('shop/store');
    if (release?.observation.state === 'present') release.observation = { ...release.observation, revision: 2 };
    expect(model.settle()).toMatchObject({
      kind: 'wait',
      reason: 'Degraded',
      message: expect.stringContaining('shop/store') as string,
    });
    expect(model.actions).toEqual([]);
    model.pkg = { ...model.pkg, metadata: { ...model.pkg.metadata, annotations: { 'kubepkg.dev/retry': '1' } } };
    expect(model.settle().kind).toBe('converged');
    expect(model.deliveries()).toEqual(['store']);
  });

  it('P12 a retry token that arrives in mid-flight is honoured after the revision', () => {
    const model = new Model(aPackage(), sourceAt('1.0.0'));
    model.healths.set('store', PROGRESSING);
    model.settle();
    model.pkg = { ...model.pkg, metadata: { ...model.pkg.metadata, annotations: { 'kubepkg.dev/retry': '1' } } };
    expect(model.settle().kind).toBe('wait');
    expect(model.revisions).toHaveLength(1);
    model.healths.clear();
    expect(model.settle().kind).toBe('converged');
    expect(phases(model)).toEqual(['Superseded', 'Applied']);
    expect(model.deliveries()).toEqual(['widgets', 'store', 'app', 'front']);
  });

  it('P1 one that was ready and degrades before the next one starts is waited for again, with one fresh deadline', () => {
    const model = new Model(aPackage({ upgrade: { atomic: true, timeout: '5m' } }), sourceAt('1.0.0'));
    model.healths.set('store', PROGRESSING);
    model.settle();
    model.healths.set('widgets', PROGRESSING);
    model.healths.set('store', READY);
    model.now += 200_000;
    expect(model.settle()).toMatchObject({ kind: 'wait' });
    expect(model.deliveries()).toEqual(['widgets', 'store']);
    expect(model.revisions[0]?.status?.components?.[0]).toMatchObject({ state: 'Submitted', rewaits: 1 });
    model.now += 299_000;
    expect(model.settle().kind).toBe('wait');
    model.healths.set('widgets', READY);
    expect(model.settle().kind).toBe('converged');
  });

  it('P1 one that was right, goes while it is waited for and has to be made again, waits for those before it', () => {
    const model = installed();
    model.healths.set('app', PROGRESSING);
    model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, components: { store: { values: { replicas: 3 } } } } };
    expect(model.settle().kind).toBe('wait');
    expect(model.revisions[1]?.status?.components?.[2]).toMatchObject({ name: 'app', state: 'Submitted', attempt: 0 });
    model.healths.set('store', PROGRESSING);
    model.releases.delete('shop/app');
    model.now += 60_000;
    expect(model.settle()).toMatchObject({ kind: 'wait', message: expect.stringContaining('store') as string });
    expect(model.deliveries()).toEqual(['store']);
    expect(model.revisions[1]?.status?.components?.slice(1, 3)).toMatchObject([
      { name: 'store', state: 'Submitted', rewaits: 1 },
      { name: 'app', state: 'Pending' },
    ]);
    model.healths.clear();
    expect(model.settle().kind).toBe('converged');
    expect(model.deliveries()).toEqual(['store', 'app']);
  });

  it('a component dropped by an upgrade is removed after the commit', () => {
    const model = installed();
    model.source = aSource(
      FOUR.filter((component) => component.name !== 'front'),
      { version: '1.1.0' },
    );
    expect(model.settle().kind).toBe('converged');
    const kinds = model.actions.map((action) => action.kind);
    expect(kinds.indexOf('uninstall')).toBeGreaterThan(kinds.lastIndexOf('deliver'));
    expect(model.releases.has('shop/front')).toBe(false);
  });

  it('a newer desired state waits for the running delivery, then takes over; nothing is undone', () => {
    const model = installed();
    model.source = sourceAt('1.1.0');
    model.outcomes.set('store', 'running');
    expect(model.settle().kind).toBe('wait');
    model.source = sourceAt('1.2.0');
    expect(model.settle()).toMatchObject({ kind: 'wait', reason: 'Progressing' });
    expect(phases(model)).toEqual(['Applied', 'Applying']);
    model.outcomes.clear();
    model.crash();
    expect(model.settle().kind).toBe('converged');
    expect(phases(model)).toEqual(['Superseded', 'Failed', 'Applied']);
    expect(model.revisions[1]?.status?.failure?.code).toBe('Interrupted');
  });

  it('a version waits for the change of the Package that was given with it, and the old one stays as it is', () => {
    const model = installed();
    const { metadata, spec } = model.pkg;
    const source = sourceAt('1.1.0');
    const annotations = {
      [ANNOTATION.awaitsGeneration]: `${metadata.uid ?? ''}/${String((metadata.generation ?? 0) + 1)}`,
    };
    model.source = { ...source, metadata: { ...source.metadata, annotations } };
    expect(model.settle()).toMatchObject({ kind: 'wait', reason: 'Progressing' });
    expect(phases(model)).toEqual(['Applied']);
    const components = { app: { values: { replicas: 3 } } };
    model.pkg = {
      ...model.pkg,
      metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 },
      spec: { ...spec, components },
    };
    expect(model.settle().kind).toBe('converged');
    expect(phases(model)).toEqual(['Superseded', 'Applied']);
  });

  it('P3 a package starts only when its requirements are met, and a running revision is not stopped by them', () => {
    const model = new Model(aPackage(), sourceAt('1.0.0'));
    model.unmet = ['package db is not installed'];
    expect(model.settle()).toMatchObject({ kind: 'wait', reason: 'RequirementsNotMet' });
    expect(model.revisions).toEqual([]);
    model.unmet = [];
    model.healths.set('store', PROGRESSING);
    model.settle();
    model.unmet = ['package db is not available'];
    model.healths.set('store', READY);
    expect(model.settle().kind).toBe('converged');
  });

  it('suspended, it takes no further step', () => {
    const model = new Model(aPackage({ suspend: true }), sourceAt('1.0.0'));
    expect(model.settle()).toMatchObject({ kind: 'wait', reason: 'Suspended' });
    expect(model.actions).toEqual([]);
  });

  it('R2 a crash in the middle resumes at the component that was reached and delivers nothing twice', () => {
    const model = new Model(aPackage(), sourceAt('1.0.0'));
    model.healths.set('app', PROGRESSING);
    model.settle();
    model.crash();
    model.healths.set('app', READY);
    expect(model.settle().kind).toBe('converged');
    expect(model.deliveries()).toEqual(['widgets', 'store', 'app', 'front']);
  });

  it('a delivery that its process did not survive is unlocked and driven again', () => {
    const model = new Model(aPackage(), sourceAt('1.0.0'));
    model.outcomes.set('store', 'running');
    model.settle();
    model.crash();
    model.outcomes.clear();
    expect(model.settle().kind).toBe('converged');
    expect(model.actions.filter((action) => action.kind === 'unlock')).toHaveLength(1);
    expect(model.deliveries()).toEqual(['widgets', 'store', 'store', 'app', 'front']);
  });

  it('history is bounded and keeps the applied revision', () => {
    const model = new Model(aPackage({ revisionHistoryLimit: 2 }), sourceAt('1.0.0'));
    for (const version of ['1.0.0', '1.1.0', '1.2.0', '1.3.0']) {
      model.source = sourceAt(version);
      model.settle();
    }
    expect(model.revisions.map((revision) => revision.spec.version)).toEqual(['1.2.0', '1.3.0']);
    expect(phases(model)).toEqual(['Superseded', 'Applied']);
  });

  it('P20 removal uninstalls in reverse order and lets the Package go last', () => {
    const model = installed();
    model.pkg = { ...model.pkg, metadata: { ...model.pkg.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    model.settle();
    const removed = model.actions.flatMap((action) => (action.kind === 'uninstall' ? [action.target.component] : []));
    expect(removed).toEqual(['front', 'app', 'store', 'widgets']);
    expect(model.actions.at(-1)?.kind).toBe('release-finalizer');
    expect(model.pkg.metadata.finalizers).not.toContain(FINALIZER);
  });

  it('without a source it says so and touches nothing', () => {
    const model = new Model(aPackage(), undefined);
    expect(model.settle()).toMatchObject({ kind: 'wait', reason: 'PackageSourceNotFound' });
  });

  it('an applied package whose component is broken is Degraded, not upgraded', () => {
    const model = installed();
    model.healths.set('store', PROGRESSING);
    expect(model.settle()).toMatchObject({ kind: 'wait', reason: 'Degraded' });
    expect([readyOf(model), availableOf(model)]).toEqual(['False', 'False']);
    expect(model.actions).toEqual([]);
  });

  it('actions are plain JSON', () => {
    const model = installed();
    model.source = aSource(FOUR.slice(1, 3), { version: '1.1.0' });
    model.settle();
    expect(JSON.parse(JSON.stringify(model.actions))).toEqual(model.actions);
  });
});
