import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import type { Authority } from '../../src/lib/tls/certificate.ts';
import { freePorts } from './ports.ts';
import type { BasicAuth, Registry, RegistryOptions } from './contract.ts';
import type { Rig } from './rig.ts';
import { startProcess } from './rig.ts';

export const REGISTRY_NAME = 'registry';

// The registry takes bcrypt only, which Node lacks; so there is one user, hashed once. The password guards nothing.
const TEST_USER: BasicAuth = { username: 'tester', password: 'for-tests-only' };
const TEST_USER_LINE = 'tester:$2a$04$Oyu/YjtAcEbQkmInXgtWBeuvzt8Rg1oXZ4bOyCoACeaExabOZY15e\n';

/** Starts an OCI registry over TLS on a free port of the loopback. */
export async function startRegistry(rig: Rig, options: RegistryOptions): Promise<Registry> {
  const { authority, access, layout } = rig.setup;
  const dir = join(rig.supervisor.dir, REGISTRY_NAME);
  mkdirSync(join(dir, 'data'), { recursive: true });
  const [port = 0] = await freePorts(1);
  const host = `127.0.0.1:${String(port)}`;
  const settings = writeSettings(dir, host, { authority, basicAuth: options.basicAuth === true });
  const registry = { host, hostByName: `localhost:${String(port)}`, caFile: layout.files.ca, dir: join(dir, 'data') };
  startProcess(rig, {
    name: REGISTRY_NAME,
    command: [rig.binaries.registry, 'serve', settings],
    env: { OTEL_TRACES_EXPORTER: 'none' },
    answers: () => registryAnswers(registry, access.ca),
  });
  return options.basicAuth === true ? { ...registry, basicAuth: TEST_USER } : registry;
}

function writeSettings(
  dir: string,
  host: string,
  options: { readonly authority: Authority; readonly basicAuth: boolean },
): string {
  const { key, certificate } = options.authority.issue(REGISTRY_NAME);
  const file = (name: string, content: string): string => {
    writeFileSync(join(dir, name), content, { mode: 0o600 });
    return join(dir, name);
  };
  const tls = { certificate: file('tls.crt', certificate), key: file('tls.key', key) };
  const auth = options.basicAuth
    ? { auth: { htpasswd: { realm: 'test', path: file('htpasswd', TEST_USER_LINE) } } }
    : {};
  const settings = {
    version: 0.1,
    log: { level: 'warn', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(dir, 'data') }, delete: { enabled: true } },
    http: { addr: host, tls },
    ...auth,
  };
  return file('config.yaml', dump(settings));
}

export function registryAnswers(registry: Registry, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const outgoing = request(`https://${registry.host}/v2/`, { ca, agent: false, timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200 || response.statusCode === 401);
    });
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', () => {
      resolve(false);
    });
    outgoing.end();
  });
}
