import { inject } from 'vitest';
import { SystemClock } from '../../src/adapters/clock/system-clock.ts';
import { createClient, findAccess } from '../../src/adapters/kube/create-cluster.ts';
import '../setup/provided.ts';
import { BreakableProxy } from './breakable-proxy.ts';
import { clusterConformance } from './cluster.ts';
import type { ClusterHarness } from './cluster-world.ts';

clusterConformance('a real API server', {
  capabilities: ['authorization', 'validation', 'connections'],
  start: async (): Promise<ClusterHarness> => {
    const settings = { clock: new SystemClock(), env: {}, userAgent: 'kubepkg/test' };
    const access = findAccess({ kubeconfig: inject('kubeconfigs').kubepkg, env: {} });
    const proxy = await BreakableProxy.start(Number(new URL(access.server).port));
    const cluster = createClient({ ...access, server: `https://127.0.0.1:${String(proxy.port)}` }, settings);
    const powerless = createClient(findAccess({ kubeconfig: inject('kubeconfigs').powerless, env: {} }), settings);
    return {
      cluster,
      powerless,
      interrupt: () => {
        proxy.cut();
      },
      close: async () => {
        cluster.close();
        powerless.close();
        await proxy.close();
      },
    };
  },
});
