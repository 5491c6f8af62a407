import { beforeEach, describe, expect, it } from 'vitest';
import { releaseSecret, TARGET } from '../../../test/build/helm-release.ts';
import { MemoryCluster } from '../../../test/fakes/memory-cluster.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { Backend, PresentRelease } from '../../ports/backend.ts';
import { createHelmBackend } from './backend.ts';

describe('P10 what only a failed attempt created', () => {
  const NOTHING = (): void => undefined;
  const SIGNED = { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'shop-ns' };
  const LEFT = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop-ns', name: 'left' };
  const abort = new AbortController().signal;
  let cluster: MemoryCluster;
  let backend: Backend;

  beforeEach(() => {
    cluster = new MemoryCluster();
    const run = (): Promise<never> => Promise.reject(new Error('nothing is to be run'));
    backend = createHelmBackend({
      cluster,
      runner: { run },
      helm: { binary: 'helm', environment: {} },
      tempDir: '/no',
    });
    const manifest = '---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: left\n';
    cluster.put(releaseSecret({ revision: 1, status: 'superseded' }));
    cluster.put(releaseSecret({ revision: 2, status: 'failed', manifest }));
    cluster.put(releaseSecret({ revision: 3 }));
    const { apiVersion, kind, ...metadata } = LEFT;
    cluster.put({ apiVersion, kind, metadata: { ...metadata, annotations: SIGNED } });
  });

  async function observe(): Promise<PresentRelease> {
    const observed = await backend.observe(TARGET);
    if (observed.state !== 'present') throw new Error(observed.state);
    return observed;
  }

  async function putInOrder(): Promise<string> {
    const outcome = await backend.submit({ kind: 'hand-back', target: TARGET, observed: await observe() }, abort);
    return outcome.kind === 'accepted' ? outcome.kind : outcome.error.code;
  }

  it('is known of a release whose delivery is complete, and removed once', async () => {
    expect((await observe()).handBack).toBe(true);
    expect(await putInOrder()).toBe('accepted');
    expect(cluster.get(LEFT)).toBeUndefined();
    expect((await observe()).handBack).toBeUndefined();
    const before = cluster.writes();
    expect(await putInOrder()).toBe('accepted');
    expect(cluster.writes()).toEqual(before);
  });

  it('is removed at a later look when a request for it failed', async () => {
    cluster.before = ({ line }) => {
      if (line.startsWith('delete')) throw new KubepkgError('ApiTimeout', 'no answer');
    };
    expect(await putInOrder()).toBe('ApiTimeout');
    expect((await observe()).handBack).toBe(true);
    cluster.before = NOTHING;
    expect(await putInOrder()).toBe('accepted');
    expect(cluster.get(LEFT)).toBeUndefined();
  });

  it('may be gone before it is removed', async () => {
    cluster.before = ({ line }) => {
      if (line.startsWith('delete')) cluster.remove(LEFT);
    };
    expect(await putInOrder()).toBe('accepted');
    expect((await observe()).handBack).toBeUndefined();
  });

  it('is not looked for while something newer is under way', async () => {
    const observed = await observe();
    cluster.put(releaseSecret({ revision: 4, status: 'pending-upgrade' }));
    expect((await observe()).handBack).toBeUndefined();
    const outcome = await backend.submit({ kind: 'hand-back', target: TARGET, observed }, abort);
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'ApiConflict' } });
    expect(cluster.get(LEFT)).toBeDefined();
  });

  it('before kubepkg took the release over is left as it is', async () => {
    cluster.put(releaseSecret({ revision: 2, status: 'failed', labels: {} }));
    expect((await observe()).handBack).toBeUndefined();
  });
});
