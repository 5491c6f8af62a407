import { beforeEach, describe, expect, it } from 'vitest';
import { aComponent, aPackage, aRevision, aRevisionComponent, aSource } from '../../test/build/objects.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import type { PackageRevision, RevisionComponent } from '../api/package-revision.ts';
import type { DesiredComponent } from '../domain/resolve/desired.ts';
import { resolvePackage } from '../domain/resolve/resolve-package.ts';
import { digestOf } from '../lib/digest.ts';
import type { JsonObject } from '../lib/json.ts';
import { readValues, saveValues } from './values.ts';

const REF = { apiVersion: 'v1', kind: 'Secret', namespace: 'kubepkg-system', name: 'kubepkg-values-shop-1' };
const VALUES: JsonObject = { password: 'hunter2', grüße: [1, null, true] };

describe('values', () => {
  let cluster: MemoryCluster;

  beforeEach(() => {
    cluster = new MemoryCluster();
    cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kubepkg-system' } });
  });

  function desired(): readonly DesiredComponent[] {
    const pkg = aPackage({ components: { app: { values: VALUES } } });
    const resolution = resolvePackage(pkg, aSource([aComponent('store'), aComponent('app')]), {
      defaultBackend: 'helm',
    });
    if (resolution.kind !== 'resolved') throw new Error(resolution.message);
    return resolution.desired.components;
  }

  function app(values: JsonObject = VALUES): RevisionComponent {
    const valuesRef = { namespace: REF.namespace, name: REF.name, key: 'app' };
    return aRevisionComponent('app', { valuesRef, valuesDigest: digestOf(values) });
  }

  function revision(uid = 'uid-shop-1'): PackageRevision {
    const made = aRevision({ components: [aRevisionComponent('store'), app()] });
    return { ...made, metadata: { ...made.metadata, uid } };
  }

  const secret = (): KubeObject | undefined => cluster.get(REF);
  const save = (of = revision()): Promise<void> => saveValues(cluster, of, desired());

  describe('the values of a revision', () => {
    it('are saved in a Secret that goes with the revision, and read back as they were', async () => {
      await save();
      expect(secret()).toMatchObject({
        type: 'kubepkg.dev/values',
        metadata: {
          labels: { 'kubepkg.dev/package': 'shop' },
          ownerReferences: [{ kind: 'PackageRevision', name: 'shop-1', uid: 'uid-shop-1' }],
        },
      });
      expect(await readValues(cluster, app())).toEqual(VALUES);
    });

    it('that are none need no Secret', async () => {
      await saveValues(cluster, aRevision(), desired());
      expect(cluster.requests).toEqual([]);
      expect(await readValues(cluster, aRevisionComponent('app'))).toEqual({});
    });

    it('R2 that were saved before a crash are not written again', async () => {
      await save();
      const before = secret();
      await save();
      expect(secret()).toEqual(before);
    });

    it('take the place of those that a former revision of that name left behind', async () => {
      await save(revision('uid-of-a-former-life'));
      await save();
      expect(secret()?.metadata.ownerReferences?.[0]?.uid).toBe('uid-shop-1');
    });

    it('take their place when that one goes in the same moment', async () => {
      await save(revision('uid-of-a-former-life'));
      cluster.before = ({ verb }) => {
        if (verb === 'read') cluster.remove(REF);
      };
      await save();
      expect(secret()?.metadata.ownerReferences?.[0]?.uid).toBe('uid-shop-1');
    });

    it('P21 never take the place of a Secret that is not ours', async () => {
      cluster.put({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: REF.name, namespace: REF.namespace },
        data: {},
      });
      await expect(save()).rejects.toMatchObject({ code: 'OwnershipConflict' });
      expect(secret()?.['data']).toEqual({});
    });

    it('that cannot be saved are an error', async () => {
      cluster.before = ({ verb }) => {
        if (verb === 'create') throw new KubepkgError('ApiForbidden', 'no');
      };
      await expect(save()).rejects.toMatchObject({ code: 'ApiForbidden' });
    });
  });

  describe('values that are not what was recorded', () => {
    const encoded = (value: string): string => Buffer.from(value).toString('base64');

    async function readWith(data: unknown): Promise<JsonObject> {
      cluster.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: REF.name, namespace: REF.namespace }, data });
      return readValues(cluster, app());
    }

    it('without their Secret are refused', async () => {
      await expect(readValues(cluster, app())).rejects.toMatchObject({ code: 'DigestMismatch' });
    });

    it.each<[string, unknown]>([
      ['without their key', { store: encoded('{}') }],
      ['that somebody changed', { app: encoded('{"password":"hunter3"}') }],
      ['that are no map', { app: encoded('[]') }],
    ])('%s are refused, and nothing of them is said', async (_say, data) => {
      await expect(readWith(data)).rejects.toMatchObject({
        code: 'DigestMismatch',
        message: expect.not.stringContaining('hunter') as string,
      });
    });

    it.each(['not json', '{"a":', ''])('that are no JSON (%s) are refused with the same code', async (text) => {
      await expect(readWith({ app: encoded(text) })).rejects.toMatchObject({ code: 'DigestMismatch' });
    });
  });
});
