import { SystemClock } from '../../src/adapters/clock/system-clock.ts';
import { createClient } from '../../src/adapters/kube/create-cluster.ts';
import { createEmbeddedApi } from '../../src/embedded/api/index.ts';
import { startApiServer } from '../../src/embedded/http/index.ts';
import { createAuthority } from '../../src/lib/tls/certificate.ts';
import { BreakableProxy } from './breakable-proxy.ts';
import { clusterConformance } from './cluster.ts';
import type { ClusterHarness } from './cluster-world.ts';

clusterConformance('the embedded API server', {
  capabilities: ['validation', 'connections'],
  start: async (): Promise<ClusterHarness> => {
    const clock = new SystemClock();
    const api = createEmbeddedApi({ clock, random: () => clock.random() });
    const authority = createAuthority('embedded', clock.now());
    const { key, certificate } = authority.issue('apiserver');
    const tls = { key, cert: certificate, ca: authority.certificate };
    const server = await startApiServer({ api, clock, tls, token: 'token-of-the-test' });
    const proxy = await BreakableProxy.start(Number(new URL(server.url).port));
    const cluster = createClient(
      {
        server: `https://127.0.0.1:${String(proxy.port)}`,
        namespace: 'default',
        origin: 'the test',
        tls: { ca: server.ca, insecure: false },
        user: { token: server.token },
      },
      { clock, env: {}, userAgent: 'kubepkg/test' },
    );
    return {
      cluster,
      interrupt: () => {
        proxy.cut();
      },
      close: async () => {
        cluster.close();
        await proxy.close();
        await server.close();
      },
    };
  },
});
