import { describe, expect, it } from 'vitest';
import { aComponent, aPackage, aSource } from '../../build/objects.ts';
import { PROGRESSING, RUNNING } from '../../build/world.ts';
import { Model } from './model.ts';

const TWO = [aComponent('store'), aComponent('app', { dependsOn: ['store'] })];

function installed(): Model {
  const model = new Model(aPackage(), aSource(TWO));
  model.settle();
  model.actions.length = 0;
  return model;
}

function steps(model: Model): readonly string[] {
  return model.actions.flatMap((action) =>
    action.kind === 'deliver' || action.kind === 'uninstall'
      ? [`${action.kind} ${action.target.namespace}/${action.target.releaseName}`]
      : [],
  );
}

function edit(model: Model, spec: Partial<Model['pkg']['spec']>): void {
  model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, ...spec } };
}

describe('a component that has another place', () => {
  it('is taken away from its former one first', () => {
    const model = installed();
    edit(model, { components: { store: { namespace: 'data' } } });
    expect(model.settle().kind).toBe('converged');
    expect(steps(model)).toEqual(['uninstall shop/store', 'deliver data/store']);
  });

  it('P10 makes its revision unsafe to roll back from', () => {
    const model = installed();
    model.source = aSource(TWO, { version: '1.1.0', rollback: { safe: true } });
    edit(model, { components: { store: { releaseName: 'store2' } } });
    model.outcomes.set('app', 'failed');
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'UpgradeFailed' });
    expect(model.revisions.at(-1)?.spec.rollbackSafe).toBe(false);
  });

  it('P9 has one deadline for the removal and the delivery', () => {
    const model = installed();
    edit(model, { components: { store: { namespace: 'data' } } });
    model.stubborn.set('store', 100);
    expect(model.settle().kind).toBe('wait');
    model.now += 600_000;
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'UpgradeFailed' });
  });

  it.each<[string, (model: Model) => void]>([
    [
      'something newer',
      (model) => {
        model.source = aSource(TWO, { version: '1.2.0' });
      },
    ],
    [
      'a way back',
      (model) => {
        model.annotate({ 'kubepkg.dev/rollback-to': '1', 'kubepkg.dev/force-rollback': '1.0.0' });
      },
    ],
  ])('P9 whose former place does not go is waited for by %s no longer than a component has', (_say, change) => {
    const model = installed();
    edit(model, { components: { store: { namespace: 'data' } } });
    model.stubborn.set('store', 1);
    model.settle();
    model.now += 600_000;
    model.settle();
    const since = model.now;
    const store = model.releases.get('shop/store');
    if (store === undefined) throw new Error('store is gone');
    store.delivery = { ...RUNNING, since, grantedUntil: since };
    change(model);
    model.actions.length = 0;
    expect(model.settle()).toMatchObject({ kind: 'wait', until: since + 600_000 });
    expect(model.actions.map(({ kind }) => kind)).not.toContain('deliver');
    model.now = since + 600_000;
    expect(model.rest().kind).toBe('converged');
    expect(model.actions.map(({ kind }) => kind)).toContain('stop');
    expect(model.now).toBeLessThan(since + 1_200_000);
  });

  it('that only a superseded revision had is removed in the end', () => {
    const model = installed();
    model.source = aSource([...TWO, aComponent('extra')], { version: '1.1.0' });
    model.healths.set('extra', PROGRESSING);
    model.settle();
    model.source = aSource(TWO, { version: '1.2.0' });
    expect(model.settle().kind).toBe('converged');
    expect([...model.releases.keys()].sort()).toEqual(['shop/app', 'shop/store']);
  });

  it('dropped, whose removal hangs, leaves the upgrade applied and Ready', () => {
    const model = installed();
    model.stubborn.set('store', 1000);
    model.source = aSource([aComponent('app')], { version: '1.1.0' });
    expect(model.settle()).toMatchObject({ kind: 'wait', reason: 'ReconciliationSucceeded' });
    expect(model.revisions.at(-1)?.status?.phase).toBe('Applied');
    const conditions = model.pkg.status?.conditions ?? [];
    expect(conditions.find(({ type }) => type === 'Ready')?.status).toBe('True');
    expect(conditions.find(({ type }) => type === 'Reconciling')?.status).toBe('True');
  });
});

describe('suspension', () => {
  it('P9 stops the clock of what is awaited', () => {
    const model = installed();
    model.source = aSource(TWO, { version: '1.1.0' });
    model.healths.set('store', PROGRESSING);
    model.settle();
    model.now += 500_000;
    edit(model, { suspend: true });
    expect(model.settle().reason).toBe('Suspended');
    model.now += 24 * 3_600_000;
    expect(model.settle().reason).toBe('Suspended');
    edit(model, { suspend: false });
    expect(model.settle().kind).toBe('wait');
    model.now += 99_000;
    expect(model.settle().kind).toBe('wait');
    model.now += 1000;
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'UpgradeFailed' });
  });

  it('P9 a timeout that is raised after a suspension counts as if there had been none', () => {
    const model = installed();
    model.source = aSource(TWO, { version: '1.1.0' });
    model.healths.set('store', PROGRESSING);
    model.settle();
    edit(model, { suspend: true });
    model.settle();
    model.now += 3_600_000;
    edit(model, { suspend: false, upgrade: { atomic: true, timeout: '20m' } });
    model.settle();
    model.now += 19 * 60_000;
    expect(model.settle().kind).toBe('wait');
    model.now += 61_000;
    expect(model.settle().kind).toBe('stalled');
  });
});
