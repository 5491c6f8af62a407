import type { StoredObject } from '../../model/object.ts';
import { StatusError } from '../../model/status-error.ts';
import { changesOf, changesOfOwned, type Controller, lookUp, type Surroundings } from '../kit/controller.ts';
import { createHand, type Hand, unless } from '../kit/hand.ts';
import type { Cache } from '../kit/informers.ts';
import { CONTROLLER_REVISIONS, PERSISTENT_VOLUME_CLAIMS, PODS, STATEFUL_SETS } from '../kit/kinds.ts';
import { claim } from '../kit/owners.ts';
import { isPodAvailable, isPodFinished } from '../kit/pod-state.ts';
import { countAt, isDeleting, textAt } from '../kit/read.ts';
import type { Tell } from '../kit/recorder.ts';
import type { OnTemplate } from './deployment.ts';
import { nextAvailability } from './replica-set.ts';
import { type Revision, Revisions } from './revisions.ts';
import {
  claimsOfPod,
  isHealthy,
  ordinalOf,
  podOfSet,
  revisionOfPod,
  setSpec,
  type SetSpec,
  setStatus,
} from './stateful-set-pods.ts';

const COMPONENT = 'statefulset-controller';

export function statefulSetController(surroundings: Surroundings, onTemplate: OnTemplate): Controller {
  const driver = new Driver(surroundings, onTemplate);
  return {
    name: COMPONENT,
    sources: [changesOf(STATEFUL_SETS), changesOfOwned(PODS, STATEFUL_SETS)],
    reconcile: (key) => driver.reconcile(key),
  };
}

interface Turn {
  readonly set: StoredObject;
  readonly spec: SetSpec;
  readonly current: Revision;
  readonly update: Revision;
}

class Driver {
  readonly #hand: Hand;
  readonly #tell: Tell;
  readonly #sets: Cache;
  readonly #pods: Cache;
  readonly #claims: Cache;
  readonly #revisions: Revisions;
  readonly #clock: Surroundings['clock'];
  readonly #onTemplate: OnTemplate;

  constructor({ api, informers, recorder, clock }: Surroundings, onTemplate: OnTemplate) {
    this.#hand = createHand(api, 'kube-controller-manager');
    this.#tell = recorder.by(COMPONENT);
    this.#sets = informers.of(STATEFUL_SETS);
    this.#pods = informers.of(PODS);
    this.#claims = informers.of(PERSISTENT_VOLUME_CLAIMS);
    const label = 'controller.kubernetes.io/hash';
    this.#revisions = new Revisions({ cache: informers.of(CONTROLLER_REVISIONS), hand: this.#hand, label });
    this.#clock = clock;
    this.#onTemplate = onTemplate;
  }

