import type { KubeObject, ObjectMeta } from '../../src/api/kube.ts';
import { assess } from '../../src/domain/readiness/assess.ts';
import { DEFAULT_READINESS_OPTIONS, type ReadinessContext, type Verdict } from '../../src/domain/readiness/verdict.ts';

export interface Parts {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly [field: string]: unknown;
}

type Builder = (parts?: Parts) => KubeObject;

/** Builds objects of a kind; the parts that are given replace those of the template. */
export function builderOf(apiVersion: string, kind: string, template: Parts = {}): Builder {
  return (parts = {}) => {
    const metadata = { name: 'web', namespace: 'shop', ...template.metadata, ...parts.metadata };
    return { ...template, ...parts, apiVersion, kind, metadata };
  };
}

export function condition(type: string, status: string, more: Readonly<Record<string, unknown>> = {}): unknown {
  return { type, status, ...more };
}

const POD_TEMPLATE = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'web:1' }] } };
const WORKLOAD = { selector: { matchLabels: { app: 'web' } }, template: POD_TEMPLATE };

/** Three replicas of the newest template, all available; `replicas` and the status counts can be overridden. */
export function deployment(spec: object = {}, status: object = {}): KubeObject {
  return builderOf(
    'apps/v1',
    'Deployment',
  )({
    metadata: { generation: 2 },
    spec: { replicas: 3, progressDeadlineSeconds: 600, ...WORKLOAD, ...spec },
    status: {
      observedGeneration: 2,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      conditions: [
        condition('Available', 'True', { reason: 'MinimumReplicasAvailable' }),
        condition('Progressing', 'True', { reason: 'NewReplicaSetAvailable' }),
      ],
      ...status,
    },
  });
}

export function statefulSet(spec: object = {}, status: object = {}): KubeObject {
  return builderOf(
    'apps/v1',
    'StatefulSet',
  )({
    metadata: { generation: 2 },
    spec: { replicas: 3, updateStrategy: { type: 'RollingUpdate' }, ...WORKLOAD, ...spec },
    status: {
      observedGeneration: 2,
      replicas: 3,
      readyReplicas: 3,
      updatedReplicas: 3,
      currentRevision: 'web-1',
      updateRevision: 'web-1',
      ...status,
    },
  });
}

export function daemonSet(spec: object = {}, status: object = {}): KubeObject {
  return builderOf(
    'apps/v1',
    'DaemonSet',
  )({
    metadata: { generation: 2, annotations: { 'deprecated.daemonset.template.generation': '2' } },
    spec: { updateStrategy: { type: 'RollingUpdate' }, ...WORKLOAD, ...spec },
    status: {
      observedGeneration: 2,
      desiredNumberScheduled: 2,
      currentNumberScheduled: 2,
      updatedNumberScheduled: 2,
      numberReady: 2,
      numberAvailable: 2,
      ...status,
    },
  });
}

export function job(spec: object = {}, status: object = {}): KubeObject {
  return builderOf(
    'batch/v1',
    'Job',
  )({
    metadata: { generation: 1 },
    spec: { completions: 1, backoffLimit: 6, ...WORKLOAD, ...spec },
    status,
  });
}

export const pod = builderOf('v1', 'Pod', { metadata: { labels: { app: 'web' } } });
export const service = builderOf('v1', 'Service');
export const widget = builderOf('example.dev/v1', 'Widget', { metadata: { generation: 2 } });

export function node(name: string, ready: string): KubeObject {
  const { namespace: _none, ...metadata } = builderOf('v1', 'Node')({ metadata: { name } }).metadata;
  return { apiVersion: 'v1', kind: 'Node', metadata, status: { conditions: [condition('Ready', ready)] } };
}

/** A warning about an object. */
export function warning(about: KubeObject, reason: string, message: string, time = '2024-05-01T10:00:00Z'): KubeObject {
  return builderOf(
    'v1',
    'Event',
  )({
    metadata: { name: `${about.metadata.name}.${reason}.${time}` },
    type: 'Warning',
    reason,
    message,
    lastTimestamp: time,
    involvedObject: {
      apiVersion: about.apiVersion,
      kind: about.kind,
      name: about.metadata.name,
      namespace: about.metadata.namespace,
    },
  });
}

export function judge(object: KubeObject, context: Partial<ReadinessContext> = {}): Verdict {
  const base = { options: DEFAULT_READINESS_OPTIONS, related: [], siblings: [], served: () => undefined };
  return assess(object, { ...base, ...context });
}
