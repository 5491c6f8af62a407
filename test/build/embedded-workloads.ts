import type { JsonMap } from '../../src/embedded/model/object.ts';

export interface WorkloadParts {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Of the pods, where behaviour is written. */
  readonly podAnnotations?: Readonly<Record<string, string>>;
  readonly image?: string;
  readonly pod?: JsonMap;
  readonly spec?: JsonMap;
}

function template({ name = 'web', image = 'web:1', podAnnotations, pod }: WorkloadParts): JsonMap {
  return {
    metadata: { labels: { app: name }, ...(podAnnotations === undefined ? {} : { annotations: podAnnotations }) },
    spec: { containers: [{ name, image }], ...pod },
  };
}

function workload(apiVersion: string, kind: string, parts: WorkloadParts): JsonMap {
  const { name = 'web', labels, annotations, spec } = parts;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace: 'default',
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: { selector: { matchLabels: { app: name } }, template: template(parts), ...spec },
  };
}

export function aDeployment(parts: WorkloadParts = {}): JsonMap {
  return workload('apps/v1', 'Deployment', parts);
}

export function aStatefulSet(parts: WorkloadParts = {}): JsonMap {
  const { name = 'web' } = parts;
  return workload('apps/v1', 'StatefulSet', { ...parts, spec: { serviceName: name, ...parts.spec } });
}

export function aDaemonSet(parts: WorkloadParts = {}): JsonMap {
  return workload('apps/v1', 'DaemonSet', parts);
}

export function aJob(parts: WorkloadParts = {}): JsonMap {
  const { name = 'migrate' } = parts;
  const pod = { restartPolicy: 'Never', ...parts.pod };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'default' },
    spec: { template: template({ ...parts, name, pod }), ...parts.spec },
  };
}

/** `rehearse.kubepkg.dev/NAME` for each name. */
export function behaviour(said: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(said).map(([name, value]) => [`rehearse.kubepkg.dev/${name}`, value]));
}
