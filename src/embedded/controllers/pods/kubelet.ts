import type { StoredObject } from '../../model/object.ts';
import { type Controller, lookUp, type Surroundings } from '../kit/controller.ts';
import { createHand, type Hand } from '../kit/hand.ts';
import { NODES, PODS } from '../kit/kinds.ts';
import { isPodFinished } from '../kit/pod-state.ts';
import { countAt, isDeleting, keyOf, mapsAt, textAt } from '../kit/read.ts';
import type { Tell } from '../kit/recorder.ts';
import type { LogBook } from './log-book.ts';
import { isNodeReady } from './nodes.ts';
import { PodLife, type Witness } from './pod-life.ts';
import type { PodPlans } from './pod-plans.ts';
import { podStatus } from './pod-status.ts';

const COMPONENT = 'kubelet';
const FIRST_POD_IP = 10;

export interface KubeletParts {
  readonly plans: PodPlans;
  readonly logs: LogBook;
}

/** The kubelets of all nodes: they run what is bound to a node, and report it. */
export function kubeletController(surroundings: Surroundings, parts: KubeletParts): Controller {
  const { informers } = surroundings;
  const kubelet = new Kubelet(surroundings, parts);
  const pods = informers.of(PODS);
  pods.listen(({ type, object, before }) => {
    if (type === 'DELETED') kubelet.forget(object);
    else if (before !== undefined && before.metadata.uid !== object.metadata.uid) kubelet.forget(before);
  });
  return {
    name: COMPONENT,
    sources: [
      { kind: PODS, keys: ({ object }) => (textAt(object, 'spec', 'nodeName') === '' ? [] : [keyOf(object)]) },
      {
        kind: NODES,
        keys: ({ object, before }) =>
          before === undefined || isNodeReady(before) === isNodeReady(object)
            ? []
            : pods
                .all()
                .filter((pod) => textAt(pod, 'spec', 'nodeName') === object.metadata.name)
                .map(keyOf),
      },
    ],
    reconcile: (key) => kubelet.reconcile(key),
  };
}

class Kubelet {
  readonly #at: Surroundings;
  readonly #parts: KubeletParts;
  readonly #hand: Hand;
  readonly #lives = new Map<string, PodLife>();
  readonly #stops = new Map<string, number>();
  readonly #images = new Set<string>();
  #ips = FIRST_POD_IP;

  constructor(surroundings: Surroundings, parts: KubeletParts) {
    this.#at = surroundings;
    this.#parts = parts;
    this.#hand = createHand(surroundings.api, COMPONENT);
  }

  reconcile(key: string): number | undefined {
    const { informers, clock } = this.#at;
    const pod = lookUp(informers.of(PODS), key);
    const node = informers.of(NODES).get('', textAt(pod, 'spec', 'nodeName'));
    if (pod === undefined || node === undefined || !isNodeReady(node)) return undefined;
    const now = clock.now();
    if (isDeleting(pod)) return this.#stop(pod, now);
    if (isPodFinished(pod)) return undefined;
    const life = this.#lives.get(pod.metadata.uid) ?? this.#begin(pod, now);
    life.follow(this.#parts.plans.of(pod));
    life.advance(now);
    this.#report(pod, life);
    const next = life.next(now);
    return next === Infinity || isPodFinished(this.#latest(pod)) ? undefined : next - now;
  }

  forget(pod: StoredObject): void {
    const { uid, name, namespace = '' } = pod.metadata;
    this.#lives.delete(uid);
    this.#stops.delete(uid);
    this.#parts.plans.forget(pod);
    this.#at.recorder.forget(uid);
    for (const field of ['initContainers', 'containers']) {
      for (const container of mapsAt(pod, 'spec', field)) {
        this.#parts.logs.drop({ namespace, pod: name, container: textAt(container, 'name') });
      }
    }
  }

  #begin(pod: StoredObject, now: number): PodLife {
    const plan = this.#parts.plans.of(pod);
    const life = new PodLife(pod, plan, { witness: this.#witness(pod), now });
    // A kubelet that starts anew finds the images of what runs already.
    for (const { image, state } of life.containers) if (state.is !== 'waiting') this.#images.add(image);
    this.#lives.set(pod.metadata.uid, life);
    return life;
  }

  #witness(pod: StoredObject): Witness {
    const { name, namespace = '' } = pod.metadata;
    const place = (container: string) => ({ namespace, pod: name, container });
    const tell = this.#teller(pod);
    return {
      tell: (occurrence) => tell(this.#latest(pod), occurrence),
      hasImage: (image) => {
        const isThere = this.#images.has(image);
        this.#images.add(image);
        return isThere;
      },
      started: (container, time) => {
        this.#parts.logs.begin(place(container));
        const { log } = this.#parts.plans.of(this.#latest(pod));
        for (const text of log) this.#parts.logs.write(place(container), { time, text });
      },
      ended: (container) => this.#parts.logs.end(place(container)),
    };
  }

  #report(pod: StoredObject, life: PodLife): void {
    const latest = this.#latest(pod);
    const place = { podIp: this.#ipFor(latest), hostIp: hostIpOf(latest, this.#at), now: this.#at.clock.now() };
    this.#hand.writeStatus(PODS, latest, podStatus(latest, life, place));
  }

  /** Its containers get the time to stop, then it is taken away. */
  #stop(pod: StoredObject, now: number): number | undefined {
    const { uid } = pod.metadata;
    const life = this.#lives.get(uid);
    const grace = countAt(pod, 'metadata', 'deletionGracePeriodSeconds') * 1000;
    const known = this.#stops.get(uid);
    const end = Math.min(known ?? now + this.#parts.plans.of(pod).terminatesAfter, now + grace);
    this.#stops.set(uid, end);
    if (known === undefined) this.#tellKilling(pod, life);
    if (end > now) return end - now;
    if (life !== undefined && !isPodFinished(pod)) {
      life.stop(now);
      this.#report(pod, life);
    }
    this.#hand.remove(PODS, this.#latest(pod), { gracePeriodSeconds: 0 });
    return undefined;
  }

  #tellKilling(pod: StoredObject, life: PodLife | undefined): void {
    for (const { name } of life?.running ?? []) {
      const occurrence = { type: 'Normal', reason: 'Killing', message: `Stopping container ${name}` } as const;
      this.#teller(pod)(pod, { ...occurrence, fieldPath: `spec.containers{${name}}` });
    }
  }

  #teller(pod: StoredObject): Tell {
    return this.#at.recorder.by(COMPONENT, textAt(pod, 'spec', 'nodeName'));
  }

  #latest(pod: StoredObject): StoredObject {
    const { namespace = '', name, uid } = pod.metadata;
    const found = this.#at.informers.of(PODS).get(namespace, name);
    return found?.metadata.uid === uid ? found : pod;
  }

  #ipFor(pod: StoredObject): string {
    const known = textAt(pod, 'status', 'podIP');
    if (known !== '') return known;
    this.#ips += 1;
    const [high, low] = [Math.floor(this.#ips / 256), this.#ips % 256];
    return `10.${String(244 + Math.floor(high / 256))}.${String(high % 256)}.${String(low)}`;
  }
}

function hostIpOf(pod: StoredObject, { informers }: Surroundings): string {
  const node = informers.of(NODES).get('', textAt(pod, 'spec', 'nodeName'));
  return textAt(
    mapsAt(node, 'status', 'addresses').find(({ type }) => type === 'InternalIP'),
    'address',
  );
}
