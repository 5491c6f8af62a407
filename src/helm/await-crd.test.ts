import { describe, expect, it } from 'vitest';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import type { ServedKind } from '../ports/cluster.ts';
import { awaitCrd } from './await-crd.ts';

const NAME = 'gadgets.example.com';
const NO_ABORT = new AbortController().signal;

/** One whose discovery learns of a kind only when it is told. */
class SlowCluster extends MemoryCluster {
  readonly asked: string[] = [];

  override async served(apiVersion: string, kind: string): Promise<ServedKind | undefined> {
    await Promise.resolve();
    this.asked.push(`${apiVersion} ${kind}`);
    return undefined;
  }
}

function crd(...conditions: readonly string[]): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: NAME },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Gadget', plural: 'gadgets' },
      versions: [
        { name: 'v1', served: true },
        { name: 'v0', served: false },
      ],
    },
    status: {
      conditions: conditions.map((text) => ({ type: text.split('=')[0], status: text.split('=')[1] })),
    },
  };
}

/** Whether a promise settles by what is under way already. */
async function settles(waiting: Promise<void>): Promise<boolean> {
  let settled = false;
  const note = (): void => {
    settled = true;
  };
  waiting.then(note, note);
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
  return settled;
}

describe('the wait for a CRD', () => {
  it('ends once it is established, and not before', async () => {
    const cluster = new MemoryCluster();
    cluster.put(crd('NamesAccepted=True'));
    const waiting = awaitCrd(NAME, cluster, NO_ABORT);
    expect(await settles(waiting)).toBe(false);
    cluster.put(crd('NamesAccepted=True', 'Established=True'));
    await waiting;
    expect(cluster.watched()).toEqual([]);
  });

  it('goes on until discovery has the versions that are served', async () => {
    const cluster = new SlowCluster();
    cluster.put(crd('Established=True'));
    await awaitCrd(NAME, cluster, NO_ABORT);
    expect(cluster.asked).toEqual(['example.com/v1 Gadget']);
    expect(cluster.watched()).toEqual([]);
  });

  it('ends when its names are taken', async () => {
    const cluster = new MemoryCluster();
    cluster.put(crd('NamesAccepted=False'));
    await awaitCrd(NAME, cluster, NO_ABORT);
  });

  it.each<[string, KubeObject | undefined]>([
    ['is gone', undefined],
    [
      'is being deleted',
      { ...crd(), metadata: { name: NAME, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a'] } },
    ],
  ])('fails as a conflict, which is tried again, when it %s', async (_, object) => {
    const cluster = new MemoryCluster();
    cluster.serve('apiextensions.k8s.io/v1', 'CustomResourceDefinition', false);
    if (object !== undefined) cluster.put(object);
    await expect(awaitCrd(NAME, cluster, NO_ABORT)).rejects.toMatchObject({ code: 'ApiConflict', class: 'transient' });
  });

  it('fails when it may not be looked at', async () => {
    const cluster = new MemoryCluster();
    cluster.watch = (_, onEvent) => {
      onEvent({ type: 'disturbed', error: new KubepkgError('ApiForbidden', 'no') });
      return { stop: () => undefined };
    };
    await expect(awaitCrd(NAME, cluster, NO_ABORT)).rejects.toMatchObject({ code: 'ApiForbidden' });
  });

  it.each(['before', 'during'])('is stopped by a stop %s it', async (when) => {
    const cluster = new MemoryCluster();
    cluster.put(crd());
    const controller = new AbortController();
    if (when === 'before') controller.abort();
    const waiting = awaitCrd(NAME, cluster, controller.signal);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'HelmKilled' });
    expect(cluster.watched()).toEqual([]);
  });
});
