import { beforeEach, describe, expect, it } from 'vitest';
import { aRevisionComponent } from '../../test/build/objects.ts';
import { rest } from '../../test/fakes/clock.ts';
import { engineHands } from '../../test/fakes/engine-hands.ts';
import { EngineWorld } from '../../test/fakes/engine-world.ts';
import { type ErrorCode, KubepkgError } from '../api/errors.ts';
import type { RevisionComponent } from '../api/package-revision.ts';
import { attemptToken } from '../domain/release/token.ts';
import { digestOf } from '../lib/digest.ts';
import { deliver, type DeliverRequest, removeRelease, unlockRelease } from './deliver.ts';
import type { Hands } from './hands.ts';

const TARGET = { package: 'shop', component: 'app', releaseName: 'app', namespace: 'shop' };
const TREE = {
  kind: 'tree',
  url: 'oci://registry.example.org/shop:1.0.0',
  root: '',
  path: 'app',
  libraries: [],
  valuesFiles: [],
} as const;
const APP = aRevisionComponent('app', {
  chart: { ...TREE, libraries: [], valuesFiles: [] },
  chartDigest: 'sha256:app',
});
const TOKEN = attemptToken({ packageUid: 'uid-shop', revisionUid: 'uid-shop-1', component: 'app', attempt: 1 });
const NOTHING = (): void => undefined;

