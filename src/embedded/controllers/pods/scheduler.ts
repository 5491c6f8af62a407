import type { StoredObject } from '../../model/object.ts';
import { behaviourAt, nextTurn } from '../../scenario/pod-plan.ts';
import { withCondition } from '../kit/conditions.ts';
import { type Controller, lookUp, type Surroundings } from '../kit/controller.ts';
import { createHand, targetOf } from '../kit/hand.ts';
import type { Change } from '../kit/informers.ts';
import { NODES, PERSISTENT_VOLUME_CLAIMS, PODS } from '../kit/kinds.ts';
import { isPodFinished } from '../kit/pod-state.ts';
import { createdAt, isDeleting, keyOf, mapAt, mapsAt, textAt } from '../kit/read.ts';
import { misfit, type Usage } from './fits.ts';
import { claimsOf, SELECTED_NODE } from './pod-claims.ts';
import type { PodPlans } from './pod-plans.ts';
import { podResources } from './resources.ts';

const COMPONENT = 'default-scheduler';

/** Finds a node for each pod, and says why when there is none. */
export function schedulerController(surroundings: Surroundings, plans: PodPlans): Controller {
  const { api, clock, informers, recorder } = surroundings;
  const pods = informers.of(PODS);
  const hand = createHand(api, 'kube-scheduler');
  const tell = recorder.by(COMPONENT);
  const occupancy = new Occupancy();
  const pending = new Set<string>();
  pods.listen((change) => {
    occupancy.see(change);
    const key = keyOf(change.object);
    if (change.type !== 'DELETED' && isWaiting(change.object)) pending.add(key);
    else pending.delete(key);
  });
  return {
    name: COMPONENT,
    sources: [
      { kind: PODS, keys: ({ object }) => (isWaiting(object) ? [keyOf(object)] : freed(object) ? [...pending] : []) },
      { kind: NODES, keys: () => [...pending] },
      { kind: PERSISTENT_VOLUME_CLAIMS, keys: ({ object }) => inNamespace(pending, object) },
    ],
    reconcile(key) {
      const pod = lookUp(pods, key);
      if (pod === undefined || !isWaiting(pod)) return undefined;
      const age = clock.now() - createdAt(pod);
      const plan = plans.of(pod);
      const nodes = informers.of(NODES).all();
      const claims = claimsOf(pod, informers);
      const stuck = behaviourAt(plan, age) === 'unschedulable' ? (plan.message ?? noNode(nodes)) : undefined;
      const problem = stuck ?? (claims.kind === 'problem' ? withNodes(nodes, claims.message) : undefined);
      const choice = problem === undefined ? choose(pod, nodes, occupancy) : { problem };
      if ('node' in choice) {
        if (claims.kind === 'waiting') placeClaims(claims.claims, choice.node);
        else bind(pod, choice.node);
        return undefined;
      }
      refuse(pod, choice.problem);
      return nextTurn(plan, age);
    },
  };

  /** The pod follows when they are bound. */
  function placeClaims(claims: readonly StoredObject[], node: string): void {
    for (const claim of claims) {
      if (claim.metadata.annotations?.[SELECTED_NODE] === node) continue;
      hand.merge(PERSISTENT_VOLUME_CLAIMS, claim, { metadata: { annotations: { [SELECTED_NODE]: node } } });
    }
  }

  function bind(pod: StoredObject, node: string): void {
    const { name, namespace = '' } = pod.metadata;
    const body = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace },
      target: { kind: 'Node', name: node },
    };
    api.create({ ...targetOf(PODS, pod), subresource: 'binding' }, body, { fieldManager: 'kube-scheduler' });
    const message = `Successfully assigned ${namespace}/${name} to ${node}`;
    tell(pod, { type: 'Normal', reason: 'Scheduled', message });
  }

  function refuse(pod: StoredObject, message: string): void {
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message } as const;
    const conditions = withCondition(mapsAt(pod, 'status', 'conditions'), condition, clock.now()).map((each) =>
      each.type === 'PodScheduled' ? { ...each, message, lastProbeTime: null } : each,
    );
    const isKnown = conditionMessage(pod) === message;
    hand.writeStatus(PODS, pod, { ...mapAt(pod, 'status'), phase: 'Pending', conditions });
    if (!isKnown) tell(pod, { type: 'Warning', reason: 'FailedScheduling', message });
  }
}

