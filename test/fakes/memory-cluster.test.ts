import { clusterConformance } from '../conformance/cluster.ts';
import type { ClusterHarness } from '../conformance/cluster-world.ts';
import { MemoryCluster } from './memory-cluster.ts';

clusterConformance('in memory', {
  capabilities: [],
  start: (): Promise<ClusterHarness> =>
    Promise.resolve({ cluster: new MemoryCluster(), close: () => Promise.resolve() }),
});
