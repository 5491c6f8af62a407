import { beforeEach, describe, expect, it } from 'vitest';
import { aComponent } from '../../test/build/objects.ts';
import { recordRef } from '../../test/fakes/memory-backend.ts';
import { EngineWorld } from '../../test/fakes/engine-world.ts';

const ADOPT = { 'kubepkg.dev/adopt': 'true' };
const FOREIGN = { package: 'shop', component: 'app', releaseName: 'legacy', namespace: 'old' };

describe('P21 a release that was there before', () => {
  let world: EngineWorld;

  beforeEach(() => {
    world = new EngineWorld();
    world.addSource([aComponent('app')]);
    world.cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'old' } });
    world.backend.leave(FOREIGN, { owner: 'nobody', revision: 7 });
  });

  const overrides = { components: { app: { releaseName: 'legacy', namespace: 'old' } } };
  const adopting = (): readonly boolean[] => world.backend.delivered.map(({ adopt }) => adopt);
  const asked = (): string | undefined => world.object('Package', 'shop').metadata.annotations?.['kubepkg.dev/adopt'];
  const ready = (name = 'shop'): string | undefined => world.condition('Ready', name);

  async function start(metadata: object = {}): Promise<void> {
    world.addPackage(overrides, metadata);
    await world.start();
    await world.settle();
  }

  it('is not touched unless kubepkg is told to adopt it', async () => {
    await start();
    expect([ready(), world.backend.submitted, world.phases()]).toEqual(['False InvalidConfiguration', [], []]);
  });

  it('is taken over under its own name, by one revision', async () => {
    await start({ annotations: ADOPT });
    expect([ready(), world.backend.submitted]).toEqual(['True ReconciliationSucceeded', ['upgrade old/legacy']]);
    expect([adopting(), asked()]).toEqual([[true], undefined]);
    world.addSource([aComponent('app')], { version: '2.0.0' });
    await world.settle();
    expect(adopting()).toEqual([true, false]);
  });

  it('keeps the wish while the revision is not applied', async () => {
    world.backend.last();
    await start({ annotations: ADOPT });
    expect([ready(), asked()]).toEqual(['False Progressing', 'true']);
  });

  it('P22 is adopted once, and nothing more is written then', async () => {
    await start({ annotations: ADOPT });
    const before = world.cluster.writes().length;
    world.wake('shop');
    await world.settle();
    await world.restart();
    await world.settle();
    expect(world.cluster.writes()).toHaveLength(before);
  });

  it('leaves a wish that comes after a revision that adopted nothing to the next one', async () => {
    await world.install();
    const before = world.cluster.writes().length;
    world.editPackage({}, { annotations: ADOPT });
    await world.settle();
    expect([asked(), world.cluster.writes().length]).toEqual(['true', before]);
    const [revision] = world.cluster.all('PackageRevision');
    expect(revision?.metadata.annotations).not.toHaveProperty(['kubepkg.dev/adopt']);
  });

  it('leaves a wish that comes later to the next revision', async () => {
    await start({ annotations: ADOPT });
    world.editPackage(overrides, { annotations: ADOPT });
    await world.settle();
    expect(asked()).toBe('true');
    world.addSource([aComponent('app')], { version: '2.0.0' });
    await world.settle();
    expect([adopting(), asked()]).toEqual([[true, true], undefined]);
  });
});

describe('P21 two packages that want one release', () => {
  let world: EngineWorld;

  beforeEach(() => {
    world = new EngineWorld();
    for (const name of ['first', 'second']) {
      world.addSource([aComponent('own', { namespace: name }), aComponent('app', { dependsOn: ['own'] })], {}, name);
    }
  });

  const ready = (): readonly unknown[] => ['first', 'second'].map((name) => world.condition('Ready', name));
  const record = (): unknown => world.cluster.get(recordRef({ ...FOREIGN, releaseName: 'app', namespace: 'shop' }));

  async function remove(name: string): Promise<void> {
    const known = world.object('Package', name);
    world.cluster.put({ ...known, metadata: { ...known.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' } });
    await world.settle();
  }

  it('one after the other: the later one is refused before anything is touched', async () => {
    world.addPackage({}, { name: 'first' });
    await world.start();
    await world.settle();
    const before = world.backend.submitted.length;
    world.addPackage({}, { name: 'second' });
    await world.settle();
    expect(ready()).toEqual(['True ReconciliationSucceeded', 'False InvalidConfiguration']);
    expect(world.backend.submitted).toHaveLength(before);
    expect(world.cluster.all('PackageRevision').map(({ metadata }) => metadata.name)).toEqual(['first-1']);
  });

  it.each<[string, () => void]>([
    ['at once', () => undefined],
    [
      'before either has heard of the other',
      () => {
        world.cluster.hold();
      },
    ],
  ])('%s: one gets it, the other fails and undoes nothing of it, not even when it is removed', async (_say, blind) => {
    const finish = world.backend.last();
    for (const name of ['first', 'second']) world.addPackage({}, { name });
    await world.start();
    await world.settle();
    expect(world.backend.submitted).toEqual(['install first/own', 'install second/own']);
    blind();
    finish();
    await world.settle();
    world.cluster.release();
    await world.settle();
    const [winner, loser] = ready()[0] === 'True ReconciliationSucceeded' ? ['first', 'second'] : ['second', 'first'];
    expect([...ready()].sort()).toEqual(['False UpgradeFailed', 'True ReconciliationSucceeded']);
    const failed = world.object('PackageRevision', `${loser}-1`)['status'];
    expect(failed).toMatchObject({ phase: 'Failed', failure: { code: 'OwnershipConflict', component: 'app' } });
    const owned = record();
    expect(owned).toMatchObject({ record: { owner: `package ${winner}` } });
    await remove(loser);
    expect([record(), world.cluster.all('Package')]).toMatchObject([owned, [{ metadata: { name: winner } }]]);
    expect(world.backend.submitted.filter((line) => line === 'uninstall shop/app')).toEqual([]);
  });
});
