import type { PartName } from './pins.ts';

export interface VersionProbe {
  readonly args: readonly string[];
  readonly pattern: RegExp;
  readonly wanted: string;
  readonly suits: (major: number, minor: number) => boolean;
}

const sameMinor =
  (major: number, minor: number) =>
  (candidateMajor: number, candidateMinor: number): boolean =>
    candidateMajor === major && candidateMinor === minor;

const kubernetesProbe: VersionProbe = {
  args: ['--version'],
  pattern: /Kubernetes v(\d+)\.(\d+)/,
  wanted: '1.36.x',
  suits: sameMinor(1, 36),
};

/** How a binary that is already on the machine is recognised as good enough. What is not here is always made. */
export const PROBES: Readonly<Partial<Record<PartName, VersionProbe>>> = {
  etcd: {
    args: ['--version'],
    pattern: /etcd Version: (\d+)\.(\d+)/,
    wanted: '3.6.x',
    suits: sameMinor(3, 6),
  },
  'kube-apiserver': kubernetesProbe,
  'kube-controller-manager': kubernetesProbe,
  'kube-scheduler': kubernetesProbe,
  kwok: {
    args: ['--version'],
    pattern: /kwok version v(\d+)\.(\d+)/,
    wanted: '0.8.x',
    suits: sameMinor(0, 8),
  },
  registry: {
    args: ['--version'],
    pattern: /distribution\/v3 v?(\d+)\.(\d+)/,
    wanted: '3.x',
    suits: (major) => major === 3,
  },
  helm: {
    args: ['version', '--short'],
    pattern: /^v(\d+)\.(\d+)/m,
    wanted: '4.x',
    suits: (major) => major === 4,
  },
  kubectl: {
    args: ['version', '--client', '-o', 'json'],
    pattern: /"gitVersion": "v(\d+)\.(\d+)\./,
    wanted: '1.35.x to 1.37.x',
    suits: (major, minor) => major === 1 && Math.abs(minor - 36) <= 1,
  },
  argocd: {
    args: ['version', '--client', '--short'],
    pattern: /^argocd: v(\d+)\.(\d+)/m,
    wanted: '3.2.x',
    suits: sameMinor(3, 2),
  },
};
