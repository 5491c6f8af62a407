import { beforeEach, describe, expect, it } from 'vitest';
import { aComponent } from '../../test/build/objects.ts';
import { EngineWorld } from '../../test/fakes/engine-world.ts';
import { MemoryBackend } from '../../test/fakes/memory-backend.ts';
import { KubepkgError } from '../api/errors.ts';
import type { ReleaseTarget } from '../ports/backend.ts';

const STORE: ReleaseTarget = { package: 'shop', component: 'store', releaseName: 'store', namespace: 'shop' };
const APP: ReleaseTarget = { ...STORE, component: 'app', releaseName: 'app' };

describe('a backend that only instructs a controller', () => {
  let world: EngineWorld;

  beforeEach(async () => {
    world = new EngineWorld();
    world.backend.instruct();
    world.addSource([aComponent('store'), aComponent('app', { dependsOn: ['store'] })], { version: '1.0.0' });
    await world.install();
  });

  async function happens(what: () => void): Promise<void> {
    what();
    world.wake('shop');
    await world.settle();
  }

  const message = (): string | undefined => world.statusOf().conditions?.find(({ type }) => type === 'Ready')?.message;

  it('P1 is waited for until the controller says that it is done', async () => {
    expect(world.backend.submitted).toEqual(['install shop/store']);
    expect(message()).toContain('the controller is at work');
    await happens(() => {
      world.backend.complete(STORE);
    });
    expect(world.backend.submitted).toEqual(['install shop/store', 'install shop/app']);
    await happens(() => {
      world.backend.complete(APP);
    });
    expect(world.ready()).toBe('True ReconciliationSucceeded');
  });

  it('P16 is not instructed again after a restart', async () => {
    await world.restart();
    await world.settle();
    expect(world.backend.submitted).toEqual(['install shop/store']);
  });

  it('R5 that fails for good, and whose controller would try on, is stopped before the revision fails', async () => {
    const failure = { code: 'RenderFailed', message: 'the template does not render' } as const;
    await happens(() => {
      world.backend.amend(STORE, { delivery: 'failed', failure, goesOn: true });
    });
    expect(world.backend.submitted).toEqual(['install shop/store', 'stop shop/store']);
    expect(world.ready()).toBe('False UpgradeFailed');
    expect(world.object('PackageRevision', 'shop-1')).toMatchObject({ status: { failure: { code: 'RenderFailed' } } });
  });

  it('R5 that fails for a reason that may pass is instructed once more after a pause, as another attempt', async () => {
    const failure = { code: 'WebhookNotAnswering', message: 'nobody answers' } as const;
    await happens(() => {
      world.backend.amend(STORE, { delivery: 'failed', failure });
    });
    expect(world.backend.submitted).toEqual(['install shop/store']);
    await world.advance(60_000);
    expect(world.backend.submitted).toEqual(['install shop/store', 'upgrade shop/store']);
    const [first, second] = world.backend.delivered;
    expect(first?.token).not.toBe(second?.token);
    await happens(() => {
      world.backend.complete(STORE);
    });
    expect(world.backend.submitted.at(-1)).toBe('install shop/app');
  });

  it('R3 P9 that never ends is stopped at its deadline, and the revision fails', async () => {
    await world.advance(601_000);
    expect(world.backend.submitted).toEqual(['install shop/store', 'stop shop/store']);
    expect(world.ready()).toBe('False UpgradeFailed');
    expect(world.object('PackageRevision', 'shop-1')).toMatchObject({
      status: { failure: { code: 'DeadlineExceeded' } },
    });
  });

  it('gives back what a user chose, once the revision is applied', async () => {
    await happens(() => {
      world.backend.complete(STORE);
    });
    await happens(() => {
      world.backend.complete(APP);
      world.backend.amend(APP, { handBack: true });
    });
    expect(world.backend.submitted.slice(2)).toEqual(['hand-back shop/app']);
    expect(world.ready()).toBe('True ReconciliationSucceeded');
  });
});

describe('a backend that is not there', () => {
  it('is said before anything is touched, and seen when it is', async () => {
    const world = new EngineWorld();
    world.backend.missing = new KubepkgError('KindNotServed', 'its controller is not installed', {
      hint: 'install it',
    });
    world.addSource([aComponent('app')]);
    await world.install();
    expect(world.ready()).toBe('False InvalidConfiguration');
    expect(world.phases()).toEqual([]);
    world.backend.missing = undefined;
    await world.advance(10_000);
    expect(world.ready()).toBe('True ReconciliationSucceeded');
  });

  it('R14 a chart that it cannot get is refused before anything is touched', async () => {
    const world = new EngineWorld();
    world.backend.chartRefusal = new KubepkgError('Unsupported', 'it can be pulled nowhere', { hint: 'serve it' });
    world.addSource([aComponent('app')]);
    await world.install();
    expect(world.ready()).toBe('False InvalidConfiguration');
    expect(world.phases()).toEqual([]);
  });

  it('P21 a package stays with the backend that has its releases', async () => {
    const world = new EngineWorld();
    const other = new MemoryBackend(world.cluster, 'other');
    world.backends.set('other', other);
    world.addSource([aComponent('app')]);
    await world.install();
    world.editPackage({ backend: 'other' });
    await world.settle();
    expect(world.ready()).toBe('False InvalidConfiguration');
    expect([...other.submitted, ...world.backend.submitted]).toEqual(['install shop/app']);
  });
});

describe('a backend that shows values', () => {
  it('I10 gets no package with values of the platform', async () => {
    const world = new EngineWorld({ valuesSecret: { namespace: 'kubepkg-system', name: 'platform' } });
    world.backend.capabilities = { ...world.backend.capabilities, secretValues: false };
    const data = { 'values.yaml': Buffer.from('db: {password: geheim}').toString('base64') };
    world.cluster.put({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'platform', namespace: 'kubepkg-system' },
      data,
    });
    world.addSource([aComponent('app')]);
    await world.install();
    expect(world.ready()).toBe('False InvalidConfiguration');
    expect(world.backend.submitted).toEqual([]);
  });
});
