import type { KubeObject } from '../../../src/api/kube.ts';
import {
  builderOf,
  condition,
  daemonSet,
  deployment,
  job,
  node,
  pod,
  service,
  statefulSet,
  warning,
} from '../../build/readiness-objects.ts';
import type { Failure, Stage } from './stage.ts';

const NONE_READY = { readyReplicas: 0, availableReplicas: 0, conditions: [condition('Available', 'False')] };
const NOT_READY = condition('Ready', 'False');
const database = builderOf('example.org/v1', 'Database', { metadata: { name: 'orders', generation: 2 } });
const claim = builderOf('v1', 'PersistentVolumeClaim', { metadata: { name: 'data' } });

interface ContainerState {
  readonly waiting?: object;
  readonly running?: object;
  readonly terminated?: object;
}

/** A pod with one container in that state. */
function podWith(state: ContainerState, more: object = {}): KubeObject {
  const status = { name: 'app', image: 'example.org/web:1', ready: false, restartCount: 0, state, ...more };
  return pod({
    metadata: { name: 'web-5d9f7c-x2x4k' },
    spec: { containers: [{ name: 'app', image: 'example.org/web:1' }] },
    status: { phase: 'Pending', conditions: [NOT_READY], containerStatuses: [status] },
  });
}

/** A Deployment whose pod is not ready. */
function failingPod(what: string, cause: string, around: readonly KubeObject[]): Failure {
  return { what, cause, play: (stage) => stage.install([deployment({}, NONE_READY)], { around }) };
}

function failing(
  what: string,
  cause: string,
  objects: readonly KubeObject[],
  around: readonly KubeObject[] = [],
): Failure {
  return { what, cause, play: (stage) => stage.install(objects, { around }) };
}

const CRASHED = { terminated: { exitCode: 3, reason: 'Error' } };
const BACK_OFF = { waiting: { reason: 'CrashLoopBackOff' } };
const STARTING = podWith({ waiting: { reason: 'ContainerCreating' } });
const RUNNING = podWith({ running: {} });
const FAILED_JOB = job(
  {},
  {
    failed: 7,
    conditions: [
      condition('Failed', 'True', {
        reason: 'BackoffLimitExceeded',
        message: 'Job has reached the specified backoff limit',
      }),
    ],
  },
);

function unscheduled(message: string): KubeObject {
  const conditions = [condition('PodScheduled', 'False', { reason: 'Unschedulable', message }), NOT_READY];
  return pod({ metadata: { name: 'web-5d9f7c-x2x4k' }, status: { phase: 'Pending', conditions } });
}

export const POD_FAILURES: readonly Failure[] = [
  failingPod('an image that does not exist', 'cannot pull image example.org/web:1: not found', [
    podWith({ waiting: { reason: 'ErrImagePull', message: 'ErrImagePull: not found' } }),
  ]),
  failingPod('a container that ends with an error', 'container app last ended with exit code 3', [
    podWith(BACK_OFF, { restartCount: 5, lastState: CRASHED }),
  ]),
  failingPod('a container that takes more memory than it may', 'exit code 137 (OOMKilled)', [
    podWith(BACK_OFF, { restartCount: 5, lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } } }),
  ]),
  failingPod('no node for a pod', 'not scheduled: 0/3 nodes are available: 3 Insufficient memory', [
    unscheduled('0/3 nodes are available: 3 Insufficient memory.'),
  ]),
  failingPod('a Secret for environment variables that does not exist', 'secret "db" not found', [
    podWith({ waiting: { reason: 'CreateContainerConfigError', message: 'secret "db" not found' } }),
  ]),
  failingPod('a ConfigMap for a volume that does not exist', 'configmap "settings" not found', [
    STARTING,
    warning(STARTING, 'FailedMount', 'MountVolume.SetUp failed for volume "settings" : configmap "settings" not found'),
  ]),
  failingPod('a readiness probe that fails', 'Readiness probe failed: HTTP probe failed with statuscode: 503', [
    RUNNING,
    warning(RUNNING, 'Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503'),
  ]),
  failingPod('an init container that does not end', 'init container wait-for-db has not ended yet', [
    pod({
      metadata: { name: 'web-5d9f7c-x2x4k' },
      status: {
        phase: 'Pending',
        conditions: [NOT_READY],
        initContainerStatuses: [{ name: 'wait-for-db', ready: false, restartCount: 0, state: { running: {} } }],
      },
    }),
  ]),
  failingPod('a pod that was evicted', 'failed: Evicted: The node was low on resource: memory', [
    pod({
      metadata: { name: 'web-5d9f7c-x2x4k' },
      status: { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' },
    }),
  ]),
  failing('a quota that is used up', 'pods cannot be created: exceeded quota: small', [
    deployment(
      {},
      {
        ...NONE_READY,
        conditions: [
          condition('ReplicaFailure', 'True', {
            reason: 'FailedCreate',
            message:
              'pods "web-5d9f7c-x2x4k" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1',
          }),
        ],
      },
    ),
  ]),
  failing('a rollout that makes no progress', 'ReplicaSet "web-5d9f7c" has timed out progressing', [
    deployment(
      {},
      {
        ...NONE_READY,
        conditions: [
          condition('Progressing', 'False', {
            reason: 'ProgressDeadlineExceeded',
            message: 'ReplicaSet "web-5d9f7c" has timed out progressing.',
          }),
        ],
      },
    ),
  ]),
];

function custom(status: object): KubeObject {
  return database({ spec: {}, status });
}

