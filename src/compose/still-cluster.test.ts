import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import type { KubeObject } from '../api/kube.ts';
import type { WatchEvent } from '../ports/cluster.ts';
import { StillCluster } from './still-cluster.ts';

const SECRETS = { apiVersion: 'v1', kind: 'Secret' } as const;

function secret(name: string, namespace: string, labels: Readonly<Record<string, string>> = {}): KubeObject {
  return { ...SECRETS, metadata: { name, namespace, labels } };
}

describe('a cluster that is only looked at', () => {
  let cluster: MemoryCluster;
  let still: StillCluster;

  beforeEach(() => {
    cluster = new MemoryCluster();
    for (const name of ['a', 'b']) cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    cluster.put(secret('one', 'a', { owner: 'helm', name: 'x' }));
    cluster.put(secret('two', 'b', { owner: 'helm', name: 'y' }));
    cluster.put(secret('three', 'b', { owner: 'other' }));
    still = new StillCluster(cluster);
  });

  const asked = (): number => cluster.requests.length;
  const namesIn = async (selection: Parameters<StillCluster['list']>[0]): Promise<readonly string[]> =>
    (await still.list(selection)).items.map(({ metadata }) => metadata.name);

  it('asks for everything once', async () => {
    const ref = { ...SECRETS, namespace: 'a', name: 'one' };
    await Promise.all([still.read(ref), still.read(ref), still.list(SECRETS), still.list(SECRETS)]);
    const before = asked();
    await Promise.all([still.read(ref), still.list(SECRETS)]);
    expect([before, asked()]).toEqual([2, 2]);
  });

  it.each([
    ['a namespace', { namespace: 'b' }, ['three', 'two']],
    ['labels', { labelSelector: 'owner=helm' }, ['one', 'two']],
    ['both', { namespace: 'b', labelSelector: 'owner=helm,name=y' }, ['two']],
    ['a label that is there', { labelSelector: 'name' }, ['one', 'two']],
  ])('picks %s from a list that it has', async (_what, part, names) => {
    await still.take(SECRETS);
    const before = asked();
    expect(await namesIn({ ...SECRETS, ...part })).toEqual(names);
    expect(asked()).toBe(before);
  });

  it.each([
    ['a set of labels', { labelSelector: 'owner in (helm,other)' }],
    ['fields', { fieldSelector: 'metadata.name=one' }],
  ])('leaves %s to the server', async (_what, part) => {
    await still.take(SECRETS);
    const before = asked();
    await still.list({ ...SECRETS, ...part });
    expect(asked()).toBe(before + 1);
  });

  it('takes no list for one of objects that have more', async () => {
    await still.take({ ...SECRETS, metadataOnly: true });
    const before = asked();
    await still.read({ ...SECRETS, namespace: 'a', name: 'one' });
    await still.list(SECRETS);
    expect(asked()).toBe(before + 2);
  });

  it('finds single objects, and that there are none, in a whole list', async () => {
    await still.take(SECRETS);
    const before = asked();
    expect(await still.read({ ...SECRETS, namespace: 'a', name: 'one' })).toMatchObject({ metadata: { name: 'one' } });
    expect(await still.read({ ...SECRETS, namespace: 'a', name: 'none' })).toBeUndefined();
    expect(asked()).toBe(before);
  });

  it('has what was put in, instead of what is there', async () => {
    still.put({ ...secret('one', 'a', { owner: 'helm' }), data: { changed: 'yes' } });
    still.put(secret('new', 'a', { owner: 'helm' }));
    expect(await still.read({ ...SECRETS, namespace: 'a', name: 'one' })).toMatchObject({ data: { changed: 'yes' } });
    expect(await namesIn({ ...SECRETS, labelSelector: 'owner=helm' })).toEqual(['two', 'one', 'new']);
  });

  it('tells watches what is there and what is put in, and ends with them', async () => {
    const heard: string[] = [];
    const subscription = still.watch(SECRETS, (event: WatchEvent) => {
      heard.push('object' in event ? `${event.type} ${event.object.metadata.name}` : event.type);
    });
    await still.settled();
    still.put(secret('new', 'a'));
    subscription.stop();
    still.put(secret('unheard', 'a'));
    expect(heard).toEqual(['set one', 'set three', 'set two', 'synced', 'set new']);
    expect(cluster.watched()).toEqual([]);
  });

  it('tells a watch that what it asks for cannot be had', async () => {
    const heard: string[] = [];
    still.watch({ apiVersion: 'example.org/v1', kind: 'Thing' }, (event) => {
      heard.push(event.type === 'disturbed' ? event.error.code : event.type);
    });
    await still.settled();
    expect(heard).toEqual(['KindNotServed']);
  });

  it('never writes', async () => {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } };
    await expect(still.write({ verb: 'create', object, dryRun: true })).rejects.toThrow('was about to write');
    expect(cluster.writes()).toEqual([]);
  });

  it('lets writes be tried, and no more, where it is told so', async () => {
    const trying = new StillCluster(cluster, { allowsTrials: true });
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } };
    expect(await trying.write({ verb: 'create', object, dryRun: true })).toMatchObject(object);
    await expect(trying.write({ verb: 'create', object })).rejects.toThrow('was about to write');
    expect(cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: 'new' })).toBeUndefined();
  });
});
