import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { releaseSecret, TARGET } from '../../../test/build/helm-release.ts';
import { MemoryCluster } from '../../../test/fakes/memory-cluster.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject, ObjectMeta, ObjectRef } from '../../api/kube.ts';
import type { PresentRelease } from '../../ports/backend.ts';
import { createHelmBackend } from './backend.ts';
import { decodeRecord, encodeRecord } from '../../helm/record.ts';

const NO_ABORT = new AbortController().signal;
const SIGNED = { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'shop-ns' };
const CONFIG: ObjectRef = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop-ns', name: 'web' };
const HOOK: ObjectRef = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop-ns', name: 'hook' };

function manifest(annotations = ''): string {
  return `---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n${annotations}`;
}

describe('P20 a release that helm has uninstalled', () => {
  let cluster: MemoryCluster;
  let started: number;

  beforeEach(() => {
    cluster = new MemoryCluster();
    started = 0;
  });

  function backend(): ReturnType<typeof createHelmBackend> {
    const run = (): Promise<never> => {
      started += 1;
      return Promise.reject(new KubepkgError('Internal', 'nothing is to be run'));
    };
    return createHelmBackend({
      cluster,
      runner: { run },
      helm: { binary: 'helm', environment: {} },
      tempDir: '/nowhere',
    });
  }

  function leave(text = manifest(), status = 'uninstalled'): void {
    cluster.put(releaseSecret({ revision: 1, status: 'superseded' }));
    cluster.put(releaseSecret({ revision: 2, status, manifest: text }));
  }

  function put(ref: ObjectRef, metadata: Partial<ObjectMeta> = {}): KubeObject {
    const { apiVersion, kind, name, namespace } = ref;
    const object = {
      apiVersion,
      kind,
      metadata: { name, ...(namespace === undefined ? {} : { namespace }), annotations: SIGNED, ...metadata },
    };
    return cluster.put(object);
  }

  async function observe(): Promise<PresentRelease> {
    const observed = await backend().observe(TARGET);
    if (observed.state !== 'present') throw new Error(observed.state);
    return observed;
  }

  async function uninstall(): Promise<string> {
    const outcome = await backend().submit({ kind: 'uninstall', target: TARGET, observed: await observe() }, NO_ABORT);
    return outcome.kind === 'accepted' ? 'accepted' : outcome.error.code;
  }

  it.each<[string, string, Partial<ObjectMeta> | undefined, PresentRelease['delivery'], boolean]>([
    ['nothing left', manifest(), undefined, 'removing', true],
    ['an object that stands', manifest(), {}, 'removing', false],
    [
      'an object that is held',
      manifest(),
      { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a.org/x'] },
      'draining',
      false,
    ],
    [
      'an object of another release',
      manifest(),
      { annotations: { ...SIGNED, 'meta.helm.sh/release-name': 'heir' } },
      'removing',
      true,
    ],
    [
      'an object of another namespace',
      manifest(),
      { annotations: { ...SIGNED, 'meta.helm.sh/release-namespace': 'x' } },
      'removing',
      true,
    ],
    ['an object that nobody signed', manifest(), { annotations: {} }, 'removing', true],
    [
      'an object that is kept',
      manifest('  annotations:\n    helm.sh/resource-policy: " Keep"\n'),
      {},
      'removing',
      true,
    ],
    [
      'an object that is kept by hand',
      manifest(),
      { annotations: { ...SIGNED, 'helm.sh/resource-policy': 'keep' } },
      'removing',
      true,
    ],
  ])('with %s is %s, and its records go only when nothing is left', async (_, text, metadata, delivery, isOver) => {
    leave(text);
    if (metadata !== undefined) put(CONFIG, metadata);
    expect((await observe()).delivery).toBe(delivery);
    expect(await uninstall()).toBe('accepted');
    expect(cluster.all('Secret')).toHaveLength(isOver ? 0 : 2);
    const isKept = isOver && metadata !== undefined;
    expect(cluster.get(CONFIG) !== undefined).toBe(isKept || delivery === 'draining');
    expect(started).toBe(0);
  });

  it('keeps CRDs, and is not held by one that somebody is deleting', async () => {
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'a.b.org' };
    leave(`apiVersion: ${crd.apiVersion}\nkind: ${crd.kind}\nmetadata:\n  name: ${crd.name}\n`);
    put(crd, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a.org/x'] });
    expect(await uninstall()).toBe('accepted');
    expect(await backend().observe(TARGET)).toEqual({ state: 'absent' });
    expect(cluster.get(crd)).toBeDefined();
  });

  it('whose records are removed in part is still known as uninstalled', async () => {
    leave();
    cluster.before = ({ line }) => {
      if (line.startsWith('delete') && line.endsWith('.v2')) throw new KubepkgError('ApiTimeout', 'no answer');
    };
    expect(await uninstall()).toBe('ApiTimeout');
    expect(cluster.all('Secret').map(({ metadata }) => metadata.labels?.['status'])).toEqual(['uninstalled']);
    expect((await observe()).delivery).toBe('removing');
  });

  it('removes a record only while it is the one that was looked at', async () => {
    leave();
    const newest = cluster.all('Secret').find(({ metadata }) => metadata.labels?.['version'] === '2');
    cluster.before = ({ line }) => {
      if (newest === undefined || !line.startsWith('delete') || !line.endsWith('.v2')) return;
      const { uid: _uid, ...metadata } = newest.metadata;
      cluster.remove({ apiVersion: 'v1', kind: 'Secret', name: metadata.name, namespace: 'shop-ns' });
      cluster.put({ ...newest, metadata: { ...metadata, uid: 'another' } });
    };
    expect(await uninstall()).toBe('ApiConflict');
    expect(cluster.all('Secret')).toHaveLength(1);
  });

  it('I6 removes an object only while it is the one that was looked at', async () => {
    leave();
    const { uid: _uid, ...metadata } = put(CONFIG).metadata;
    cluster.before = ({ line }) => {
      if (!line.startsWith('delete') || !line.includes('ConfigMap')) return;
      cluster.remove(CONFIG);
      cluster.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...metadata, uid: 'another' } });
    };
    expect(await uninstall()).toBe('ApiConflict');
    expect(cluster.get(CONFIG)?.metadata.uid).toBe('another');
  });

  it('P21 is left alone once it is of another package', async () => {
    leave();
    put(CONFIG);
    const observed = await observe();
    for (const secret of cluster.all('Secret')) {
      const { labels } = secret.metadata;
      cluster.put({
        ...secret,
        metadata: { ...secret.metadata, labels: { ...labels, 'kubepkg.dev/package': 'other' } },
      });
    }
    const outcome = await backend().submit({ kind: 'uninstall', target: TARGET, observed }, NO_ABORT);
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'OwnershipConflict' } });
    expect(cluster.get(CONFIG)).toBeDefined();
    expect(cluster.all('Secret')).toHaveLength(2);
  });

  it.each([
    ['a record that is gone', '.v1'],
    ['an object that is gone', 'ConfigMap'],
  ])('does not mind %s, as when its namespace ends', async (_, what) => {
    leave();
    if (what === 'ConfigMap') put(CONFIG);
    cluster.before = ({ line, write }) => {
      if (write?.verb === 'delete' && line.includes(what)) cluster.remove(write.ref);
    };
    expect(await uninstall()).toBe('accepted');
  });

  it.each<[string, Partial<ObjectMeta>, boolean]>([
    ['a namespace that stands', {}, true],
    [
      'a namespace that is being deleted',
      { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a.org/x'] },
      false,
    ],
  ])('in %s, helm is told whether to run hooks', async (_what, metadata, hooks) => {
    leave(manifest(), 'deployed');
    cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop-ns', ...metadata } });
    const calls: (readonly string[])[] = [];
    const runner = {
      run: ({ args }: { readonly args: readonly string[] }) => {
        calls.push(args);
        return Promise.resolve({ exitCode: 0, stdout: 'v4.0.0', stderr: '' });
      },
    };
    const tempDir = await mkdtemp(join(tmpdir(), 'kubepkg-uninstall-'));
    try {
      const helm = { binary: 'helm', environment: {} };
      const real = createHelmBackend({ cluster, runner, helm, tempDir });
      await real.submit({ kind: 'uninstall', target: TARGET, observed: await observe() }, NO_ABORT);
    } finally {
      await rm(tempDir, { recursive: true });
    }
    const call = calls.find(([verb]) => verb === 'uninstall');
    expect(call?.includes('--no-hooks')).toBe(!hooks);
  });

  it.each<[string, Partial<ObjectMeta>, unknown, string, boolean]>([
    ['that runs is removed', {}, undefined, '2026-01-01T00:00:00Z', true],
    ['that has ended stays', {}, [{ type: 'Complete', status: 'True' }], '2026-01-01T00:00:00Z', false],
    ['that has failed stays', {}, [{ type: 'Failed', status: 'True' }], '2026-01-01T00:00:00Z', false],
    ['that this release never started is not its own', {}, undefined, '0001-01-01T00:00:00Z', false],
    ['that is older than its start is not its own', {}, undefined, '2026-01-01T00:00:06Z', false],
    ['that is no hook is not its own', { annotations: {} }, undefined, '2026-01-01T00:00:00Z', false],
  ])('P16 a Job of a hook %s', async (_, metadata, conditions, startedAt, isRemoved) => {
    const hook = `apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: hook\n`;
    const secret = releaseSecret({ status: 'uninstalled' });
    const hooks = [{ name: 'hook', manifest: hook, events: ['pre-install'], last_run: { started_at: startedAt } }];
    cluster.put(encodeRecord(secret, { ...decodeRecord(secret).raw, hooks }));
    const job = put(HOOK, { annotations: { 'helm.sh/hook': 'pre-install' }, ...metadata });
    cluster.put({ ...job, status: { conditions } });
    expect(await uninstall()).toBe('accepted');
    expect(cluster.get(HOOK) === undefined).toBe(isRemoved);
  });

  it.each<[string, string, string, string]>([
    [
      'names the hook that it waits for',
      'pre-delete',
      'Running',
      ': it waits for its hook Job shop-ns/hook, started at 2026-01-01T00:00:00Z',
    ],
    ['does not name a hook that has ended', 'pre-delete', 'Succeeded', ''],
    ['does not name a hook of an installation that was cut off', 'pre-install', 'Running', ''],
  ])('while it is uninstalled %s', async (_say, event, phase, told) => {
    const manifestOfHook = `apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: hook\n`;
    const secret = releaseSecret({ status: 'uninstalling' });
    const last_run = { started_at: '2026-01-01T00:00:00Z', phase };
    const hooks = [{ name: 'hook', manifest: manifestOfHook, events: [event], last_run }];
    cluster.put(encodeRecord(secret, { ...decodeRecord(secret).raw, hooks }));
    expect(await observe()).toMatchObject({
      delivery: 'removing',
      message: `release revision 1 is uninstalling${told}`,
    });
  });
});
