import type { KubeObject } from '../../api/kube.ts';
import type { RecordedEvent } from '../../ports/system.ts';
import { RecentMap } from './recent-map.ts';

/** Different messages of one kind, on one object, after which further ones are shown as one. */
const SIMILAR_LIMIT = 10;
const SIMILAR_MS = 600_000;
/** Events that an object may cause in one go, and how long until it may cause a further one. */
const BURST = 50;
const REFILL_MS = 30_000;
const MEMORY = 4096;

export type Correlated =
  | { readonly kind: 'show'; readonly key: string; readonly event: RecordedEvent }
  | { readonly kind: 'drop' };

interface Similar {
  readonly messages: Set<string>;
  lastAt: number;
}

interface Bucket {
  tokens: number;
  refilledAt: number;
}

/** Which events are one, and which are too many: the rules of client-go, so that a package that flaps stays readable. */
export class Correlator {
  readonly #similar = new RecentMap<Similar>(MEMORY);
  readonly #buckets = new RecentMap<Bucket>(MEMORY);

  correlate(about: KubeObject, event: RecordedEvent, now: number): Correlated {
    const object = [about.apiVersion, about.kind, about.metadata.namespace, about.metadata.name, about.metadata.uid];
    if (!this.#hasToken(JSON.stringify(object), now)) return { kind: 'drop' };
    const group = JSON.stringify([...object, event.type, event.reason]);
    if (this.#isOneOfMany(group, event.message, now)) {
      return {
        kind: 'show',
        key: group,
        event: { ...event, message: `(combined from similar events): ${event.message}` },
      };
    }
    return { kind: 'show', key: JSON.stringify([group, event.message]), event };
  }

  #isOneOfMany(group: string, message: string, now: number): boolean {
    const known = this.#similar.get(group);
    const fresh = known !== undefined && now - known.lastAt <= SIMILAR_MS;
    const similar = fresh ? known : { messages: new Set<string>(), lastAt: now };
    similar.lastAt = now;
    // Beyond the limit their number no longer matters.
    if (similar.messages.size <= SIMILAR_LIMIT) similar.messages.add(message);
    this.#similar.set(group, similar);
    return similar.messages.size > SIMILAR_LIMIT;
  }

  #hasToken(object: string, now: number): boolean {
    const bucket = this.#buckets.get(object) ?? { tokens: BURST, refilledAt: now };
    const earned = Math.max(0, Math.floor((now - bucket.refilledAt) / REFILL_MS));
    bucket.tokens = Math.min(BURST, bucket.tokens + earned);
    bucket.refilledAt += earned * REFILL_MS;
    this.#buckets.set(object, bucket);
    if (bucket.tokens === 0) return false;
    bucket.tokens -= 1;
    return true;
  }
}
