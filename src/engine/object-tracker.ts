import { describeError, isCode } from '../api/errors.ts';
import { type KubeObject, type ObjectRef, refKey, refOf } from '../api/kube.ts';
import { isOlderVersion } from '../lib/resource-version.ts';
import type { Cluster, Subscription, WatchEvent } from '../ports/cluster.ts';

export type TrackedObject =
  /** Followed, and not read since. */
  | { readonly kind: 'unread' }
  /** `last`: as it was when it was last seen, while it was followed. */
  | { readonly kind: 'missing'; readonly last?: KubeObject }
  | { readonly kind: 'unserved' }
  /** We may not look: it is waited for until the deadline, and the missing permission is named. */
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'present'; readonly object: KubeObject };

interface Entry {
  readonly ref: ObjectRef;
  readonly followers: Set<string>;
  state: TrackedObject;
}

interface KindWatch {
  readonly subscription: Subscription;
  /** Keys of the objects of this kind that somebody follows. */
  readonly keys: Set<string>;
}

/**
 * The objects that somebody waits for. One watch a kind, shared by all packages, begun when the first object of the
 * kind is followed and ended with the last; of everything else that it delivers nothing is kept.
 */
export class ObjectTracker {
  readonly #cluster: Cluster;
  readonly #onChange: (follower: string) => void;
  readonly #entries = new Map<string, Entry>();
  readonly #kinds = new Map<string, KindWatch>();
  readonly #followed = new Map<string, ReadonlySet<string>>();

  constructor(cluster: Cluster, onChange: (follower: string) => void) {
    this.#cluster = cluster;
    this.#onChange = onChange;
  }

  /** The complete set of what one follower waits for; what it no longer names is let go. */
  follow(follower: string, refs: readonly ObjectRef[]): void {
    const wanted = new Map(refs.map((ref) => [refKey(ref), ref]));
    for (const [key, ref] of wanted) this.#add(follower, key, ref);
    for (const key of this.#followed.get(follower) ?? []) {
      if (!wanted.has(key)) this.#drop(follower, key);
    }
    if (wanted.size === 0) this.#followed.delete(follower);
    else this.#followed.set(follower, new Set(wanted.keys()));
  }

  /** Reads objects live: evidence counts from here on, not from what a watch had delivered before. */
  async refresh(refs: readonly ObjectRef[]): Promise<void> {
    await Promise.all(refs.map((ref) => this.#read(ref)));
  }

  look(ref: ObjectRef): TrackedObject {
    return this.#entries.get(refKey(ref))?.state ?? { kind: 'unread' };
  }

  stop(): void {
    for (const kind of this.#kinds.values()) kind.subscription.stop();
    this.#kinds.clear();
    this.#entries.clear();
    this.#followed.clear();
  }

  async #read(ref: ObjectRef): Promise<void> {
    const before = this.#entries.get(refKey(ref))?.state;
    const state = await this.#readState(ref);
    const entry = this.#entries.get(refKey(ref));
    if (entry === undefined) return;
    if (state.kind === 'present' && isStale(state.object, entry.state)) return;
    // An event that came meanwhile may be newer, and may be late: a live look tells.
    if (state.kind === 'missing' && isNews(entry.state, before)) return this.#read(ref);
    entry.state = state.kind === 'missing' ? missing(lastSeen(entry.state)) : state;
  }

  async #readState(ref: ObjectRef): Promise<TrackedObject> {
    try {
      const object = await this.#cluster.read(ref);
      return object === undefined ? { kind: 'missing' } : { kind: 'present', object };
    } catch (error) {
      if (isCode(error, 'KindNotServed')) return { kind: 'unserved' };
      if (isCode(error, 'ApiForbidden')) return { kind: 'unreadable', message: describeError(error) };
      throw error;
    }
  }

  #add(follower: string, key: string, ref: ObjectRef): void {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.followers.add(follower);
      return;
    }
    this.#entries.set(key, { ref, followers: new Set([follower]), state: { kind: 'unread' } });
    this.#watchKind(ref).keys.add(key);
  }

  #watchKind(ref: ObjectRef): KindWatch {
    const name = `${ref.apiVersion}/${ref.kind}`;
    const known = this.#kinds.get(name);
    if (known !== undefined) return known;
    const { apiVersion, kind } = ref;
    const subscription = this.#cluster.watch({ apiVersion, kind }, (event) => {
      this.#take(event);
    });
    const watch = { subscription, keys: new Set<string>() };
    this.#kinds.set(name, watch);
    return watch;
  }

  #drop(follower: string, key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.followers.delete(follower);
    if (entry.followers.size > 0) return;
    this.#entries.delete(key);
    this.#unwatchKind(entry.ref, key);
  }

  #unwatchKind(ref: ObjectRef, key: string): void {
    const name = `${ref.apiVersion}/${ref.kind}`;
    const watch = this.#kinds.get(name);
    if (watch === undefined) return;
    watch.keys.delete(key);
    if (watch.keys.size > 0) return;
    watch.subscription.stop();
    this.#kinds.delete(name);
  }

  #take(event: WatchEvent): void {
    if (event.type !== 'set' && event.type !== 'gone') return;
    const entry = this.#entries.get(refKey(refOf(event.object)));
    if (entry === undefined || isStale(event.object, entry.state)) return;
    if (event.type === 'set' && isKnown(event.object, entry.state)) return;
    entry.state = event.type === 'gone' ? missing(event.object) : { kind: 'present', object: event.object };
    for (const follower of entry.followers) this.#onChange(follower);
  }
}

function missing(last: KubeObject | undefined): TrackedObject {
  return last === undefined ? { kind: 'missing' } : { kind: 'missing', last };
}

function lastSeen(state: TrackedObject): KubeObject | undefined {
  if (state.kind === 'present') return state.object;
  return state.kind === 'missing' ? state.last : undefined;
}

/** Older than what was seen of it, its end included: the answer to a read may come long after it was given. */
function isStale(object: KubeObject, known: TrackedObject): boolean {
  const newest = lastSeen(known);
  return newest !== undefined && isOlderVersion(object.metadata.resourceVersion, newest.metadata.resourceVersion);
}

/** Learnt while a read was on its way; an answer without an object has no version that would tell which is older. */
function isNews(known: TrackedObject, before: TrackedObject | undefined): boolean {
  return known !== before && known.kind !== 'unread';
}

function isKnown(object: KubeObject, known: TrackedObject): boolean {
  return known.kind === 'present' && known.object.metadata.resourceVersion === object.metadata.resourceVersion;
}
