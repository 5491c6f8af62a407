import { describe, expect, it } from 'vitest';
import { aComponent, aPackage, aSource } from '../../build/objects.ts';
import { Model } from './model.ts';

const OLD = [aComponent('app')];
const RENAMED = [aComponent('web', { releaseName: 'app' })];

function installed(): Model {
  const model = new Model(aPackage(), aSource(OLD));
  model.settle();
  model.actions.length = 0;
  return model;
}

describe('a component that is renamed and keeps its release', () => {
  it('goes on with it', () => {
    const model = installed();
    model.source = aSource(RENAMED, { version: '1.1.0' });
    expect(model.settle().kind).toBe('converged');
    expect([...model.releases.keys()]).toEqual(['shop/app']);
    expect(model.actions.some(({ kind }) => kind === 'uninstall')).toBe(false);
  });

  it('P10 is rolled back under its old name', () => {
    const model = installed();
    model.source = aSource(RENAMED, { version: '1.1.0', rollback: { safe: true } });
    model.outcomes.set('web', 'failed');
    expect(model.settle()).toMatchObject({ kind: 'stalled', reason: 'UpgradeRolledBack' });
    expect(model.deliveries()).toEqual(['web', 'app']);
  });

  it('P20 I13 goes with the package, whatever it was called last', () => {
    const model = installed();
    model.source = aSource(RENAMED, { version: '1.1.0' });
    model.outcomes.set('web', 'failed');
    model.settle();
    model.pkg = { ...model.pkg, metadata: { ...model.pkg.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    model.settle();
    expect([...model.releases.keys()]).toEqual([]);
  });
});
