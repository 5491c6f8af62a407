import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import { ensureNamespace } from './namespaces.ts';

const REF = { apiVersion: 'v1', kind: 'Namespace', name: 'shop' };
const ENFORCE = 'pod-security.kubernetes.io/enforce';

describe('ensureNamespace', () => {
  let cluster: MemoryCluster;

  beforeEach(() => {
    cluster = new MemoryCluster();
  });

  function put(metadata: object = {}, rest: object = {}): void {
    cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', ...metadata }, ...rest });
  }

  function found(): KubeObject | undefined {
    return cluster.get(REF);
  }

  describe('the namespace of a component', () => {
    it('P20 is made where there is none, and never deleted with a release', async () => {
      await ensureNamespace(cluster, 'shop', false);
      expect(found()?.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
      expect(found()?.metadata.labels).toBeUndefined();
    });

    it('that is there is left as it is', async () => {
      put({ labels: { team: 'a' } });
      await ensureNamespace(cluster, 'shop', false);
      expect(cluster.writes()).toEqual([]);
    });

    it('that somebody makes in the same moment will do', async () => {
      cluster.before = ({ verb }) => {
        if (verb === 'create') put();
      };
      await ensureNamespace(cluster, 'shop', false);
      expect(found()).toBeDefined();
    });

    it('gets the privileged level when a component asks for it, its own labels are kept', async () => {
      put({ labels: { team: 'a', [ENFORCE]: 'restricted' } });
      await ensureNamespace(cluster, 'shop', true);
      expect(found()?.metadata.labels).toEqual({ team: 'a', [ENFORCE]: 'privileged' });
      expect(found()?.metadata.annotations).toEqual({ 'kubepkg.dev/pod-security': 'privileged' });
    });

    it('that is new and privileged gets both', async () => {
      await ensureNamespace(cluster, 'shop', true);
      expect(found()?.metadata).toMatchObject({
        labels: { [ENFORCE]: 'privileged' },
        annotations: { 'helm.sh/resource-policy': 'keep' },
      });
    });

    it('P22 that is privileged already is not written again', async () => {
      put({ labels: { [ENFORCE]: 'privileged' } });
      await ensureNamespace(cluster, 'shop', true);
      expect(cluster.writes()).toEqual([]);
    });

    it.each(['NamespaceContentRemaining', 'NamespaceFinalizersRemaining'])(
      'F61 that is being deleted is waited for, and what holds it is said (%s)',
      async (type) => {
        const conditions = [
          { type: 'NamespaceDeletionContentFailure', status: 'False', message: 'all fine' },
          { type, status: 'True', message: 'some finalizer remains' },
        ];
        put({ deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['hold'] }, { status: { conditions } });
        await expect(ensureNamespace(cluster, 'shop', true)).rejects.toMatchObject({
          code: 'NamespaceTerminating',
          class: 'transient',
          message: expect.stringContaining('some finalizer remains') as string,
        });
        expect(cluster.writes()).toEqual([]);
      },
    );

    it('that is being deleted and says nothing is waited for as well', async () => {
      put({ deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['hold'] });
      await expect(ensureNamespace(cluster, 'shop', false)).rejects.toMatchObject({ code: 'NamespaceTerminating' });
    });

    it('that cannot be made is an error', async () => {
      cluster.before = ({ verb }) => {
        if (verb === 'create') throw new KubepkgError('ApiForbidden', 'no');
      };
      await expect(ensureNamespace(cluster, 'shop', false)).rejects.toMatchObject({ code: 'ApiForbidden' });
    });
  });
});
