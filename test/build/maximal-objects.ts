import type { KubeObject } from '../../src/api/kube.ts';

/** One object of each kind that uses every field of its schema, for tests that nothing of ours gets lost. */
const API_VERSION = 'kubepkg.dev/v1';
const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;
const TIME = '2026-11-01T10:20:30Z';

const conditions = [
  {
    type: 'Ready',
    status: 'False',
    observedGeneration: 3,
    lastTransitionTime: TIME,
    reason: 'Progressing',
    message: 'waiting for Deployment demo/app',
  },
  { type: 'Available', status: 'Unknown', lastTransitionTime: TIME, reason: 'Progressing', message: '' },
];

const readyWhen = [
  {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    name: 'kubevirt',
    namespace: 'kubevirt',
    condition: 'Available',
    status: 'True',
    stableFor: '1m30s',
    observedGeneration: 'Ignore',
  },
  { apiVersion: 'v1', kind: 'Pod', name: 'p', status: 'True', expression: "status.phase == 'Running'" },
];

const healthCheckExprs = [
  {
    apiVersion: 'example.org/v1',
    kind: 'Thing',
    current: "status.phase == 'Done'",
    inProgress: "status.phase == 'Busy'",
    failed: "status.phase == 'Broken'",
  },
];

const readiness = { loadBalancer: 'Address', notReadyNodes: 'Tolerate', jobs: 'Started' };

const values = {
  text: 'a',
  number: 1.5,
  large: 12345678901,
  flag: false,
  nothing: null,
  '': 'empty name',
  'dotted.name/with slash': [1, 'two', { three: [] }, null],
  kind: 'Secret',
  metadata: { name: 1, labels: [] },
  apiVersion: {},
};

const componentOverrides = { app: { enabled: false, values, releaseName: 'app-release', namespace: 'demo' } };

const maximalPackage: KubeObject = {
  apiVersion: API_VERSION,
  kind: 'Package',
  metadata: { name: 'maximal' },
  spec: {
    variant: 'full',
    version: '>=1.2, <2 || ^3.0.0-0',
    repository: 'main',
    ignoreDependencies: ['other', 'api:example.org/v1'],
    components: componentOverrides,
    upgrade: { atomic: false, timeout: '1h30m' },
    revisionHistoryLimit: 3,
    crdPolicy: 'Delete',
    suspend: true,
    backend: 'flux',
  },
  status: {
    observedGeneration: 3,
    observedSourceGeneration: 2,
    conditions,
    dependencies: { other: { ready: true } },
    version: '1.2.3',
    currentRevision: 4,
    history: [{ revision: 4, version: '1.2.3', phase: 'Applied' }],
  },
};

const install = {
  namespace: 'demo',
  releaseName: 'app',
  privileged: true,
  dependsOn: ['operator'],
  upgradeCRDs: 'CreateReplace',
  waitStrategy: 'poller',
  healthCheckExprs,
  phase: 'PreUpgrade',
  readyWhen,
  readiness,
  recreate: 'Never',
  skipSchemaValidation: true,
};

const chart = { repository: 'oci://example.org/charts', name: 'app', version: '1.2.3', digest: DIGEST };

const maximalSource: KubeObject = {
  apiVersion: API_VERSION,
  kind: 'PackageSource',
  metadata: { name: 'maximal' },
  spec: {
    version: '1.2.3',
    build: 2,
    provides: ['storage'],
    conflicts: ['other'],
    crds: ['things.example.org'],
    permissions: {
      clusterWide: true,
      rules: [
        {
          apiGroups: [''],
          resources: ['secrets'],
          resourceNames: ['one'],
          nonResourceURLs: ['/metrics'],
          verbs: ['get'],
        },
      ],
    },
    rollback: { safe: true },
    images: [`example.org/app:1.2.3@${DIGEST}`],
    sourceRef: {
      kind: 'OCIArtifact',
      name: 'tree',
      namespace: 'flux-system',
      url: `oci://example.org/tree:1.2.3@${DIGEST}`,
      path: 'charts',
    },
    variants: [
      {
        name: 'full',
        dependsOn: ['other'],
        requires: [{ package: 'database', version: '>=2', optional: true }, { capability: 'api:example.org/v1' }],
        libraries: [{ path: 'libraries/common', name: 'common' }],
        components: [
          { name: 'app', chart, install },
          { name: 'tree', path: 'app', valuesFiles: ['values.yaml', 'more.yaml'], libraries: ['common'] },
        ],
      },
    ],
  },
  status: { conditions },
};

