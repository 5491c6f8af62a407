import { type KubeObject, refKey, refOf } from '../api/kube.ts';
import type { Held } from '../domain/readiness/newer-than-change.ts';

interface Thing {
  since: number | undefined;
  brokenAt: number | undefined;
  /** The first write of the status after the controller that was ready at that time. */
  written: { readonly readyAt: number; readonly at: number } | undefined;
}

/** What this process has itself seen of the objects of one release, as far as they do not tell it. */
export class Witness {
  readonly #things = new Map<string, Thing>();
  readonly #generations = new Map<string, number>();
  readonly #uids = new Map<string, string>();

  /** Something holds at this moment. */
  holds(key: string, now: number): Held {
    const thing = this.#thing(key);
    thing.since ??= now;
    return { now, since: thing.since, brokenAt: thing.brokenAt };
  }

  /** It does not hold. */
  breaks(key: string, now: number): void {
    const thing = this.#thing(key);
    thing.since = undefined;
    thing.brokenAt = now;
  }

  /** The first of the writes that were seen after a controller became ready. */
  firstWrite(key: string, readyAt: number, writtenAt: number | undefined): number | undefined {
    const thing = this.#thing(key);
    if (thing.written?.readyAt !== readyAt) thing.written = undefined;
    if (writtenAt !== undefined) thing.written ??= { readyAt, at: writtenAt };
    return thing.written?.at;
  }

  /** The object as it is after the newest delivery, or while none is awaited. */
  sees(object: KubeObject, { isChanging }: { readonly isChanging: boolean }): void {
    const key = refKey(refOf(object));
    this.#uids.set(key, object.metadata.uid ?? '');
    const { generation } = object.metadata;
    if (!isChanging && generation !== undefined) this.#generations.set(key, generation);
  }

  /** Its generation when no delivery was awaited. */
  generationBefore(object: KubeObject): number | undefined {
    return this.#generations.get(refKey(refOf(object)));
  }

  /** It was there after the newest delivery. */
  hasSeen(object: KubeObject): boolean {
    return this.#uids.get(refKey(refOf(object))) === (object.metadata.uid ?? '');
  }

  /** Nobody looked for a while: how long something has held is counted anew. */
  lookAway(): void {
    for (const thing of this.#things.values()) thing.since = undefined;
  }

  /** A new record was delivered: what was seen before it proves nothing about its objects. */
  startOver(): void {
    this.#uids.clear();
  }

  #thing(key: string): Thing {
    const known = this.#things.get(key);
    if (known !== undefined) return known;
    const thing: Thing = { since: undefined, brokenAt: undefined, written: undefined };
    this.#things.set(key, thing);
    return thing;
  }
}
