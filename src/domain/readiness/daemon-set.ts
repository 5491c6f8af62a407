import type { KubeObject } from '../../api/kube.ts';
import { countOf, outOf, textOf } from './fields.ts';
import { isNodeReady, isPodReady, nodeNameOf, podsOf } from './pods.ts';
import { podQueries } from './pod-queries.ts';
import { type KindRule, progressing, ready, type ReadinessContext, type Verdict } from './verdict.ts';

interface Counts {
  readonly desired: number;
  readonly updated: number;
  readonly available: number;
}

/** A pod runs, updated and available, on every node that it is meant for. */
export const daemonSet: KindRule = {
  alwaysObserved: true,
  assess(object, context) {
    const counts = countsOf(object);
    const missing = lacking(object, counts);
    if (missing === undefined) return ready(outOf(counts.available, counts.desired, 'pods available'));
    const nodes = notReadyNodes(object, context.related);
    if (nodes.length === 0) return missing;
    const named = `nodes that are not ready: ${nodes.join(', ')}`;
    if (context.options.notReadyNodes === 'Tolerate' && restIsReady(object, context)) {
      return ready(missing.message, `left out ${named}`);
    }
    return { ...missing, message: `${missing.message}; ${named}` };
  },
  related: (object) => [
    ...podQueries(object, 'verdict'),
    { kind: 'selected', purpose: 'verdict', selection: { apiVersion: 'v1', kind: 'Node' } },
  ],
};

function countsOf(object: KubeObject): Counts {
  return {
    desired: countOf(object, ['status', 'desiredNumberScheduled']),
    updated: countOf(object, ['status', 'updatedNumberScheduled']),
    available: Math.min(countOf(object, ['status', 'numberAvailable']), countOf(object, ['status', 'numberReady'])),
  };
}

function lacking(object: KubeObject, counts: Counts): Verdict | undefined {
  const onDelete = textOf(object, 'spec', 'updateStrategy', 'type') === 'OnDelete';
  if (!onDelete && counts.updated !== counts.desired) {
    return progressing('Updating', outOf(counts.updated, counts.desired, 'pods updated'));
  }
  if (counts.available < counts.desired) {
    return progressing('Unavailable', outOf(counts.available, counts.desired, 'pods available'));
  }
  return undefined;
}

/** Nodes that are not ready and have a pod of this DaemonSet that is not ready either, by name. */
function notReadyNodes(object: KubeObject, related: readonly KubeObject[]): readonly string[] {
  const down = new Set(
    related.filter((item) => item.kind === 'Node' && !isNodeReady(item)).map((node) => node.metadata.name),
  );
  const affected = podsOf(object, related).filter((pod) => !isPodReady(pod) && down.has(nodeNameOf(pod)));
  return [...new Set(affected.map(nodeNameOf))].sort();
}

/** Every node whose pod is not excused has one that is ready and, unless replaced on delete only, of the newest template. */
function restIsReady(object: KubeObject, context: ReadinessContext): boolean {
  const excused = new Set(notReadyNodes(object, context.related));
  const rest = podsOf(object, context.related).filter((pod) => !excused.has(nodeNameOf(pod)));
  const good = new Set(rest.filter((pod) => isPodReady(pod) && isUpdated(object, pod)).map(nodeNameOf));
  return rest.every((pod) => good.has(nodeNameOf(pod))) && good.size + excused.size >= countsOf(object).desired;
}

/** The one mark that ties a pod to a template without a look at ControllerRevisions; the API server keeps it for all versions. */
function isUpdated(object: KubeObject, pod: KubeObject): boolean {
  if (textOf(object, 'spec', 'updateStrategy', 'type') === 'OnDelete') return true;
  const template = object.metadata.annotations?.['deprecated.daemonset.template.generation'];
  return template !== undefined && pod.metadata.labels?.['pod-template-generation'] === template;
}
