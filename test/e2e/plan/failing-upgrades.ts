import type { ErrorCode } from '../../../src/api/errors.ts';
import type { PlannedComponent } from '../../../src/domain/plan/predictions/facts.ts';

/** Both editions of a chart: what `NS` stands for is the namespace of the release. */
export interface FailingUpgrade {
  readonly code: string;
  readonly before: string;
  readonly after: string;
  readonly component?: Partial<PlannedComponent>;
  /** What the delivery fails with; absent: whatever. */
  readonly fails?: ErrorCode;
  /** Only a trial tells: no table has it. */
  readonly byTrial?: boolean;
}

const EMPTY = '';
const POD = 'spec: {containers: [{name: a, image: "example.org/a:1"}]}';

export function workload(kind: string, app: string, rest = ''): string {
  const template = `{metadata: {labels: {app: ${app}}}, ${POD}}`;
  return `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: a}, spec: {${rest}selector: {matchLabels: {app: ${app}}}, template: ${template}}}`;
}

export function job(image: string, { env = '', runFor = '0s' } = {}): string {
  return `
apiVersion: batch/v1
kind: Job
metadata: {name: a}
spec:
  backoffLimit: 0
  template:
    metadata: {annotations: {sim.kubepkg.dev/run-for: ${runFor}}}
    spec: {restartPolicy: Never, containers: [{name: a, image: "example.org/a:${image}", env: [${env}]}]}`;
}

function database(rest: string, size = '1Gi'): string {
  const claim = `{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: ${size}}}}}`;
  return workload('StatefulSet', 'a', `${rest}, volumeClaimTemplates: [${claim}], `);
}

function claim(spec: string): string {
  return `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}, spec: {accessModes: [ReadWriteOnce], ${spec}}}`;
}

function binding(role: string): string {
  const ref = `roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${role}}`;
  return `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: a}, ${ref}}`;
}

function clusterObject(apiVersion: string, kind: string, rest: string): string {
  return `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: NS}, ${rest}}`;
}

export function data(kind: string, rest: string): string {
  return `{apiVersion: v1, kind: ${kind}, metadata: {name: a}, ${rest}}`;
}

export function definition(versions: readonly string[], { scope = 'Namespaced', extra = '' } = {}): string {
  const schema = `schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}${extra}}}}}}`;
  const listed = versions.map(
    (name, index) => `{name: ${name}, served: true, storage: ${String(index === 0)}, ${schema}}`,
  );
  const spec = `{group: NS.example.org, scope: ${scope}, names: {kind: Part, plural: parts}, versions: [${listed.join()}]}`;
  return `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: parts.NS.example.org}, spec: ${spec}}`;
}

