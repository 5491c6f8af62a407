import { describe, expect, it } from 'vitest';
import { rest } from '../../test/fakes/clock.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { tapWatches } from './tap-watches.ts';

describe('overheard watches', () => {
  it('deliver to whoever listens first, and then to whoever asked', async () => {
    const cluster = new MemoryCluster();
    const heard: string[] = [];
    const tapped = tapWatches(cluster, [() => (event) => heard.push(`tap ${event.type}`), () => undefined]);
    const subscription = tapped.watch({ apiVersion: 'v1', kind: 'Secret' }, (event) => heard.push(event.type));
    cluster.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', namespace: 'b' } });
    await rest();
    expect(heard.slice(-2)).toEqual(['tap set', 'set']);
    subscription.stop();
    expect(cluster.watched()).toEqual([]);
  });
});
