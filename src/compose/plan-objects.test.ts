import { describe, expect, it } from 'vitest';
import { kubeObject } from '../../test/build/plan-facts.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { type ErrorCode, KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import { tryRelease } from './plan-objects.ts';
import { Unread } from './plan-unread.ts';
import { StillCluster } from './still-cluster.ts';

function workload(replicas: number, name = 'store'): KubeObject {
  return kubeObject(
    `{ apiVersion: apps/v1, kind: Deployment, metadata: { name: ${name}, namespace: shop }, spec: { replicas: ${String(replicas)} } }`,
  );
}

interface Scene {
  readonly objects: readonly KubeObject[];
  readonly former?: readonly KubeObject[];
  /** What runs. */
  readonly live?: readonly KubeObject[];
  /** What stands against reading anything. */
  readonly reads?: ErrorCode;
  /** What the API server says to every trial. */
  readonly says?: string;
}

async function tried({ objects, former = [], live = [], reads, says }: Scene) {
  const cluster = new MemoryCluster();
  cluster.put(kubeObject('{ apiVersion: v1, kind: Namespace, metadata: { name: shop } }'));
  for (const object of live) cluster.put(object);
  cluster.before = ({ verb }) => {
    if (verb === 'read' && reads !== undefined) throw new KubepkgError(reads, 'it is not said');
    if (verb === 'apply' && says !== undefined) throw new KubepkgError('ApiInvalid', says);
  };
  const unread = new Unread();
  const eyes = { live: cluster, still: new StillCluster(cluster), unread };
  const { plans, facts } = await tryRelease(eyes, { component: 'store', objects, former, secretValues: [] });
  const changes = plans.map(({ change, object, fields }) => [change, object, fields.map(({ field }) => field).join()]);
  return { changes, facts, findings: await unread.findings(cluster, 'shop') };
}

describe('the objects of a plan', () => {
  it.each<ErrorCode>(['ApiForbidden', 'ApiTimeout'])(
    'are compared with the last delivery where what runs cannot be read (%s), and are not taken to be new',
    async (reads) => {
      const former = [workload(1), workload(1, 'dropped')];
      const { changes, findings } = await tried({ objects: [workload(2), workload(1, 'other')], former, reads });
      expect(changes).toEqual([
        ['changed', 'Deployment shop/store', 'spec.replicas'],
        ['deleted', 'Deployment shop/dropped', ''],
      ]);
      expect(findings).toMatchObject([{ code: 'NotRead', severity: 'warning', subject: 'package shop' }]);
    },
  );

  it('are not said to change at all where nothing is known of what was there', async () => {
    const { changes, findings } = await tried({ objects: [workload(2)], live: [workload(1)], reads: 'ApiForbidden' });
    expect(changes).toEqual([]);
    expect(findings[0]?.message).toContain('may not be read: Deployment shop/store;');
    expect(findings[0]?.remedy).toBe('plan with an account that may get deployments.apps in namespace shop');
  });

  it('are new where the API server says that they, or their kind, are not there', async () => {
    const custom = kubeObject('{ apiVersion: example.org/v1, kind: Thing, metadata: { name: a, namespace: shop } }');
    const { changes, findings } = await tried({ objects: [workload(2), custom] });
    expect(changes).toEqual([
      ['created', 'Deployment shop/store', ''],
      ['created', 'Thing shop/a', ''],
    ]);
    expect(findings).toEqual([]);
  });

  it('I10 show no value of a Secret in the words of the API server', async () => {
    const password = 'hunter22!!';
    const secret = kubeObject(
      `{ apiVersion: v1, kind: Secret, metadata: { name: a, namespace: shop }, stringData: { password: "${password}" } }`,
    );
    const { facts } = await tried({ objects: [secret, workload(1)], says: `Invalid value: "${password}": too short` });
    const message = 'Invalid value: "(hidden)": too short';
    expect(facts.map(({ dryRun }) => dryRun)).toEqual([
      { code: 'ApiInvalid', message },
      { code: 'ApiInvalid', message },
    ]);
  });
});
