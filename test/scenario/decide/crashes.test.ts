import { describe, expect, it } from 'vitest';
import type { Action } from '../../../src/domain/decide/decision.ts';
import { aComponent, aPackage, aSource } from '../../build/objects.ts';
import { PROGRESSING, READY } from '../../build/world.ts';
import { Model } from './model.ts';

const TWO = [aComponent('store'), aComponent('app', { dependsOn: ['store'] })];
const MINUTE = 60_000;

function started(timeout = '10m'): Model {
  return new Model(aPackage({ upgrade: { atomic: true, timeout } }), aSource(TWO));
}

function deliveries(model: Model): readonly Extract<Action, { kind: 'deliver' }>[] {
  return model.actions.flatMap((action) => (action.kind === 'deliver' ? [action] : []));
}

const phases = (model: Model): readonly (string | undefined)[] => model.revisions.map(({ status }) => status?.phase);

describe('R2 a process that dies', () => {
  it('between the journal and the backend: the same attempt is driven again, and nothing is written anew', () => {
    const model = started();
    model.diesBeforeDelivery = true;
    expect(model.settle().kind).toBe('converged');
    expect(deliveries(model).map(({ component, attempt }) => `${component} ${String(attempt)}`)).toEqual([
      'store 1',
      'store 1',
      'app 1',
    ]);
    expect(deliveries(model)[1]).not.toHaveProperty('status');
  });

  it('P9 between the journal and the backend, and is away for long: its time begins when it is driven again', () => {
    const model = started();
    model.diesBeforeDelivery = true;
    while (deliveries(model).length === 0) model.step();
    model.now += 60 * MINUTE;
    model.healths.set('store', PROGRESSING);
    expect(model.settle()).toMatchObject({ kind: 'wait', until: model.now + 10 * MINUTE });
    expect(deliveries(model).map(({ component, attempt }) => `${component} ${String(attempt)}`)).toEqual([
      'store 1',
      'store 1',
    ]);
    model.now += 10 * MINUTE;
    expect(model.settle().kind).toBe('stalled');
  });

  it('before it saved the values of a revision: they are saved while the Package still has them', () => {
    const pkg = aPackage({ components: { app: { values: { replicas: 3 } } } });
    const model = new Model(pkg, aSource(TWO));
    model.settle();
    model.saved.clear();
    model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, components: { app: { values: { replicas: 4 } } } } };
    while (model.revisions.length === 1) model.step();
    model.crash();
    expect(model.settle().kind).toBe('converged');
    expect(model.actions.filter(({ kind }) => kind === 'save-values').length).toBeGreaterThanOrEqual(1);
  });

  it('P9 has a minute of observation before what it waited for can fail', () => {
    const model = started('1m');
    model.healths.set('store', PROGRESSING);
    model.settle();
    model.now += 10 * MINUTE;
    model.crash();
    expect(model.settle().kind).toBe('wait');
    model.now += MINUTE - 1;
    expect(model.settle().kind).toBe('wait');
    model.now += 1;
    expect(model.settle().kind).toBe('stalled');
  });
});

describe('P9 whatever is tried again', () => {
  it('R11 a delivery that fails for reasons that may pass is tried within the one deadline', () => {
    const model = started('10m');
    model.outcomes.set('store', 'transient');
    const begun = model.now;
    expect(model.rest()).toMatchObject({ kind: 'stalled', reason: 'UpgradeFailed' });
    expect(model.revisions[0]?.status?.failure?.code).toBe('DeadlineExceeded');
    expect(model.now - begun).toBe(10 * MINUTE);
    expect(deliveries(model).length).toBeGreaterThan(3);
  });

  it('R11 why an attempt failed, and how many there were, is in the journal while the next one is awaited', () => {
    const model = started('10m');
    model.outcomes.set('store', 'transient');
    expect(model.settle().kind).toBe('wait');
    const [store] = model.revisions[0]?.status?.components ?? [];
    expect(store?.message).toMatch(/attempt 1 .* it did not work/);
    expect(model.settle().kind).toBe('wait');
  });

  it('a component that degrades again and again has one fresh deadline, not one each time', () => {
    const model = started('10m');
    model.healths.set('app', PROGRESSING);
    model.settle();
    const flap = (): void => {
      model.healths.set('store', PROGRESSING);
      model.healths.set('app', READY);
      model.settle();
      model.healths.set('store', READY);
      model.healths.set('app', PROGRESSING);
      model.settle();
    };
    flap();
    const first = model.revisions[0]?.status?.components?.[0]?.deadline;
    model.now += 4 * MINUTE;
    flap();
    expect(model.revisions[0]?.status?.components?.[0]).toMatchObject({ rewaits: 2, deadline: first });
  });

  it('a delivery that outlives its deadline is stopped, and its record is settled', () => {
    const model = started('10m');
    model.outcomes.set('store', 'running');
    model.settle();
    model.now += 10 * MINUTE;
    expect(model.rest().kind).toBe('stalled');
    expect(model.actions.map(({ kind }) => kind)).toContain('stop');
    expect(model.releases.get('shop/store')?.observation).toMatchObject({ delivery: 'failed' });
  });

  it('F74 a record that a failed revision left pending is settled, whatever the revision failed of', () => {
    const model = started();
    model.outcomes.set('store', 'interrupted');
    model.settle();
    model.now += 10 * MINUTE;
    expect(model.settle().kind).toBe('stalled');
    expect(phases(model)).toEqual(['Failed']);
    expect(model.actions.at(-1)?.kind).toBe('unlock');
    expect(model.releases.get('shop/store')?.observation).toMatchObject({ delivery: 'failed' });
  });
});

describe('a newer desired state', () => {
  it('P3 does not take over before it could start: the running revision goes on', () => {
    const model = started();
    model.healths.set('store', PROGRESSING);
    model.settle();
    model.source = aSource(TWO, { version: '1.1.0' });
    model.unmet = ['package db is not installed'];
    model.healths.clear();
    expect(model.settle()).toMatchObject({ kind: 'wait', reason: 'RequirementsNotMet' });
    expect(phases(model)).toEqual(['Applied']);
    model.unmet = [];
    expect(model.settle().kind).toBe('converged');
    expect(phases(model)).toEqual(['Superseded', 'Applied']);
  });

  it('P13 a hook does not run on a first install, nor for a change of values', () => {
    const model = new Model(aPackage(), aSource([...TWO, aComponent('migrate', { phase: 'PreUpgrade' })]));
    expect(model.settle().kind).toBe('converged');
    model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, components: { app: { values: { a: 1 } } } } };
    expect(model.settle().kind).toBe('converged');
    expect(model.deliveries()).toEqual(['store', 'app', 'app']);
  });
});
