import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CredentialFiles } from './credentials.ts';
import type { Binaries } from './prepare.ts';

export interface Layout {
  readonly dir: string;
  readonly logs: string;
  readonly auditLog: string | undefined;
  readonly ports: { readonly etcd: number; readonly etcdPeer: number; readonly apiServer: number };
  readonly files: CredentialFiles;
  readonly stages: string;
  readonly kubeconfigFor: (user: string) => string;
  readonly apiServerArgs: readonly string[];
}

export type ComponentName = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kwok';

export function commandOf(name: ComponentName, binaries: Binaries<ComponentName>, layout: Layout): readonly string[] {
  return [binaries[name], ...ARGUMENTS[name](layout)];
}

const ARGUMENTS: Readonly<Record<ComponentName, (layout: Layout) => readonly string[]>> = {
  etcd: ({ dir, ports }) => {
    const client = `http://127.0.0.1:${String(ports.etcd)}`;
    const peer = `http://127.0.0.1:${String(ports.etcdPeer)}`;
    return [
      `--data-dir=${join(dir, 'etcd')}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      '--unsafe-no-fsync',
      '--log-level=warn',
    ];
  },
  'kube-apiserver': (layout) => [...apiServerArguments(layout), ...auditArguments(layout), ...layout.apiServerArgs],
  'kube-controller-manager': ({ files, kubeconfigFor }) => [
    `--kubeconfig=${kubeconfigFor('system:kube-controller-manager')}`,
    `--service-account-private-key-file=${files.signingKey}`,
    `--root-ca-file=${files.ca}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
  ],
  'kube-scheduler': ({ kubeconfigFor }) => [
    `--kubeconfig=${kubeconfigFor('system:kube-scheduler')}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
  ],
  kwok: (layout) => [
    `--kubeconfig=${layout.kubeconfigFor('kwok')}`,
    '--manage-all-nodes=true',
    '--node-lease-duration-seconds=40',
    '--cidr=10.244.0.1/16',
    ...kwokFiles(layout).map((file) => `--config=${file}`),
  ],
};

function apiServerArguments({ dir, ports, files }: Layout): readonly string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${String(ports.etcd)}`,
    '--bind-address=127.0.0.1',
    // Without these two the server looks for a route to the outside, which a sealed machine has not.
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--secure-port=${String(ports.apiServer)}`,
    `--cert-dir=${join(dir, 'pki')}`,
    `--tls-cert-file=${files.serverCertificate}`,
    `--tls-private-key-file=${files.serverKey}`,
    `--token-auth-file=${files.tokens}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${files.signingPublicKey}`,
    `--service-account-signing-key-file=${files.signingKey}`,
    '--service-cluster-ip-range=10.0.0.0/16',
    // Otherwise a pod made right after its namespace is refused until the token controller has caught up.
    '--disable-admission-plugins=ServiceAccount',
    '--allow-privileged=true',
    '--profiling=false',
  ];
}

function auditArguments({ dir, auditLog }: Layout): readonly string[] {
  if (auditLog === undefined) return [];
  const policy = join(dir, 'audit-policy.yaml');
  const content = {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    // Asking after health says nothing about the cluster's objects, and is asked all the time.
    rules: [{ level: 'None', nonResourceURLs: ['/readyz*', '/livez*', '/healthz*'] }, { level: 'Metadata' }],
  };
  writeFileSync(policy, JSON.stringify(content));
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${auditLog}`];
}

function kwokFiles({ dir, stages }: Layout): readonly string[] {
  const settings = join(dir, 'kwok.yaml');
  const content = {
    apiVersion: 'config.kwok.x-k8s.io/v1alpha1',
    kind: 'KwokConfiguration',
    metadata: { name: 'kubepkg' },
    // A file with options is not completed with defaults.
    options: {
      podPlayStageParallelism: 16,
      nodePlayStageParallelism: 4,
      nodeLeaseParallelism: 4,
      podsOnNodeSyncParallelism: 1,
      enableDebuggingHandlers: false,
    },
  };
  writeFileSync(settings, JSON.stringify(content));
  const names = readdirSync(stages)
    .filter((name) => name.endsWith('.yaml'))
    .sort();
  return [settings, ...names.map((name) => join(stages, name))];
}
