import { describe, expect, it } from 'vitest';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { KubepkgError } from '../api/errors.ts';
import type { KubeObject, ObjectMeta } from '../api/kube.ts';
import { describeHold, holdMessage } from './describe-hold.ts';

const SINCE = '2026-01-01T00:00:30Z';

function leaving(kind: string, name: string, metadata: Partial<ObjectMeta> = {}): KubeObject {
  const uid = `uid-${name}`;
  return {
    apiVersion: API_VERSIONS[kind] ?? 'v1',
    kind,
    metadata: { uid, deletionTimestamp: SINCE, ...metadata, name, namespace: 'shop' },
  };
}

const API_VERSIONS: Readonly<Record<string, string>> = {
  Deployment: 'apps/v1',
  ReplicaSet: 'apps/v1',
  Job: 'batch/v1',
};
const FOREGROUND = { finalizers: ['foregroundDeletion'] };

function ownedBy(kind: string, name: string): Partial<ObjectMeta> {
  return {
    ...FOREGROUND,
    ownerReferences: [{ apiVersion: API_VERSIONS[kind] ?? 'v1', kind, name, uid: `uid-${name}` }],
  };
}

describe('P20 what holds an object that is being deleted', () => {
  it.each<[string, Partial<ObjectMeta> & { readonly deletionGracePeriodSeconds?: number }, string]>([
    ['a finalizer', { finalizers: ['a.org/x'] }, `is held by finalizer a.org/x since ${SINCE}`],
    ['two', { finalizers: ['a.org/x', 'b.org/y'] }, `is held by finalizers a.org/x, b.org/y since ${SINCE}`],
    [
      'a finalizer beside one of Kubernetes',
      { finalizers: ['foregroundDeletion', 'a.org/x'] },
      `is held by finalizer a.org/x since ${SINCE}`,
    ],
    ['a process that ends', { finalizers: ['batch.kubernetes.io/job-tracking'] }, `is terminating since ${SINCE}`],
    [
      'its grace, from its beginning on',
      { deletionGracePeriodSeconds: 30 },
      'is terminating since 2026-01-01T00:00:00Z',
    ],
  ])('is %s', (_, metadata, message) => {
    expect(holdMessage(leaving('Pod', 'web', metadata))).toBe(`Pod shop/web ${message}`);
  });

  it('is nothing when no object is left', async () => {
    expect(await describeHold([], new MemoryCluster())).toBeUndefined();
  });

  it('is said of one that somebody holds before one that only takes its time', async () => {
    const objects = [leaving('ConfigMap', 'slow'), leaving('ConfigMap', 'held', { finalizers: ['a.org/x'] })];
    expect(await describeHold(objects, new MemoryCluster())).toContain('ConfigMap shop/held');
  });

  it.each([
    ['Job', [leaving('Pod', 'pod', ownedBy('Job', 'web'))]],
    [
      'Deployment',
      [leaving('ReplicaSet', 'set', ownedBy('Deployment', 'web')), leaving('Pod', 'pod', ownedBy('ReplicaSet', 'set'))],
    ],
  ])('of a %s is what holds its pod', async (kind, dependents) => {
    const cluster = new MemoryCluster();
    for (const object of [...dependents, leaving('Pod', 'another', FOREGROUND)]) cluster.put(object);
    expect(await describeHold([leaving(kind, 'web', FOREGROUND)], cluster)).toBe(
      `Pod shop/pod is terminating since ${SINCE}`,
    );
  });

  it('is said without looking further where that is not allowed', async () => {
    const cluster = new MemoryCluster();
    cluster.before = () => {
      throw new KubepkgError('ApiForbidden', 'no');
    };
    expect(await describeHold([leaving('Job', 'web', FOREGROUND)], cluster)).toBe(
      `Job shop/web is terminating since ${SINCE}`,
    );
  });
});
