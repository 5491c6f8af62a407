import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { applyArgocdObjects, ARGOCD_NAMESPACE, createProbe, deleteProbe, probeJudged } from './argocd-objects.ts';
import type { ArgocdProcess } from './contract.ts';
import { applyDefinitions } from './custom-resources.ts';
import { httpAnswers } from './http-answers.ts';
import { freePorts } from './ports.ts';
import type { Registry } from './contract.ts';
import type { Rig } from './rig.ts';
import { startProcess, waitFor } from './rig.ts';

interface Servers {
  readonly redis: string;
  readonly repoServer: string;
  readonly repoServerMetrics: number;
}

/** The two that need no API server. */
export async function startArgocdServers(rig: Rig): Promise<Servers> {
  const [redisPort = 0, repoServerPort = 0, repoServerMetrics = 0] = await freePorts(3);
  const redis = `127.0.0.1:${String(redisPort)}`;
  startProcess(rig, {
    name: 'redis' satisfies ArgocdProcess,
    command: [rig.binaries.redis, `--port=${String(redisPort)}`],
  });
  startProcess(rig, {
    name: 'argocd-repo-server' satisfies ArgocdProcess,
    command: [
      rig.binaries.argocd,
      '--address=127.0.0.1',
      `--port=${String(repoServerPort)}`,
      '--metrics-address=127.0.0.1',
      `--metrics-port=${String(repoServerMetrics)}`,
      `--redis=${redis}`,
      '--disable-tls',
    ],
    env: repoServerEnvironment(rig),
    // "full" makes it ask itself over gRPC.
    answers: () => httpAnswers(repoServerMetrics, '/healthz?full=true'),
  });
  return { redis, repoServer: `127.0.0.1:${String(repoServerPort)}`, repoServerMetrics };
}

function repoServerEnvironment({ supervisor, setup, binaries }: Rig): Readonly<Record<string, string>> {
  const dir = join(supervisor.dir, 'argocd');
  const folder = (name: string): string => {
    mkdirSync(join(dir, name), { recursive: true });
    return join(dir, name);
  };
  writeFileSync(join(folder('ssh'), 'ssh_known_hosts'), '');
  return {
    ARGOCD_BINARY_NAME: 'argocd-repo-server',
    ARGOCD_GPG_ENABLED: 'false',
    ARGOCD_SSH_DATA_PATH: folder('ssh'),
    ARGOCD_TLS_DATA_PATH: folder('tls'),
    ARGOCD_GNUPGHOME: folder('gnupg'),
    ARGOCD_GPG_DATA_PATH: folder('gpg'),
    ARGOCD_PLUGINSOCKFILEPATH: folder('plugins'),
    // The default is one path for the whole machine.
    ARGOCD_ASK_PASS_SOCK: join(dir, 'ask-pass.sock'),
    SSL_CERT_FILE: setup.layout.files.ca,
    PATH: [dirname(binaries.helm), process.env['PATH'] ?? ''].join(delimiter),
  };
}

/** Returns when an Application has been judged. Needs the API server. */
export async function startArgocdController(rig: Rig, servers: Servers, registry: Registry | undefined): Promise<void> {
  const { access, layout } = rig.setup;
  const kubeconfig = layout.kubeconfigFor('argocd-application-controller');
  await applyDefinitions(rig, rig.binaries['argocd-crds']);
  await applyArgocdObjects(access, registry);
  const [metrics = 0] = await freePorts(1);
  startProcess(rig, {
    name: 'argocd-application-controller' satisfies ArgocdProcess,
    command: [
      rig.binaries.argocd,
      `--kubeconfig=${kubeconfig}`,
      `--namespace=${ARGOCD_NAMESPACE}`,
      `--redis=${servers.redis}`,
      `--repo-server=${servers.repoServer}`,
      '--repo-server-plaintext',
      // Argo CD gives this one no choice of address; it shows numbers only.
      `--metrics-port=${String(metrics)}`,
    ],
    env: {
      ARGOCD_BINARY_NAME: 'argocd-application-controller',
      // Otherwise https://kubernetes.default.svc, the cluster it runs in, is looked for in a pod's files.
      ARGOCD_FAKE_IN_CLUSTER: 'true',
      KUBECONFIG: kubeconfig,
      ARGOCD_RECONCILIATION_TIMEOUT: '30s',
      ARGOCD_RECONCILIATION_JITTER: '0s',
    },
    answers: () => httpAnswers(metrics, '/healthz'),
  });
  await createProbe(access);
  await waitFor(rig, 'The repo server of Argo CD', () => httpAnswers(servers.repoServerMetrics, '/healthz?full=true'));
  await waitFor(rig, 'The application controller of Argo CD', () => probeJudged(access));
  await deleteProbe(access);
}
