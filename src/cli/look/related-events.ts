import type { KubeObject, ObjectRef } from '../../api/kube.ts';
import { asNumber, asString, at } from '../../lib/json.ts';
import { isOlderVersion } from '../../lib/resource-version.ts';
import type { InventoryItem } from '../../ports/backend.ts';

/** One Event, or several that say the same. */
export interface EventReport {
  readonly object: KubeObject;
  readonly type: string;
  readonly reason: string;
  /** `Deployment shop/web`. */
  readonly about: string;
  readonly message: string;
  readonly count: number;
  /** RFC 3339; empty where it has none. */
  readonly first: string;
  readonly last: string;
}

/** What events may be about. */
export interface EventScope {
  readonly name: string;
  readonly revisions: readonly string[];
  readonly items: readonly InventoryItem[];
}

/** Names that controllers give to what they make, by the kind that it is made for; the name of that one stands before. */
const MADE: Readonly<Record<string, readonly (readonly [kind: string, rest: RegExp])[]>> = {
  Deployment: [
    ['ReplicaSet', /^-[a-z0-9]{1,12}$/],
    ['Pod', /^-[a-z0-9]{1,12}-[a-z0-9]{5}$/],
  ],
  ReplicaSet: [['Pod', /^-[a-z0-9]{5}$/]],
  DaemonSet: [['Pod', /^-[a-z0-9]{5}$/]],
  Job: [['Pod', /^-(?:\d+-)?[a-z0-9]{5}$/]],
  StatefulSet: [['Pod', /^-\d+$/]],
  CronJob: [
    ['Job', /^-\d+$/],
    ['Pod', /^-\d+-[a-z0-9]{5}$/],
  ],
};

/** Tells whether an Event is about the package, a revision of it, an object of it or what was made for one. */
export function eventFilter({ name, revisions, items }: EventScope): (event: KubeObject) => boolean {
  const own = new Set(items.map((item) => aboutKey(item)));
  const makers = items.flatMap((item) =>
    (MADE[item.kind] ?? []).map(([kind, rest]) => ({ kind, rest, name: item.name, namespace: item.namespace })),
  );
  return (event) => {
    const about = aboutOf(event);
    if (about.apiVersion.startsWith('kubepkg.dev/')) {
      return (about.kind === 'Package' && about.name === name) || revisions.includes(about.name);
    }
    if (own.has(aboutKey(about))) return true;
    return makers.some(
      (maker) =>
        maker.kind === about.kind &&
        maker.namespace === about.namespace &&
        about.name.startsWith(maker.name) &&
        maker.rest.test(about.name.slice(maker.name.length)),
    );
  };
}

function aboutOf(event: KubeObject): ObjectRef {
  const text = (key: string): string => asString(at(event, 'involvedObject', key)) ?? '';
  const namespace = text('namespace');
  const ref = { apiVersion: text('apiVersion'), kind: text('kind'), name: text('name') };
  return namespace === '' ? ref : { ...ref, namespace };
}

/** Without the version of the API, which differs from one writer to another. */
function aboutKey({ apiVersion, kind, name, namespace = '' }: ObjectRef): string {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return `${group}/${kind}/${namespace}/${name}`;
}

export function readEvent(event: KubeObject): EventReport {
  const { kind, name, namespace } = aboutOf(event);
  const text = (key: string): string => asString(event[key]) ?? '';
  const last = lastTime(event);
  return {
    object: event,
    type: text('type'),
    reason: text('reason'),
    about: namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`,
    message: text('message') || text('note'),
    count: asNumber(event['count'] ?? at(event, 'series', 'count')) ?? 1,
    first: text('firstTimestamp') || text('eventTime') || last,
    last,
  };
}

function lastTime(event: KubeObject): string {
  const times = [event['lastTimestamp'], at(event, 'series', 'lastObservedTime'), event['eventTime']];
  const told = times.find((time) => typeof time === 'string' && time !== '');
  return asString(told) ?? event.metadata.creationTimestamp ?? '';
}

/** Oldest first; those that say the same about the same are one, with their counts added up. */
export function mergeEvents(events: readonly EventReport[]): readonly EventReport[] {
  const merged = new Map<string, EventReport>();
  for (const event of inOrder(events)) {
    const key = JSON.stringify([event.about, event.type, event.reason, event.message]);
    const before = merged.get(key);
    // Set anew, so that it stands where it was seen last.
    merged.delete(key);
    merged.set(
      key,
      before === undefined ? event : { ...event, first: before.first, count: before.count + event.count },
    );
  }
  return [...merged.values()];
}

/**
 * By time, as far as that goes: many are told to the second alone, and of these the API server knows which came first.
 * Within a second one rule holds for all, so that the order is one.
 */
function inOrder(events: readonly EventReport[]): readonly EventReport[] {
  const seconds = new Map<string, EventReport[]>();
  for (const event of events) {
    const second = event.last.slice(0, SECOND);
    seconds.set(second, [...(seconds.get(second) ?? []), event]);
  }
  const sorted = [...seconds].sort(([a], [b]) => compare(a, b));
  return sorted.flatMap(([, within]) => {
    const isExact = within.every(({ last }) => last.charAt(SECOND) === '.');
    return within.sort((a, b) => (isExact ? compare(a.last, b.last) : 0) || byVersion(a, b));
  });
}

/** Length of `2030-01-01T00:00:00`. */
const SECOND = 19;

function byVersion({ object: a }: EventReport, { object: b }: EventReport): number {
  const [one, other] = [a.metadata, b.metadata];
  if (isOlderVersion(one.resourceVersion, other.resourceVersion)) return -1;
  return isOlderVersion(other.resourceVersion, one.resourceVersion) ? 1 : compare(one.name, other.name);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
