import type { EmbeddedApi, Target } from '../model/api.ts';
import type { JsonMap } from '../model/object.ts';

const NAMESPACES: readonly string[] = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

const PRIORITIES: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

/** What every API server makes for itself: the namespaces and priority classes of the system. */
export function createInitialObjects(api: EmbeddedApi): void {
  for (const name of NAMESPACES) make(api, { group: '', version: 'v1', plural: 'namespaces' }, namespace(name));
  const classes = { group: 'scheduling.k8s.io', version: 'v1', plural: 'priorityclasses' };
  for (const [name, value] of Object.entries(PRIORITIES)) make(api, classes, priorityClass(name, value));
}

function make(api: EmbeddedApi, target: Target, body: JsonMap): void {
  api.create(target, body, { fieldManager: 'kube-apiserver' });
}

function namespace(name: string): JsonMap {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

function priorityClass(name: string, value: number): JsonMap {
  const description = 'Used for system critical pods that must run in the cluster.';
  return { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value, description };
}