function conditionMessage(pod: StoredObject): string {
  return textAt(
    mapsAt(pod, 'status', 'conditions').find(({ type }) => type === 'PodScheduled'),
    'message',
  );
}

function isWaiting(pod: StoredObject): boolean {
  return textAt(pod, 'spec', 'nodeName') === '' && !isDeleting(pod) && !isPodFinished(pod);
}

function freed(pod: StoredObject): boolean {
  return isDeleting(pod) || isPodFinished(pod);
}

function inNamespace(pending: ReadonlySet<string>, claim: StoredObject): readonly string[] {
  return [...pending].filter((key) => key.startsWith(`${claim.metadata.namespace ?? ''}/`));
}

type Choice = { readonly node: string } | { readonly problem: string };

/** The node with the fewest pods among those that fit. */
function choose(pod: StoredObject, nodes: readonly StoredObject[], occupancy: Occupancy): Choice {
  const misfits = new Map<string, number>();
  let best: { readonly name: string; readonly pods: number } | undefined;
  for (const node of nodes) {
    const { name } = node.metadata;
    const used = occupancy.of(name);
    const reason = misfit(pod, node, used);
    if (reason !== undefined) misfits.set(reason, (misfits.get(reason) ?? 0) + 1);
    else if (best === undefined || used.pods < best.pods) best = { name, pods: used.pods };
  }
  if (best !== undefined) return { node: best.name };
  return { problem: unavailable(nodes.length, misfits) };
}

function noNode(nodes: readonly StoredObject[]): string {
  return unavailable(nodes.length, new Map([["node(s) didn't match Pod's node affinity/selector", nodes.length]]));
}

/** A reason that lies in the pod, not in a node. */
function withNodes(nodes: readonly StoredObject[], reason: string): string {
  const all = String(nodes.length);
  const help = reason.startsWith('pod has unbound')
    ? 'not found'
    : `preemption: 0/${all} nodes are available: ${all} Preemption is not helpful for scheduling.`;
  return `0/${all} nodes are available: ${reason}. ${help}`;
}

function unavailable(count: number, misfits: ReadonlyMap<string, number>): string {
  if (count === 0) return 'no nodes available to schedule pods';
  const all = String(count);
  const reasons = [...misfits].map(([reason, nodes]) => `${String(nodes)} ${reason}`).sort();
  const short = [...misfits].filter(([reason]) => /^(Insufficient|Too many)/.test(reason));
  const tight = short.reduce((sum, [, nodes]) => sum + nodes, 0);
  const help = [
    [tight, 'No preemption victims found for incoming pod'] as const,
    [count - tight, 'Preemption is not helpful for scheduling'] as const,
  ].flatMap(([nodes, text]) => (nodes > 0 ? [`${String(nodes)} ${text}`] : []));
  return `0/${all} nodes are available: ${reasons.join(', ')}. preemption: 0/${all} nodes are available: ${help.join(', ')}.`;
}

/** What the pods on each node ask for. */
class Occupancy {
  readonly #nodes = new Map<string, { pods: number; readonly amounts: Map<string, number> }>();
  readonly #placed = new Map<string, string>();

  of(node: string): Usage {
    return this.#nodes.get(node) ?? { pods: 0, amounts: new Map() };
  }

  see({ type, object }: Change): void {
    const { uid } = object.metadata;
    const node = textAt(object, 'spec', 'nodeName');
    const takes = type !== 'DELETED' && node !== '' && !isPodFinished(object);
    const placed = this.#placed.get(uid);
    if (takes && placed === undefined) {
      this.#placed.set(uid, node);
      this.#count(object, node, 1);
    } else if (!takes && placed !== undefined) {
      this.#placed.delete(uid);
      this.#count(object, placed, -1);
    }
  }

  #count(pod: StoredObject, node: string, by: 1 | -1): void {
    const usage = this.#nodes.get(node) ?? { pods: 0, amounts: new Map<string, number>() };
    this.#nodes.set(node, usage);
    usage.pods += by;
    for (const [name, amount] of podResources(pod, 'requests')) {
      usage.amounts.set(name, (usage.amounts.get(name) ?? 0) + by * amount);
    }
  }
}