const DEFINITION: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'databases.example.org' },
  spec: {
    group: 'example.org',
    names: { kind: 'Database' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true }],
  },
  status: {
    conditions: [
      condition('NamesAccepted', 'False', {
        reason: 'PluralConflict',
        message: '"databases" is already in use',
      }),
    ],
  },
};

const WEBHOOK: KubeObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'web' },
  webhooks: [
    { name: 'check.example.org', clientConfig: { caBundle: 'Q0E=', service: { name: 'web', namespace: 'shop' } } },
  ],
};

const API_SERVICE: KubeObject = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.metrics.example.org' },
  spec: { service: { name: 'web', namespace: 'shop' } },
  status: {
    conditions: [
      condition('Available', 'False', {
        reason: 'MissingEndpoints',
        message: 'endpoints for service/web in "shop" have no addresses',
      }),
    ],
  },
};

async function goneMeanwhile(stage: Stage): Promise<void> {
  const object = deployment({}, NONE_READY);
  await stage.install([object]);
  stage.world.cluster.remove({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: 'shop' });
  await stage.world.advance(60_000);
}

export const OBJECT_FAILURES: readonly Failure[] = [
  failing(
    'a claim that no volume is found for',
    'storageclass.storage.k8s.io "fast" not found',
    [claim({ spec: { storageClassName: 'fast' }, status: { phase: 'Pending' } })],
    [warning(claim(), 'ProvisioningFailed', 'storageclass.storage.k8s.io "fast" not found')],
  ),
  failing(
    'a Job that failed',
    'container app last ended with exit code 3',
    [FAILED_JOB],
    [podWith(CRASHED, { restartCount: 0 })],
  ),
  failing('a Job that is suspended', 'suspended (spec.suspend), so it does not run', [job({ suspend: true })]),
  failing('a webhook whose Service has no endpoint', 'Service shop/web has no ready endpoint', [
    WEBHOOK,
    service({ spec: { clusterIP: '10.0.0.7' } }),
  ]),
  failing('a CRD whose names are taken', 'NamesAccepted is False: PluralConflict', [DEFINITION]),
  failing('an aggregated API that is not available', 'Available is False: MissingEndpoints', [API_SERVICE]),
  failing('a status that is about the state before', 'its status is about generation 1 of 2', [
    deployment({}, { observedGeneration: 1 }),
  ]),
  failing('a custom resource that says why it is not ready', 'no credentials for the backup store', [
    custom({
      observedGeneration: 2,
      conditions: [
        condition('Ready', 'False', { reason: 'BackupFailed', message: 'no credentials for the backup store' }),
      ],
    }),
  ]),
  { what: 'an object that somebody removed', cause: 'Deployment shop/web: does not exist', play: goneMeanwhile },
  {
    what: 'an object of a kind that is not served',
    cause: 'example.org/v1beta1 Broker is not served yet',
    play: (stage) =>
      stage.install([service({ spec: { clusterIP: '10.0.0.7' } })], {
        component: {
          readyWhen: [
            { apiVersion: 'example.org/v1beta1', kind: 'Broker', name: 'main', condition: 'Ready', status: 'True' },
          ],
        },
      }),
  },
  {
    what: 'a condition of `readyWhen` that does not hold',
    cause: 'condition Synced is False: NoPeer: no peer answers; True is wanted',
    play: (stage) =>
      stage.install(
        [
          custom({
            observedGeneration: 2,
            conditions: [
              condition('Ready', 'True'),
              condition('Synced', 'False', { reason: 'NoPeer', message: 'no peer answers' }),
            ],
          }),
        ],
        {
          component: {
            readyWhen: [
              { apiVersion: 'example.org/v1', kind: 'Database', name: 'orders', condition: 'Synced', status: 'True' },
            ],
          },
        },
      ),
  },
  failing('an object that is being deleted, and held', 'is being deleted, held by example.org/backup', [
    {
      ...custom({}),
      metadata: {
        name: 'orders',
        namespace: 'shop',
        deletionTimestamp: '2030-01-01T00:00:00Z',
        finalizers: ['example.org/backup'],
      },
    },
  ]),
  failing('a StatefulSet whose pods are not all updated', '1 of 2 replicas updated', [
    statefulSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } }, { updatedReplicas: 1 }),
  ]),
  failing(
    'a StatefulSet that keeps a broken pod of another revision',
    'its StatefulSet replaces no pod that is not ready: delete the pod',
    [statefulSet({}, { readyReplicas: 2, updatedReplicas: 0, updateRevision: 'web-2' })],
    [
      pod({
        metadata: { name: 'web-2', labels: { app: 'web', 'controller-revision-hash': 'web-1' } },
        status: {
          phase: 'Pending',
          conditions: [condition('PodScheduled', 'False', { message: 'too big' }), NOT_READY],
        },
      }),
    ],
  ),
  failing(
    'a DaemonSet with a node that is not ready',
    'nodes that are not ready: worker-2',
    [daemonSet({}, { numberReady: 1, numberAvailable: 1 })],
    [
      node('worker-2', 'False'),
      pod({ metadata: { name: 'web-x2x4k' }, spec: { nodeName: 'worker-2' }, status: { conditions: [NOT_READY] } }),
    ],
  ),
  {
    what: 'a load balancer that gets no address',
    cause: 'has no external address yet',
    play: (stage) =>
      stage.install([service({ spec: { type: 'LoadBalancer', clusterIP: '10.0.0.7' } })], {
        component: { readiness: { loadBalancer: 'Address' } },
      }),
  },
];
