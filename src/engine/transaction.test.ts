import { beforeEach, describe, expect, it } from 'vitest';
import { aComponent } from '../../test/build/objects.ts';
import { EngineWorld } from '../../test/fakes/engine-world.ts';
import { KubepkgError } from '../api/errors.ts';
import { API_VERSION } from '../api/names.ts';
import { asArray, asString, at } from '../lib/json.ts';
import { parseTime } from '../lib/time.ts';
import type { DesiredRelease } from '../ports/backend.ts';

const SOURCE = [aComponent('migrate', { phase: 'PreUpgrade' }), aComponent('app')];
const JOB = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop', name: 'migrate' };

describe('an upgrade is a transaction', () => {
  let world: EngineWorld;

  beforeEach(async () => {
    world = new EngineWorld();
    world.addSource(SOURCE, { version: '1.0.0' });
    world.addPackage({ components: { app: { values: { color: 'red' } } } });
    await world.start();
    await world.settle();
  });

  async function upgrade(): Promise<void> {
    world.addSource(SOURCE, { version: '2.0.0', rollback: { safe: true } });
    world.editPackage({ components: { app: { values: { color: 'blue' } } } });
    await world.settle();
  }

  const deliveredOf = (component: string): readonly DesiredRelease[] =>
    world.backend.delivered.filter((release) => release.component === component);

  it('P13 P14 its hook is delivered first, and told from which version to which', async () => {
    expect(deliveredOf('migrate')).toEqual([]);
    await upgrade();
    expect(world.condition('Ready')).toBe('True ReconciliationSucceeded');
    expect(deliveredOf('migrate').map(({ values }) => values)).toEqual([
      { kubepkg: { fromVersion: '1.0.0', toVersion: '2.0.0' } },
    ]);
    expect(deliveredOf('app').map(({ hookSince }) => hookSince)).toEqual([undefined, undefined]);
    expect(world.backend.submitted).toEqual([
      'install shop/app',
      'install shop/migrate',
      'upgrade shop/app',
      'uninstall shop/migrate',
    ]);
  });

  it('P16 a backend is told since when a hook runs, and that nothing of it can be there when it begins', async () => {
    const told: DesiredRelease['hookSince'][] = [];
    world.backend.refusal = ({ component, hookSince }) => {
      if (component !== 'migrate' || told.push(hookSince) > 1) return undefined;
      return { kind: 'failed', error: new KubepkgError('WebhookNotAnswering', 'no answer') };
    };
    await upgrade();
    await world.advance(60_000);
    const hooks = world.cluster.all('PackageRevision').flatMap((revision) => asArray(at(revision, 'status', 'hooks')));
    const [startedAt = ''] = hooks.map((hook) => asString(at(hook, 'startedAt')));
    expect(told).toEqual(['now', parseTime(startedAt)]);
  });

  it('P21 a release that somebody else makes in the place of a hook fails it, and is neither stopped nor looked into', async () => {
    const { apiVersion, kind, ...metadata } = JOB;
    world.backend.refusal = (release) => {
      if (release.component !== 'migrate') return undefined;
      world.cluster.put({ apiVersion, kind, metadata, status: { active: 1 } });
      world.backend.leave(release, { owner: 'somebody', inventory: [JOB] });
      return { kind: 'failed', error: new KubepkgError('ApiConflict', 'it changed') };
    };
    await upgrade();
    await world.advance(60_000);
    expect(world.condition('Ready')).toBe('False UpgradeFailed');
    expect(world.cluster.get(JOB)).not.toHaveProperty('spec');
    const failed = world.cluster.all('PackageRevision').find((each) => at(each, 'status', 'phase') === 'Failed');
    expect(at(failed, 'status', 'evidence')).toBeUndefined();
  });

  it('P15 P16 the Job of a hook that is not done at its deadline does not run on', async () => {
    const { apiVersion, kind, ...metadata } = JOB;
    world.backend.objects = ({ component }) => (component === 'migrate' ? [{ apiVersion, kind, metadata }] : []);
    await upgrade();
    await world.advance(601_000);
    expect(world.condition('Ready')).toBe('False UpgradeFailed');
    expect(world.cluster.get(JOB)).toMatchObject({ spec: { suspend: true } });
    expect(deliveredOf('app')).toHaveLength(1);
    const evidence = { component: 'migrate', findings: [expect.stringContaining('Job shop/migrate') as string] };
    expect(world.object('PackageRevision', 'shop-2')).toMatchObject({ status: { phase: 'Failed', evidence } });
  });

  it('P20 I13 a release that no revision knows goes with its package', async () => {
    world.backend.leave({ package: 'shop', component: 'lost', releaseName: 'lost', namespace: 'shop' });
    await world.cluster.write({ verb: 'delete', ref: { apiVersion: API_VERSION, kind: 'Package', name: 'shop' } });
    await world.settle();
    expect(world.backend.submitted).toContain('uninstall shop/lost');
    expect(world.cluster.all('Package')).toEqual([]);
  });

  it('P10 P19 what is undone gets the values that it had, and is told to be restored', async () => {
    world.backend.script = (action) => {
      const isNew = 'release' in action && action.release.values['color'] === 'blue';
      const error = new KubepkgError('ImmutableField', 'the selector cannot be changed');
      return Promise.resolve(isNew ? { kind: 'refused', error } : { kind: 'accepted' });
    };
    await upgrade();
    expect(world.condition('Ready')).toBe('False UpgradeRolledBack');
    expect(deliveredOf('app').map(({ values, rollback }) => [values, rollback])).toEqual([
      [{ color: 'red' }, false],
      [{ color: 'red' }, true],
    ]);
  });
});
