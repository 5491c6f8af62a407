import { SystemClock } from '../../src/adapters/clock/system-clock.ts';
import { createEmbeddedApi, createEmbeddedCluster } from '../../src/embedded/api/index.ts';
import { clusterConformance } from './cluster.ts';
import type { ClusterHarness } from './cluster-world.ts';

clusterConformance('the embedded cluster', {
  capabilities: ['validation'],
  start: (): Promise<ClusterHarness> => {
    const clock = new SystemClock();
    const api = createEmbeddedApi({ clock, random: () => clock.random() });
    return Promise.resolve({ cluster: createEmbeddedCluster(api, clock), close: () => Promise.resolve() });
  },
});
