import { beforeEach, describe, expect, it } from 'vitest';
import { aComponent, aPackage, aSource } from '../../test/build/objects.ts';
import { rest, VirtualClock } from '../../test/fakes/clock.ts';
import { ScriptedArtifacts } from '../../test/fakes/scripted-artifacts.ts';
import { KubepkgError } from '../api/errors.ts';
import type { DesiredPackage } from '../domain/resolve/desired.ts';
import { resolvePackage } from '../domain/resolve/resolve-package.ts';
import type { Backend } from '../ports/backend.ts';
import { Preparations } from './preparations.ts';

describe('preparations', () => {
  let clock: VirtualClock;
  let artifacts: ScriptedArtifacts;
  let preparations: Preparations;
  let backends: Map<string, Backend>;
  let ended: number;

  beforeEach(() => {
    clock = new VirtualClock();
    artifacts = new ScriptedArtifacts();
    backends = new Map();
    preparations = new Preparations({ artifacts, clock, backends });
    ended = 0;
  });

  function desired(version = '1.0.0'): DesiredPackage {
    const sourceRef = { kind: 'OCIArtifact' as const, url: `oci://registry.example.org/shop:${version}` };
    const source = aSource([aComponent('store'), aComponent('app')], { version, sourceRef });
    const resolution = resolvePackage(aPackage(), source, { defaultBackend: 'helm' });
    if (resolution.kind !== 'resolved') throw new Error(resolution.message);
    return resolution.desired;
  }

  async function prepare(wanted = desired()): Promise<void> {
    preparations.start(wanted, () => {
      ended += 1;
    });
    await rest();
  }

  const view = (wanted = desired()): ReturnType<Preparations['view']> => preparations.view('shop', wanted.digest);
  const unreachable = new KubepkgError('RegistryUnreachable', 'nobody is there', { hint: 'look at the network' });

  describe('the charts of a desired state', () => {
    it('are not there before they are asked for', () => {
      expect(view()).toEqual({ kind: 'none' });
    });

    it('are fetched in the background', async () => {
      artifacts.before = () => new Promise(() => undefined);
      await prepare();
      expect(view()).toEqual({ kind: 'running' });
      expect(ended).toBe(0);
    });

    it('are ready, each with the digest that was verified, when all have been fetched', async () => {
      await prepare();
      expect(artifacts.fetched).toEqual(['store', 'app']);
      expect(view()).toMatchObject({
        kind: 'ready',
        charts: { store: { digest: 'sha256:store-1.0.0' }, app: { ref: { path: 'app', digest: 'sha256:app-1.0.0' } } },
      });
      expect(ended).toBe(1);
    });

    it('are those of one digest: another desired state has none', async () => {
      await prepare();
      expect(view(desired('1.1.0'))).toEqual({ kind: 'none' });
      expect(preparations.view('other', desired().digest)).toEqual({ kind: 'none' });
    });

    it('that come late for a state that is no longer wanted change nothing', async () => {
      let release: () => void = () => undefined;
      artifacts.before = () => new Promise((resolve) => (release = resolve));
      await prepare();
      artifacts.before = () => Promise.resolve();
      await prepare(desired('1.1.0'));
      release();
      await rest();
      expect(view(desired('1.1.0'))).toMatchObject({
        kind: 'ready',
        charts: { app: { digest: 'sha256:app-1.1.0' } },
      });
    });

    it('are forgotten with the package', async () => {
      await prepare();
      preparations.forget('shop');
      expect(view()).toEqual({ kind: 'none' });
    });
  });

  describe('R11 a chart that cannot be fetched', () => {
    it('is named with what to do, and tried again after a pause', async () => {
      artifacts.failures.set('app', unreachable);
      await prepare();
      expect(view()).toEqual({
        kind: 'failed',
        code: 'RegistryUnreachable',
        class: 'transient',
        message: 'component app: nobody is there; look at the network',
        retryAt: clock.now() + 2000,
      });
      expect(ended).toBe(1);
      await clock.advance(1999);
      expect(view().kind).toBe('failed');
      await clock.advance(1);
      expect(view()).toEqual({ kind: 'none' });
    });

    it('is tried again after longer and longer pauses, up to two minutes', async () => {
      artifacts.failures.set('store', unreachable);
      const pauses: number[] = [];
      for (let attempt = 0; attempt < 8; attempt += 1) {
        await prepare();
        const failed = view();
        pauses.push(failed.kind === 'failed' ? failed.retryAt - clock.now() : 0);
      }
      expect(pauses).toEqual([2000, 4000, 8000, 16_000, 32_000, 64_000, 120_000, 120_000]);
    });

    it('of another desired state begins with a short pause', async () => {
      artifacts.failures.set('store', unreachable);
      await prepare();
      await prepare(desired('1.1.0'));
      expect(view(desired('1.1.0'))).toMatchObject({ retryAt: clock.now() + 2000 });
    });

    it('for a reason that will not pass is not tried again', async () => {
      artifacts.failures.set('store', new KubepkgError('ChartInvalid', 'it is no chart'));
      await prepare();
      await clock.advance(3_600_000);
      expect(view()).toMatchObject({
        kind: 'failed',
        class: 'configuration',
        message: 'component store: it is no chart',
      });
    });
  });
});