const progress = {
  name: 'app',
  state: 'Submitted',
  attempt: 2,
  startedAt: TIME,
  deadline: TIME,
  awaitedSince: TIME,
  readyAt: TIME,
  backendRevision: 7,
  rewaits: 1,
  message: 'waiting for Deployment demo/app',
};

const maximalComponent = {
  name: 'app',
  releaseName: 'app',
  namespace: 'demo',
  dependsOn: ['operator'],
  chartDigest: DIGEST,
  valuesDigest: DIGEST,
  digest: DIGEST,
  chart: {
    kind: 'tree',
    repository: 'https://charts.example.org',
    name: 'app',
    version: '1.2.3',
    url: 'oci://example.org/tree:1.2.3',
    root: 'charts',
    path: 'app',
    libraries: [{ name: 'common', path: 'libraries/common' }],
    valuesFiles: ['values.yaml'],
    treeDigest: DIGEST,
    record: 4,
  },
  valuesRef: { namespace: 'kubepkg-system', name: 'maximal-4-values', key: 'app' },
  privileged: true,
  upgradeCRDs: 'Create',
  readyWhen,
  healthCheckExprs,
  waitStrategy: 'legacy',
  readiness,
  recreate: 'FinishedJobs',
  skipSchemaValidation: true,
};

const maximalRevision: KubeObject = {
  apiVersion: API_VERSION,
  kind: 'PackageRevision',
  metadata: { name: 'maximal-4' },
  spec: {
    package: 'maximal',
    revision: 4,
    version: '1.2.3',
    build: 2,
    variant: 'full',
    rollbackSafe: true,
    restoredFrom: 2,
    backend: 'flux',
    adopt: true,
    components: [maximalComponent],
    fromVersion: '1.1.0',
    hooks: [{ ...maximalComponent, name: 'migrate' }],
    crds: ['widgets.example.org'],
    requires: [{ package: 'base', version: '>=1', optional: true }, { capability: 'api:example.org/v1' }],
  },
  status: {
    phase: 'Failed',
    message: 'app was not ready in time',
    failure: { component: 'app', code: 'DeadlineExceeded', message: 'Deployment demo/app was not ready in 10m' },
    appliedAt: TIME,
    components: [progress],
    hooks: [{ ...progress, name: 'migrate', state: 'Ready' }],
    removals: [{ ...progress, name: 'extra' }],
    suspendedAt: TIME,
    evidence: {
      component: 'app',
      findings: ['Pod demo/app-0: container app exited with code 3'],
      logs: { namespace: 'kubepkg-system', name: 'kubepkg-evidence-maximal-4' },
    },
    rollback: { to: 3, state: 'Failed', revision: 5, message: 'the chart cannot be fetched' },
    conditions,
  },
};

const maximalRepository: KubeObject = {
  apiVersion: API_VERSION,
  kind: 'Repository',
  metadata: { name: 'maximal' },
  spec: {
    url: 'https://packages.example.org',
    priority: -5,
    interval: '30m',
    publicKeys: ['-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----\n'],
    trust: { rootKeys: ['key one', 'key two'], rootThreshold: 2 },
    allowUnsigned: true,
  },
  status: {
    conditions,
    packages: 12,
    indexDigest: DIGEST,
    lastFetched: TIME,
    indexGenerated: TIME,
    rootVersion: 3,
    rootDigest: DIGEST,
  },
};

export const MAXIMAL_OBJECTS = [maximalPackage, maximalSource, maximalRevision, maximalRepository] as const;
