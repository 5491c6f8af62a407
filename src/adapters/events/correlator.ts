import { isPerComponent } from '../../api/event-reasons.ts';
import type { KubeObject } from '../../api/kube.ts';
import type { RecordedEvent } from '../../ports/system.ts';
import { RecentMap } from './recent-map.ts';

/** Different messages of one reason, on one object, after which further ones are shown as one. */
const SIMILAR_LIMIT = 10;
/** The same of a reason that comes once for each component: of more than so many in ten minutes nobody reads each. */
const SIMILAR_COMPONENTS = 60;
const SIMILAR_MS = 600_000;
/** Events that an object may cause in one go, and how long until it may cause a further one. */
const BURST = 150;
const REFILL_MS = 30_000;
/** Of these only warnings take the last ones, so that no number of good news hides a failure. */
const FOR_WARNINGS = 25;
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

/**
 * Which events are one, and which are too many. The rules are those of client-go, so that a package that flaps stays
 * readable and none can flood the API server; the numbers are not. client-go lets an object cause 25 events at once and
 * one more every five minutes, and combines more than ten messages of a reason. A Package stands for all of its
 * components: an upgrade of ten takes some 30 events and its rollback as many again, all of which are seen. What is
 * bounded is what lasts: two events a minute and package. There is no loop, since nothing of ours watches these events.
 */
export class Correlator {
  readonly #similar = new RecentMap<Similar>(MEMORY);
  readonly #buckets = new RecentMap<Bucket>(MEMORY);

  correlate(about: KubeObject, event: RecordedEvent, now: number): Correlated {
    const object = [about.apiVersion, about.kind, about.metadata.namespace, about.metadata.name, about.metadata.uid];
    if (!this.#hasToken(JSON.stringify(object), event, now)) return { kind: 'drop' };
    const group = JSON.stringify([...object, event.type, event.reason]);
    if (this.#isOneOfMany(group, event, now)) {
      return {
        kind: 'show',
        key: group,
        event: { ...event, message: `(combined from similar events): ${event.message}` },
      };
    }
    return { kind: 'show', key: JSON.stringify([group, event.message]), event };
  }

  #isOneOfMany(group: string, { reason, message }: RecordedEvent, now: number): boolean {
    const limit = isPerComponent(reason) ? SIMILAR_COMPONENTS : SIMILAR_LIMIT;
    const known = this.#similar.get(group);
    const fresh = known !== undefined && now - known.lastAt <= SIMILAR_MS;
    const similar = fresh ? known : { messages: new Set<string>(), lastAt: now };
    similar.lastAt = now;
    // Beyond the limit their number no longer matters.
    if (similar.messages.size <= limit) similar.messages.add(message);
    this.#similar.set(group, similar);
    return similar.messages.size > limit;
  }

  #hasToken(object: string, { type }: RecordedEvent, now: number): boolean {
    const bucket = this.#buckets.get(object) ?? { tokens: BURST, refilledAt: now };
    const earned = Math.max(0, Math.floor((now - bucket.refilledAt) / REFILL_MS));
    bucket.tokens = Math.min(BURST, bucket.tokens + earned);
    bucket.refilledAt += earned * REFILL_MS;
    this.#buckets.set(object, bucket);
    if (bucket.tokens <= (type === 'Warning' ? 0 : FOR_WARNINGS)) return false;
    bucket.tokens -= 1;
    return true;
  }
}
