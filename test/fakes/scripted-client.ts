import type { ClusterAccess } from '../../src/adapters/kube/access.ts';
import { type ClientSettings, createClient } from '../../src/adapters/kube/create-cluster.ts';
import type { KubeClient } from '../../src/adapters/kube/kube-client.ts';
import { ArmedClock } from './armed-clock.ts';
import { ScriptedApiServer, type ScriptedApiServerOptions } from './scripted-api-server.ts';

export interface ScriptedWorld {
  readonly server: ScriptedApiServer;
  readonly clock: ArmedClock;
  readonly client: KubeClient;
  readonly close: () => Promise<void>;
}

export interface ScriptedWorldOptions {
  readonly server?: ScriptedApiServerOptions;
  readonly access?: Partial<ClusterAccess>;
  readonly settings?: Partial<ClientSettings>;
}

export function accessTo(server: string, over: Partial<ClusterAccess> = {}): ClusterAccess {
  return { server, namespace: 'default', origin: 'the test', tls: { insecure: false }, user: {}, ...over };
}

/** A client, its scripted server and the clock that both are driven by. */
export async function scriptedWorld(options: ScriptedWorldOptions = {}): Promise<ScriptedWorld> {
  const server = await ScriptedApiServer.start(options.server);
  const clock = new ArmedClock();
  const settings = { clock, env: {}, userAgent: 'kubepkg/1.2.3', ...options.settings };
  const client = createClient(accessTo(server.url, options.access), settings);
  const close = async (): Promise<void> => {
    client.close();
    await server.stop();
  };
  return { server, clock, client, close };
}
