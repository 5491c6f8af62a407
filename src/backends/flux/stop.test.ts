import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HelmReleaseShape, helmRelease } from '../../../test/build/flux-release.ts';
import { TARGET } from '../../../test/build/helm-release.ts';
import { FluxScene } from '../../../test/fakes/flux-scene.ts';
import type { PresentRelease, SubmitOutcome } from '../../ports/backend.ts';

const WAITING: HelmReleaseShape = {
  observed: 1,
  attempted: 1,
  ready: ['False', 'SourceNotReady', 2],
  reconciling: 'x',
};
const FAILING: HelmReleaseShape = {
  ...{ observed: 1, failures: 1, reconciling: 'Fulfilling prerequisites' },
  ...{ ready: ['False', 'UpgradeFailed', 2], released: ['False', 'UpgradeFailed', 2] },
};

describe('stopping an attempt', () => {
  let folder: string;
  let scene: FluxScene;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubepkg-flux-'));
    scene = new FluxScene(folder);
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function stop(observed?: PresentRelease): Promise<SubmitOutcome> {
    return scene.submit({ kind: 'stop', target: TARGET, observed: observed ?? (await scene.present()) });
  }

  it.each([
    ['one that waits', WAITING],
    ['one that is tried again without end', FAILING],
    ['one that nobody looked at', { generation: 3 }],
    ['one that somebody has just suspended', { suspend: true, observed: 1 }],
  ])('P16 suspends %s, once, and it is over when helm-controller has seen that', async (_, shape) => {
    scene.cluster.put(helmRelease(shape));
    expect(await stop()).toEqual({ kind: 'accepted' });
    expect(scene.helmRelease['spec']).toMatchObject({ suspend: true });
    const writes = scene.cluster.writes().length;
    expect(await stop()).toEqual({ kind: 'accepted' });
    expect(scene.cluster.writes()).toHaveLength(writes);
    const stopping = await scene.present();
    expect(stopping.delivery).toBe('underway');
    expect(stopping.message).toMatch(/.+; it is suspended to stop it, which was not seen yet$/);
    endTurn();
    const stopped = await scene.present();
    expect(stopped).toMatchObject({ delivery: 'failed', token: 'token-2' });
    expect(stopped.goesOn).toBeUndefined();
  });

  /** As helm-controller does with a suspended one, which it does nothing else about. */
  function endTurn(): void {
    const { helmRelease: live } = scene;
    const status = { ...(live['status'] as object), observedGeneration: live.metadata.generation };
    scene.cluster.put({ ...live, status });
  }

  it.each([
    ['delivered', {}],
    ['given up', { ...FAILING, observed: 2, reconciling: undefined, stalled: 'RetriesExceeded' }],
  ])('leaves one alone that is %s', async (_, shape) => {
    scene.cluster.put(helmRelease(shape));
    expect(await stop()).toEqual({ kind: 'accepted' });
    expect(scene.cluster.writes()).toEqual([]);
  });

  it('suspends it although helm-controller writes its status in between', async () => {
    scene.cluster.put(helmRelease(WAITING));
    scene.disturb('merge-patch HelmRelease', 2);
    expect(await stop()).toEqual({ kind: 'accepted' });
    expect(scene.helmRelease['spec']).toMatchObject({ suspend: true });
  });

  it('leaves a later attempt alone, and what is not ours, and what is gone', async () => {
    scene.cluster.put(helmRelease(WAITING));
    const observed = await scene.present();
    expect(await stop({ ...observed, token: 'token-1' })).toMatchObject({ error: { code: 'ApiConflict' } });
    scene.cluster.put(helmRelease({ ...WAITING, labels: {} }));
    expect(await stop(observed)).toEqual({ kind: 'accepted' });
    scene.cluster.remove({
      apiVersion: 'helm.toolkit.fluxcd.io/v2',
      kind: 'HelmRelease',
      namespace: 'shop-ns',
      name: 'web',
    });
    expect(await stop(observed)).toEqual({ kind: 'accepted' });
    expect(scene.cluster.writes()).toEqual([]);
  });
});