describe('a delivery, just before the backend is asked', () => {
  let fakes: EngineWorld;
  let hands: Hands;

  beforeEach(() => {
    fakes = new EngineWorld();
    hands = engineHands(fakes);
  });

  async function run(component: RevisionComponent = APP, parts: Partial<DeliverRequest> = {}): Promise<string> {
    deliver(hands, {
      action: { kind: 'deliver', mode: 'install', revision: 'shop-1', component: 'app', attempt: 1, target: TARGET },
      component,
      adopt: false,
      timeoutMs: 600_000,
      rollback: false,
      hookSince: undefined,
      packageUid: 'uid-shop',
      revisionUid: 'uid-shop-1',
      backend: fakes.backend,
      ...parts,
    });
    await rest();
    return ended();
  }

  function ended(): string {
    const view = hands.deliveries.view(TARGET);
    return view.kind === 'failed' ? view.code : view.kind;
  }

  it('gives the backend the whole release: token, digest, chart by its digest, complete values', async () => {
    const values = { replicas: 3 };
    const valuesRef = { namespace: 'kubepkg-system', name: 'values', key: 'app' };
    fakes.cluster.put({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'values', namespace: 'kubepkg-system' },
      data: { app: Buffer.from(JSON.stringify(values)).toString('base64') },
    });
    const component = { ...APP, valuesRef, valuesDigest: digestOf(values), skipSchemaValidation: true };
    expect(await run(component)).toBe('accepted');
    expect(fakes.backend.delivered[0]).toMatchObject({
      ...TARGET,
      token: TOKEN,
      digest: 'digest-app',
      values,
      adopt: false,
      skipSchemaValidation: true,
      chart: { name: 'app', ref: { digest: 'sha256:app' } },
    });
  });

  it('R8 a component that declares nothing gets empty values and the defaults', async () => {
    await run();
    expect(fakes.backend.delivered[0]).toMatchObject({
      values: {},
      skipSchemaValidation: false,
      recreate: 'FinishedJobs',
    });
    expect(fakes.cluster.writes()).toEqual(['create Namespace shop']);
  });

  it('makes the namespace first, privileged where the component says so', async () => {
    await run({ ...APP, privileged: true });
    expect(fakes.cluster.writes().slice(0, 2)).toEqual(['create Namespace shop', 'merge-patch Namespace shop']);
  });

  it('installs where nothing is, upgrades where ours is, whatever was decided before', async () => {
    expect(await run()).toBe('accepted');
    fakes.backend.leave(TARGET, { token: 'former' });
    expect(await run()).toBe('accepted');
    expect(fakes.backend.submitted).toEqual(['install shop/app', 'upgrade shop/app']);
  });

  it('R3 what this attempt has delivered already is not delivered again', async () => {
    fakes.backend.leave(TARGET, { token: TOKEN });
    expect(await run()).toBe('accepted');
    expect(fakes.backend.submitted).toEqual([]);
  });

  it('the token alone is no delivery: a record that failed is driven again', async () => {
    fakes.backend.leave(TARGET, { token: TOKEN, delivery: 'failed' });
    expect(await run()).toBe('accepted');
    expect(fakes.backend.submitted).toEqual(['upgrade shop/app']);
  });

  it.each<[string, () => void, ErrorCode]>([
    ['while a record is pending', () => fakes.backend.leave(TARGET, { delivery: 'pending' }), 'ReleaseLocked'],
    ['while an uninstall is under way', () => fakes.backend.leave(TARGET, { delivery: 'removing' }), 'ReleaseLocked'],
    ['P21 over somebody else', () => fakes.backend.leave(TARGET, { owner: 'somebody else' }), 'OwnershipConflict'],
    [
      'in a namespace that is being deleted',
      () => {
        const deletionTimestamp = '2026-01-01T00:00:00Z';
        const metadata = { name: 'shop', deletionTimestamp, finalizers: ['hold'] };
        fakes.cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata });
      },
      'NamespaceTerminating',
    ],
    [
      'without its chart',
      () => fakes.artifacts.failures.set('app', new KubepkgError('RegistryUnreachable', 'nobody is there')),
      'RegistryUnreachable',
    ],
    [
      'when the release cannot be read',
      () => {
        fakes.backend.failure = new KubepkgError('ApiTimeout', 'no answer');
      },
      'ApiTimeout',
    ],
  ])('does not deliver %s', async (_say, prepare, code) => {
    prepare();
    expect(await run()).toBe(code);
    expect(fakes.backend.submitted).toEqual([]);
  });

  it('does not deliver what the backend cannot judge, and tries again', async () => {
    fakes.backend.observe = () => Promise.resolve({ state: 'unknown', message: 'an odd record' });
    expect(await run()).toBe('ApiServerError');
  });

  it('does not deliver with values that are not those that were recorded', async () => {
    const valuesRef = { namespace: 'kubepkg-system', name: 'absent', key: 'app' };
    expect(await run({ ...APP, valuesRef })).toBe('DigestMismatch');
  });

  it('does not deliver a component whose chart the revision does not record', async () => {
    expect(await run(aRevisionComponent('app'))).toBe('Unsupported');
  });

  it('P21 gives its place back when another package is at work on the release, and begins nothing', async () => {
    const work = (): Promise<never> => new Promise(() => undefined);
    const target = { ...TARGET, package: 'front' };
    hands.deliveries.start({ target, token: 'token', ends: true, work, onEnd: NOTHING });
    expect(hands.pool.reserve('shop')).toBe(true);
    expect(await run()).toBe('none');
    expect([hands.pool.reserve('shop'), fakes.backend.submitted]).toEqual([true, []]);
  });

  it('P21 takes over what is there when it was told to', async () => {
    fakes.backend.leave(TARGET, { owner: 'somebody else' });
    expect(await run(APP, { adopt: true })).toBe('accepted');
    expect(fakes.backend.delivered[0]?.adopt).toBe(true);
  });

  describe('of an unlock', () => {
    const unlock = async (): Promise<string> => {
      unlockRelease(hands, fakes.backend, TARGET);
      await rest();
      return ended();
    };

    it('settles a record that is still pending', async () => {
      fakes.backend.leave(TARGET, { delivery: 'pending' });
      expect(await unlock()).toBe('accepted');
      expect(fakes.backend.submitted).toEqual(['unlock shop/app']);
    });

    it.each<[string, () => void]>([
      ['is pending no more', () => fakes.backend.leave(TARGET, { delivery: 'delivered' })],
      ['is gone', NOTHING],
      ['is somebody else’s', () => fakes.backend.leave(TARGET, { delivery: 'pending', owner: 'somebody else' })],
    ])('touches none that %s', async (_say, prepare) => {
      prepare();
      expect(await unlock()).toBe('accepted');
      expect(fakes.backend.submitted).toEqual([]);
    });
  });

  describe('of a removal', () => {
    const remove = async (): Promise<string> => {
      removeRelease(hands, fakes.backend, { target: TARGET, keepData: true, timeoutMs: 600_000 });
      await rest();
      return ended();
    };

    it('P9 is known to be running since its start, and until when it may', () => {
      removeRelease(hands, fakes.backend, { target: TARGET, keepData: true, timeoutMs: 60_000 });
      const since = fakes.clock.now();
      const running = { kind: 'running', token: undefined, since, grantedUntil: since + 60_000 };
      expect(hands.deliveries.view(TARGET)).toEqual(running);
    });

    it.each(['delivered', 'failed', 'pending', 'removing'] as const)('uninstalls one that is %s', async (delivery) => {
      fakes.backend.leave(TARGET, { delivery });
      expect(await remove()).toBe('accepted');
      expect(fakes.backend.submitted).toEqual(['uninstall shop/app']);
    });

    it.each<[string, () => void]>([
      ['is gone', NOTHING],
      ['I6 is somebody else’s', () => fakes.backend.leave(TARGET, { owner: 'somebody else' })],
    ])('touches none that %s', async (_say, prepare) => {
      prepare();
      expect(await remove()).toBe('accepted');
      expect(fakes.backend.submitted).toEqual([]);
    });

    it('is tried again when the backend cannot judge the release', async () => {
      fakes.backend.observe = () => Promise.resolve({ state: 'unknown', message: 'an odd record' });
      expect(await remove()).toBe('ApiServerError');
    });
  });
});
