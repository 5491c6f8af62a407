import type { KubeObject } from '../../api/kube.ts';
import { countOf, outOf, textOf } from './fields.ts';
import { podQueries } from './pod-queries.ts';
import { isPodReady, podsOf } from './pods.ts';
import { type KindRule, progressing, ready, type Verdict } from './verdict.ts';

/** All replicas are ready, and those that the partition does not hold back are updated. */
export const statefulSet: KindRule = {
  alwaysObserved: true,
  assess(object) {
    const wanted = countOf(object, ['spec', 'replicas'], 1);
    const readyPods = countOf(object, ['status', 'readyReplicas']);
    const total = countOf(object, ['status', 'replicas']);
    if (total > wanted)
      return progressing('ScalingDown', `${String(total)} pods are still there, ${String(wanted)} wanted`);
    if (Math.min(readyPods, total) < wanted) {
      return progressing('Unavailable', outOf(Math.min(readyPods, total), wanted, 'replicas ready'));
    }
    const message = outOf(readyPods, wanted, 'replicas ready');
    if (textOf(object, 'spec', 'updateStrategy', 'type') === 'OnDelete') return ready(message);
    return updating(object, wanted) ?? ready(message);
  },
  related: podQueries,
};

function updating(object: KubeObject, wanted: number): Verdict | undefined {
  const partition = countOf(object, ['spec', 'updateStrategy', 'rollingUpdate', 'partition']);
  const updated = countOf(object, ['status', 'updatedReplicas']);
  const needed = Math.max(0, wanted - partition);
  if (updated < needed) return progressing('Updating', outOf(updated, needed, 'replicas updated'));
  const [current, update] = [textOf(object, 'status', 'currentRevision'), textOf(object, 'status', 'updateRevision')];
  if (partition > 0 || current === update) return undefined;
  return progressing('Updating', `the rollout to revision ${update} is not complete yet`);
}

/** Pods in order wait for each other: a broken one is not even replaced by what would mend it (kubernetes/kubernetes#67250). */
export function isKeptBack(object: KubeObject, pod: KubeObject): boolean {
  if (object.kind !== 'StatefulSet' || textOf(object, 'spec', 'podManagementPolicy') === 'Parallel') return false;
  if (textOf(object, 'spec', 'updateStrategy', 'type') === 'OnDelete') return false;
  // Pods below the partition are of another revision by intent.
  if (countOf(object, ['spec', 'updateStrategy', 'rollingUpdate', 'partition']) > 0) return false;
  // What its status says of the wanted revision has to be about its newest template.
  if (countOf(object, ['status', 'observedGeneration'], -1) !== object.metadata.generation) return false;
  const own = pod.metadata.labels?.['controller-revision-hash'];
  const wanted = textOf(object, 'status', 'updateRevision');
  return own !== undefined && wanted !== '' && own !== wanted;
}

/** The first pod in order that is not ready and that its StatefulSet would keep for ever. */
export function keptPod(object: KubeObject, related: readonly KubeObject[]): KubeObject | undefined {
  return podsOf(object, related).find((pod) => !isPodReady(pod) && isKeptBack(object, pod));
}
