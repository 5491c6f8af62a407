import type { KubeObject } from '../../src/api/kube.ts';
import { deployment } from './readiness-objects.ts';

/** The one Deployment of a component, with so many of its three replicas available. */
export function workload(name: string, available = 3): KubeObject {
  const object = deployment({}, { availableReplicas: available, readyReplicas: available });
  return { ...object, metadata: { ...object.metadata, name } };
}