  reconcile(key: string): number | undefined {
    const set = lookUp(this.#sets, key);
    if (set === undefined) return undefined;
    claim({ owner: set, kind: PODS, cache: this.#pods, hand: this.#hand });
    const update = this.#revisions.ensure(set);
    this.#onTemplate(set, update.name);
    const current = this.#revisions.find(set, textAt(set, 'status', 'currentRevision')) ?? update;
    const refusal = isDeleting(set) ? undefined : this.#tryTurn({ set, spec: setSpec(set), current, update });
    this.#report(key, update.name);
    if (refusal !== undefined) throw refusal;
    return nextAvailability(set, this.#podsOf(set), this.#clock.now());
  }

  #report(key: string, update: string): void {
    const set = lookUp(this.#sets, key);
    if (set === undefined) return;
    const now = this.#clock.now();
    const minReady = countAt(set, 'spec', 'minReadySeconds');
    const pods = this.#podsOf(set);
    const isAvailable = (pod: StoredObject): boolean => isPodAvailable(pod, minReady, now);
    const written = this.#hand.writeStatus(STATEFUL_SETS, set, setStatus({ set, pods, update, isAvailable }));
    const used = new Set([update, textAt(written, 'status', 'currentRevision'), ...pods.map(revisionOfPod)]);
    this.#revisions.trim(set, used);
  }

  #tryTurn(turn: Turn): StatusError | undefined {
    try {
      this.#turn(turn);
      return undefined;
    } catch (error) {
      if (error instanceof StatusError) return error;
      throw error;
    }
  }

  /** One step: in order, each waits for the one before. */
  #turn(turn: Turn): void {
    const { set, spec } = turn;
    const pods = this.#podsOf(set);
    const isWanted = (pod: StoredObject): boolean =>
      ordinalOf(pod) >= spec.start && ordinalOf(pod) < spec.start + spec.replicas;
    for (let ordinal = spec.start; ordinal < spec.start + spec.replicas; ordinal += 1) {
      const pod = pods.find((each) => ordinalOf(each) === ordinal);
      const isSettled = this.#keep(turn, ordinal, pod);
      if (spec.isOrdered && !isSettled) return;
    }
    const surplus = pods.filter((pod) => !isWanted(pod)).sort((a, b) => ordinalOf(b) - ordinalOf(a));
    if (surplus.length > 0) {
      this.#condemn(turn, surplus);
      return;
    }
    if (spec.isRolling) this.#replaceOld(turn, pods);
  }

  /** Whether it is there and well. */
  #keep(turn: Turn, ordinal: number, pod: StoredObject | undefined): boolean {
    if (pod === undefined) {
      this.#create(turn, ordinal);
      return false;
    }
    if (isPodFinished(pod) && !isDeleting(pod)) this.#recreate(turn.set, pod);
    return isHealthy(pod) && this.#isAvailable(turn.set, pod);
  }

  #isAvailable(set: StoredObject, pod: StoredObject): boolean {
    return isPodAvailable(pod, countAt(set, 'spec', 'minReadySeconds'), this.#clock.now());
  }

  /** The last one first; in order, one at a time. */
  #condemn({ set, spec }: Turn, surplus: readonly StoredObject[]): void {
    if (!spec.isOrdered) {
      for (const pod of surplus) this.#delete(set, pod);
      return;
    }
    const [last] = surplus;
    if (last !== undefined && !surplus.some(isDeleting)) this.#delete(set, last);
  }

  /** From the last one down to the partition, each after the one before is well again. */
  #replaceOld({ set, spec, update }: Turn, pods: readonly StoredObject[]): void {
    for (const pod of [...pods].sort((a, b) => ordinalOf(b) - ordinalOf(a))) {
      if (ordinalOf(pod) < spec.start + spec.partition) return;
      if (revisionOfPod(pod) !== update.name && !isDeleting(pod)) {
        this.#delete(set, pod);
        return;
      }
      if (!isHealthy(pod) || !this.#isAvailable(set, pod)) return;
    }
  }

  #create({ set, spec, current, update }: Turn, ordinal: number): void {
    const keepsCurrent = spec.isRolling && ordinal < spec.start + spec.partition;
    const name = `${set.metadata.name}-${String(ordinal)}`;
    for (const body of claimsOfPod(set, ordinal)) {
      const claimName = textAt(body, 'metadata', 'name');
      if (this.#claims.get(set.metadata.namespace ?? '', claimName) !== undefined) continue;
      unless('AlreadyExists', () => this.#hand.create(PERSISTENT_VOLUME_CLAIMS, body));
      const what = `Create Claim ${claimName} Pod ${name} in StatefulSet ${set.metadata.name} success`;
      this.#tell(set, { type: 'Normal', reason: 'SuccessfulCreate', message: what });
    }
    const what = `Create Pod ${name} in StatefulSet ${set.metadata.name}`;
    try {
      this.#hand.create(PODS, podOfSet(set, ordinal, keepsCurrent ? current : update));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const message = `${what} failed error: ${error.message}`;
      this.#tell(set, { type: 'Warning', reason: 'FailedCreate', message });
      throw error;
    }
    this.#tell(set, { type: 'Normal', reason: 'SuccessfulCreate', message: `${what} successful` });
  }

  #recreate(set: StoredObject, pod: StoredObject): void {
    const { namespace = '', name } = set.metadata;
    const message = `StatefulSet ${namespace}/${name} is recreating failed Pod ${pod.metadata.name}`;
    this.#tell(set, { type: 'Warning', reason: 'RecreatingFailedPod', message });
    this.#delete(set, pod);
  }

  #delete(set: StoredObject, pod: StoredObject): void {
    if (isDeleting(pod)) return;
    this.#hand.remove(PODS, pod);
    const message = `Delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`;
    this.#tell(set, { type: 'Normal', reason: 'SuccessfulDelete', message });
  }

  #podsOf(set: StoredObject): readonly StoredObject[] {
    return this.#pods.ownedBy(set.metadata.uid);
  }
}
