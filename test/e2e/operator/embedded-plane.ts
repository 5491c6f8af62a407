import { appendFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { prepare } from '../../../dev/controlplane/prepare.ts';
import { SystemClock } from '../../../src/adapters/clock/system-clock.ts';
import { createEmbeddedApi } from '../../../src/embedded/api/index.ts';
import { simulationHooks, startControllers } from '../../../src/embedded/controllers/index.ts';
import { type ApiServer, kubeconfigFor, startApiServer } from '../../../src/embedded/http/index.ts';
import { startRegistryServer } from '../../../src/embedded/registry/server.ts';
import { createAuthority } from '../../../src/lib/tls/certificate.ts';
import { auditedApi } from './audited-api.ts';
import type { Plane } from './plane.ts';

/** Both may do everything; each has an API server of its own, so that one can tell who has asked for what. */
const USERS = ['admin', 'kubepkg'] as const;

/** A cluster and a registry in this process, in real time; only helm is a program. */
export async function startEmbeddedPlane(): Promise<Plane> {
  const { helm } = await prepare({ parts: ['helm'] });
  const dir = await mkdtemp(join(tmpdir(), 'kubepkg-embedded-'));
  const clock = new SystemClock();
  const random = (): number => clock.random();
  const hooks = simulationHooks();
  const api = createEmbeddedApi({ clock, random, logs: hooks.logs, admit: hooks.admit });
  const authority = createAuthority('embedded', clock.now());
  const { key, certificate } = authority.issue('kube-apiserver');
  const caFile = join(dir, 'ca.crt');
  const auditLog = join(dir, 'audit.log');
  writeFileSync(caFile, authority.certificate);
  writeFileSync(auditLog, '');
  const fileOf = (user: string): string => join(dir, `${user}.kubeconfig`);
  const servers: ApiServer[] = [];
  for (const user of USERS) {
    const audited = auditedApi(api, user, (event) => {
      appendFileSync(auditLog, `${JSON.stringify(event)}\n`);
    });
    const tls = { key, cert: certificate, ca: authority.certificate };
    const server = await startApiServer({ api: audited, clock, tls, token: `token-of-${user}` });
    writeFileSync(fileOf(user), kubeconfigFor(server, user));
    servers.push(server);
  }
  const controllers = startControllers({ api, clock, random, hooks, authority: authority.certificate });
  const registry = await startRegistryServer({ tls: authority.issue('registry') });
  return {
    kubeconfig: fileOf('admin'),
    kubeconfigFor: fileOf,
    caFile,
    auditLog,
    binaries: { helm },
    registry: { host: registry.host },
    env: environment(dir, { helm, kubeconfig: fileOf('admin'), caFile }),
    stop: async () => {
      controllers.stop();
      await Promise.all([...servers, registry].map((server) => server.close()));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

interface Places {
  readonly helm: string;
  readonly kubeconfig: string;
  readonly caFile: string;
}

function environment(dir: string, { helm, kubeconfig, caFile }: Places): NodeJS.ProcessEnv {
  return {
    PATH: `${dirname(helm)}:${process.env['PATH'] ?? ''}`,
    HOME: dir,
    KUBECONFIG: kubeconfig,
    SSL_CERT_FILE: caFile,
    HELM_CACHE_HOME: join(dir, 'helm-cache'),
    HELM_CONFIG_HOME: join(dir, 'helm-config'),
    HELM_DATA_HOME: join(dir, 'helm-data'),
  };
}
