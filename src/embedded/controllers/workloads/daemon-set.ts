import type { JsonMap, StoredObject } from '../../model/object.ts';
import type { StatusError } from '../../model/status-error.ts';
import { scaledValue } from '../kit/int-or-percent.ts';
import { changesOf, changesOfOwned, type Controller, lookUp, type Surroundings } from '../kit/controller.ts';
import { createHand, type Hand } from '../kit/hand.ts';
import type { Cache } from '../kit/informers.ts';
import { CONTROLLER_REVISIONS, DAEMON_SETS, NODES, PODS } from '../kit/kinds.ts';
import { claim } from '../kit/owners.ts';
import { isPodAvailable, isPodFinished, isPodReady } from '../kit/pod-state.ts';
import { countAt, isDeleting, keyOf, mapAt, mapsAt, textAt, withoutZeros } from '../kit/read.ts';
import type { Tell } from '../kit/recorder.ts';
import { podFromTemplate } from '../kit/template.ts';
import { fitsNode, mayStay } from '../pods/fits.ts';
import type { OnTemplate } from './deployment.ts';
import { createPod, nextAvailability } from './replica-set.ts';
import { type Revision, Revisions } from './revisions.ts';
import { REVISION_LABEL } from './stateful-set-pods.ts';

const COMPONENT = 'daemonset-controller';
const GENERATION = 'deprecated.daemonset.template.generation';

/** A pod on every node that it fits. */
export function daemonSetController(surroundings: Surroundings, onTemplate: OnTemplate): Controller {
  const driver = new Driver(surroundings, onTemplate);
  const sets = surroundings.informers.of(DAEMON_SETS);
  return {
    name: COMPONENT,
    sources: [
      changesOf(DAEMON_SETS),
      changesOfOwned(PODS, DAEMON_SETS),
      { kind: NODES, keys: () => sets.all().map(keyOf) },
    ],
    reconcile: (key) => driver.reconcile(key),
  };
}

class Driver {
  readonly #hand: Hand;
  readonly #tell: Tell;
  readonly #sets: Cache;
  readonly #pods: Cache;
  readonly #nodes: Cache;
  readonly #revisions: Revisions;
  readonly #clock: Surroundings['clock'];
  readonly #onTemplate: OnTemplate;

  constructor({ api, informers, recorder, clock }: Surroundings, onTemplate: OnTemplate) {
    this.#hand = createHand(api, 'kube-controller-manager');
    this.#tell = recorder.by(COMPONENT);
    this.#sets = informers.of(DAEMON_SETS);
    this.#pods = informers.of(PODS);
    this.#nodes = informers.of(NODES);
    const cache = informers.of(CONTROLLER_REVISIONS);
    this.#revisions = new Revisions({ cache, hand: this.#hand, label: REVISION_LABEL });
    this.#clock = clock;
    this.#onTemplate = onTemplate;
  }

