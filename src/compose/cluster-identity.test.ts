import { describe, expect, it } from 'vitest';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { KubepkgError } from '../api/errors.ts';
import { CRD } from '../engine/crd-book.ts';
import { clusterIdentity } from './cluster-identity.ts';

function cluster(...forbidden: readonly string[]): MemoryCluster {
  const made = new MemoryCluster();
  for (const name of ['kube-system', 'default']) {
    made.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, uid: `uid-${name}` } });
  }
  made.put({ ...CRD, metadata: { name: 'packages.kubepkg.dev', uid: 'uid-crd' } });
  made.before = ({ line }) => {
    if (forbidden.some((name) => line.endsWith(name))) throw new KubepkgError('ApiForbidden', 'no');
  };
  return made;
}

describe('the identity of a cluster', () => {
  it.each([
    ['namespace kube-system', [], 'uid-kube-system'],
    ['namespace default', ['kube-system'], 'uid-default'],
    ['our CustomResourceDefinition', ['kube-system', 'default'], 'uid-crd'],
    ['nothing', ['kube-system', 'default', 'packages.kubepkg.dev'], ''],
  ])('P18 is that of %s where %j may not be read', async (_what, forbidden, uid) => {
    expect(await clusterIdentity(cluster(...forbidden))).toBe(uid);
  });
});