/** Upgrades that fail for reasons that a plan can know. */
export const FAILING_UPGRADES: Readonly<Record<string, FailingUpgrade>> = {
  'F52 a Job whose image changes, and that must not be made again': {
    code: 'ImmutableField',
    before: job('1'),
    after: job('2'),
    component: { recreate: 'Never' },
    fails: 'ImmutableField',
  },
  'F52 a Job that runs while its image changes': {
    code: 'ImmutableField',
    before: job('1', { runFor: '1h' }),
    after: job('2', { runFor: '1h' }),
    fails: 'ImmutableField',
  },
  'F52 a Job that loses an environment variable': {
    code: 'ImmutableField',
    before: job('1', { env: '{name: A, value: a}' }),
    after: job('1'),
    component: { recreate: 'Never' },
    fails: 'ImmutableField',
  },
  'the claim template of a StatefulSet': {
    code: 'ImmutableField',
    before: database('serviceName: a'),
    after: database('serviceName: a', '2Gi'),
    fails: 'ImmutableField',
  },
  'the service of a StatefulSet': {
    code: 'ImmutableField',
    before: database('serviceName: a'),
    after: database('serviceName: b'),
    fails: 'ImmutableField',
  },
  'the selector of a Deployment': {
    code: 'ImmutableField',
    before: workload('Deployment', 'a'),
    after: workload('Deployment', 'b'),
    fails: 'ImmutableField',
  },
  'the selector of a DaemonSet': {
    code: 'ImmutableField',
    before: workload('DaemonSet', 'a'),
    after: workload('DaemonSet', 'b'),
    fails: 'ImmutableField',
  },
  'the selector of a ReplicaSet': {
    code: 'ImmutableField',
    before: workload('ReplicaSet', 'a'),
    after: workload('ReplicaSet', 'b'),
    fails: 'ImmutableField',
  },
  'the cluster IP of a Service': {
    code: 'ImmutableField',
    before: data('Service', 'spec: {ports: [{port: 80}]}'),
    after: data('Service', 'spec: {clusterIP: None, ports: [{port: 80}]}'),
    fails: 'ImmutableField',
  },
  'the class of a claim': {
    code: 'ImmutableField',
    before: claim('storageClassName: a, resources: {requests: {storage: 1Gi}}'),
    after: claim('storageClassName: b, resources: {requests: {storage: 1Gi}}'),
    fails: 'ImmutableField',
  },
  'a claim that shrinks': {
    code: 'ImmutableField',
    before: claim('storageClassName: a, resources: {requests: {storage: 2Gi}}'),
    after: claim('storageClassName: a, resources: {requests: {storage: 1Gi}}'),
  },
  'a claim that grows before it is bound': {
    code: 'ImmutableField',
    before: claim('storageClassName: a, resources: {requests: {storage: 1Gi}}'),
    after: claim('storageClassName: a, resources: {requests: {storage: 2Gi}}'),
  },
  'the role of a RoleBinding': { code: 'ImmutableField', before: binding('view'), after: binding('edit') },
  'the parameters of a StorageClass': {
    code: 'ImmutableField',
    before: clusterObject('storage.k8s.io/v1', 'StorageClass', 'provisioner: example.org/a, parameters: {type: slow}'),
    after: clusterObject('storage.k8s.io/v1', 'StorageClass', 'provisioner: example.org/a, parameters: {type: fast}'),
  },
  'a parameter that a StorageClass loses': {
    code: 'ImmutableField',
    before: clusterObject('storage.k8s.io/v1', 'StorageClass', 'provisioner: example.org/a, parameters: {a: b, c: d}'),
    after: clusterObject('storage.k8s.io/v1', 'StorageClass', 'provisioner: example.org/a, parameters: {a: b}'),
  },
  'the value of a PriorityClass': {
    code: 'ImmutableField',
    before: clusterObject('scheduling.k8s.io/v1', 'PriorityClass', 'value: 1'),
    after: clusterObject('scheduling.k8s.io/v1', 'PriorityClass', 'value: 2'),
  },
  'the controller of an IngressClass': {
    code: 'ImmutableField',
    before: clusterObject('networking.k8s.io/v1', 'IngressClass', 'spec: {controller: example.org/a}'),
    after: clusterObject('networking.k8s.io/v1', 'IngressClass', 'spec: {controller: example.org/b}'),
  },
  'the handler of a RuntimeClass': {
    code: 'ImmutableField',
    before: clusterObject('node.k8s.io/v1', 'RuntimeClass', 'handler: a'),
    after: clusterObject('node.k8s.io/v1', 'RuntimeClass', 'handler: b'),
  },
  'a Secret that is immutable': {
    code: 'ImmutableField',
    before: data('Secret', 'immutable: true, stringData: {a: b}'),
    after: data('Secret', 'immutable: true, stringData: {a: c}'),
  },
  'a ConfigMap that is immutable': {
    code: 'ImmutableField',
    before: data('ConfigMap', 'immutable: true, data: {a: b, c: d}'),
    after: data('ConfigMap', 'immutable: true, data: {a: b}'),
  },
  'the type of a Secret': {
    code: 'ImmutableField',
    before: data('Secret', 'type: example.org/a'),
    after: data('Secret', 'type: example.org/b'),
  },
  'the scope of a CRD': {
    code: 'ImmutableField',
    before: definition(['v1']),
    after: definition(['v1'], { scope: 'Cluster' }),
  },
  'a CRD that loses the version in which objects are stored': {
    code: 'StoredVersionLost',
    before: definition(['v1']),
    after: definition(['v2']),
  },
  'F34 an object in an API version that was removed': {
    code: 'ApiVersionRemoved',
    before: EMPTY,
    after: '{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: {name: a}, spec: {minAvailable: 1}}',
    fails: 'KindNotServed',
  },
  'an object in a namespace that does not exist': {
    code: 'NamespaceMissing',
    before: EMPTY,
    after: '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: NS-missing}}',
    fails: 'ApiNotFound',
  },
  'an object that the API server refuses': {
    code: 'Refused',
    before: EMPTY,
    after: data('Service', 'spec: {ports: [{port: 99999}]}'),
    byTrial: true,
  },
};