  reconcile(key: string): number | undefined {
    const set = lookUp(this.#sets, key);
    if (set === undefined) return undefined;
    claim({ owner: set, kind: PODS, cache: this.#pods, hand: this.#hand });
    const revision = this.#revisions.ensure(set);
    this.#onTemplate(set, revision.hash);
    const refusal = isDeleting(set) ? undefined : this.#spread(set, revision);
    if (!isDeleting(set) && textAt(set, 'spec', 'updateStrategy', 'type') !== 'OnDelete') this.#roll(set, revision);
    this.#report(key, revision);
    if (refusal !== undefined) throw refusal;
    return nextAvailability(set, this.#podsOf(set), this.#clock.now());
  }

  #spread(set: StoredObject, revision: Revision): StatusError | undefined {
    for (const pod of this.#podsOf(set)) {
      const node = this.#nodes.get('', nodeOf(pod));
      if (isDeleting(pod)) continue;
      if (isPodFinished(pod)) this.#replaceFailed(set, pod);
      else if (node === undefined || !mayStay(podOfSet(set, revision, nodeOf(pod)), node)) this.#delete(set, pod);
    }
    for (const node of this.#missing(set, revision)) {
      const pod = podOfSet(set, revision, node.metadata.name);
      const refusal = createPod(set, pod, { hand: this.#hand, tell: this.#tell });
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  #missing(set: StoredObject, revision: Revision): readonly StoredObject[] {
    const taken = new Set(this.#podsOf(set).map(nodeOf));
    return this.#wanted(set, revision).filter(({ metadata }) => !taken.has(metadata.name));
  }

  #wanted(set: StoredObject, revision: Revision): readonly StoredObject[] {
    return this.#nodes.all().filter((node) => fitsNode(podOfSet(set, revision, node.metadata.name), node));
  }

  /** Pods of an older template go, no more at a time than may be unavailable. */
  #roll(set: StoredObject, revision: Revision): void {
    const wanted = this.#wanted(set, revision);
    const given = mapAt(set, 'spec', 'updateStrategy', 'rollingUpdate').maxUnavailable ?? 1;
    const pods = this.#podsOf(set);
    const available = pods.filter((pod) => !isDeleting(pod) && this.#isAvailable(set, pod)).length;
    let room = Math.max(1, scaledValue(given, wanted.length, 'up')) - (wanted.length - available);
    for (const pod of pods.filter((each) => hashOf(each) !== revision.hash && !isDeleting(each))) {
      const isUseless = !this.#isAvailable(set, pod);
      if (!isUseless && room <= 0) continue;
      this.#delete(set, pod);
      if (!isUseless) room -= 1;
    }
  }

  #isAvailable(set: StoredObject, pod: StoredObject): boolean {
    return isPodAvailable(pod, countAt(set, 'spec', 'minReadySeconds'), this.#clock.now());
  }

  #replaceFailed(set: StoredObject, pod: StoredObject): void {
    const { namespace = '', name } = pod.metadata;
    const message = `Found failed daemon pod ${namespace}/${name} on node ${nodeOf(pod)}, will try to kill it`;
    this.#tell(set, { type: 'Warning', reason: 'FailedDaemonPod', message });
    this.#delete(set, pod);
  }

  #delete(set: StoredObject, pod: StoredObject): void {
    this.#hand.remove(PODS, pod);
    this.#tell(set, { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted pod: ${pod.metadata.name}` });
  }

  #report(key: string, revision: Revision): void {
    const set = lookUp(this.#sets, key);
    if (set === undefined) return;
    const pods = this.#podsOf(set);
    const wanted = new Set(this.#wanted(set, revision).map(({ metadata }) => metadata.name));
    const placed = pods.filter((pod) => wanted.has(nodeOf(pod)) && !isDeleting(pod));
    const available = placed.filter((pod) => this.#isAvailable(set, pod)).length;
    const status: JsonMap = {
      currentNumberScheduled: new Set(pods.map(nodeOf).filter((node) => wanted.has(node))).size,
      numberMisscheduled: pods.filter((pod) => !wanted.has(nodeOf(pod))).length,
      desiredNumberScheduled: wanted.size,
      numberReady: placed.filter(isPodReady).length,
      ...withoutZeros({
        observedGeneration: set.metadata.generation ?? 0,
        updatedNumberScheduled: placed.filter((pod) => hashOf(pod) === revision.hash).length,
        numberAvailable: available,
        numberUnavailable: wanted.size - available,
      }),
    };
    this.#hand.writeStatus(DAEMON_SETS, set, status);
    this.#revisions.trim(set, new Set([revision.name, ...pods.map((pod) => `${set.metadata.name}-${hashOf(pod)}`)]));
  }

  #podsOf(set: StoredObject): readonly StoredObject[] {
    return this.#pods.ownedBy(set.metadata.uid);
  }
}

function hashOf(pod: StoredObject): string {
  return pod.metadata.labels?.[REVISION_LABEL] ?? '';
}

/** The node that a pod of a DaemonSet is made for, whether it is there already or not. */
function nodeOf(pod: StoredObject): string {
  const bound = textAt(pod, 'spec', 'nodeName');
  if (bound !== '') return bound;
  const required = mapAt(pod, 'spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution');
  const [field] = mapsAt(required, 'nodeSelectorTerms').flatMap((term) => mapsAt(term, 'matchFields'));
  const values = (field as { readonly values?: readonly unknown[] } | undefined)?.values;
  return typeof values?.[0] === 'string' ? values[0] : '';
}

const TOLERATED = [
  ['node.kubernetes.io/not-ready', 'NoExecute'],
  ['node.kubernetes.io/unreachable', 'NoExecute'],
  ['node.kubernetes.io/disk-pressure', 'NoSchedule'],
  ['node.kubernetes.io/memory-pressure', 'NoSchedule'],
  ['node.kubernetes.io/pid-pressure', 'NoSchedule'],
  ['node.kubernetes.io/unschedulable', 'NoSchedule'],
] as const;

function podOfSet(set: StoredObject, { hash, template }: Revision, node: string): JsonMap {
  const generation = set.metadata.annotations?.[GENERATION];
  const terms = mapsAt(
    mapAt(template, 'spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'),
    'nodeSelectorTerms',
  );
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }];
  const nodeSelectorTerms = (terms.length === 0 ? [{}] : terms).map((term) => ({ ...term, matchFields }));
  const affinity = mapAt(template, 'spec', 'affinity');
  const nodeAffinity = {
    ...mapAt(affinity, 'nodeAffinity'),
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
  };
  const own = mapsAt(template, 'spec', 'tolerations');
  const tolerations = [...own, ...TOLERATED.map(([key, effect]) => ({ key, operator: 'Exists', effect }))];
  return podFromTemplate(set, template, {
    labels: { [REVISION_LABEL]: hash, ...(generation === undefined ? {} : { 'pod-template-generation': generation }) },
    spec: { affinity: { ...affinity, nodeAffinity }, tolerations },
  });
}
