import { apiVersionOf } from '../../model/resource.ts';
import { formatSeconds } from '../../../lib/time.ts';
import { sameJson } from '../../api/equal.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import type { NodeSpec, Scenario } from '../../scenario/types.ts';
import { conditionOf, hasCondition } from '../kit/conditions.ts';
import { changesOf, type Controller, lookUp, type Surroundings } from '../kit/controller.ts';
import { createHand } from '../kit/hand.ts';
import { NODES, PODS } from '../kit/kinds.ts';
import { mapAt, mapsAt, textAt } from '../kit/read.ts';

const COMPONENT = 'node-controller';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
/** The API server puts it on every new node. */
const NOT_READY = 'node.kubernetes.io/not-ready';
const KUBELET_VERSION = 'v1.36.3';

export function isNodeReady(node: StoredObject): boolean {
  return hasCondition(node, 'Ready');
}

/** The nodes of the scenario, and what becomes of their pods while one is out of reach. */
export function nodeController(surroundings: Surroundings, scenario: () => Scenario): Controller {
  const { api, clock, informers, recorder } = surroundings;
  const hand = createHand(api, 'kube-controller-manager');
  const tell = recorder.by(COMPONENT);
  const began = clock.now();
  return {
    name: COMPONENT,
    sources: [changesOf(NODES)],
    reconcile(key) {
      const node = lookUp(informers.of(NODES), key);
      if (node === undefined) return undefined;
      const { notReady } = scenario().nodes.find(({ name }) => name === node.metadata.name) ?? {};
      const age = clock.now() - began;
      const { after, until = Infinity } = notReady ?? { after: Infinity, until: undefined };
      const isDown = age >= after && age < until;
      setReady(node, !isDown);
      const next = age < after ? after : until;
      return next === Infinity || age >= next ? undefined : next - age;
    },
  };

  function setReady(node: StoredObject, ready: boolean): void {
    const isNew = conditionOf(node, 'Ready') === undefined;
    const hasChanged = isNew || isNodeReady(node) !== ready;
    const status = { ...mapAt(node, 'status'), conditions: nodeConditions(ready, clock.now()) };
    const written = hasChanged ? hand.writeStatus(NODES, node, status) : node;
    taint(written, ready);
    if (hasChanged && !ready) for (const pod of podsOn(node)) disconnect(pod);
  }

  function taint(node: StoredObject, ready: boolean): void {
    const old = mapsAt(node, 'spec', 'taints');
    const others = old.filter(({ key }) => key !== UNREACHABLE && key !== NOT_READY);
    const effects = ready ? [] : ['NoSchedule', 'NoExecute'];
    const taints = [...others, ...effects.map((effect) => ({ key: UNREACHABLE, effect }))];
    if (sameJson(old, taints)) return;
    hand.merge(NODES, node, { spec: { taints: taints.length === 0 ? null : taints } });
  }

  function podsOn(node: StoredObject): readonly StoredObject[] {
    return informers
      .of(PODS)
      .all()
      .filter((pod) => textAt(pod, 'spec', 'nodeName') === node.metadata.name);
  }

  /** Nobody knows of it any more, which counts as not ready. */
  function disconnect(pod: StoredObject): void {
    const conditions = mapsAt(pod, 'status', 'conditions').map((each) =>
      each.type === 'Ready' ? { ...each, status: 'False', lastTransitionTime: formatSeconds(clock.now()) } : each,
    );
    hand.writeStatus(PODS, pod, { ...mapAt(pod, 'status'), conditions });
    tell(pod, { type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' });
  }
}

function nodeConditions(ready: boolean, now: number): readonly JsonMap[] {
  const time = formatSeconds(now);
  const [reason, message] = ready
    ? ['KubeletReady', 'kubelet is posting ready status']
    : ['NodeStatusUnknown', 'Kubelet stopped posting node status.'];
  const status = ready ? 'True' : 'Unknown';
  return [{ type: 'Ready', status, lastHeartbeatTime: time, lastTransitionTime: time, reason, message }];
}

/** A Node as its kubelet would register it. */
export function nodeObject(spec: NodeSpec, index: number): JsonMap {
  const capacity = { cpu: spec.cpu, memory: spec.memory, pods: String(spec.pods), 'ephemeral-storage': '1Ti' };
  return {
    apiVersion: apiVersionOf(NODES),
    kind: NODES.kind,
    metadata: {
      name: spec.name,
      labels: {
        'kubernetes.io/hostname': spec.name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        ...spec.labels,
      },
    },
    spec: spec.taints.length === 0 ? {} : { taints: spec.taints },
    status: {
      capacity,
      allocatable: capacity,
      addresses: [
        { type: 'InternalIP', address: `192.168.0.${String(index + 1)}` },
        { type: 'Hostname', address: spec.name },
      ],
      nodeInfo: {
        architecture: 'amd64',
        bootID: '',
        containerRuntimeVersion: 'containerd://2.1.0',
        kernelVersion: '',
        kubeProxyVersion: KUBELET_VERSION,
        kubeletVersion: KUBELET_VERSION,
        machineID: '',
        operatingSystem: 'linux',
        osImage: 'simulated by kubepkg',
        systemUUID: '',
      },
    },
  };
}
