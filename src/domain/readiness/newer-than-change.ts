import type { KubeObject } from '../../api/kube.ts';
import { parseTime } from '../../lib/time.ts';
import { isCustomKind } from './custom-kinds.ts';

/** After a status write, this much quiet makes it the controller's last word on the change. */
const QUIET_MS = 5000;
/** Without any status write, the controller has had this long to say something else. */
const SILENCE_MS = 30_000;
/** What a new controller has written must have held this long. */
const CONTROLLER_HOLD_MS = 10_000;
/** Without any status write, a new controller has had this long to say something else. */
const CONTROLLER_SILENCE_MS = 60_000;

export interface Change {
  /** When the delivery began that may have changed the object. */
  readonly startedAt: number;
  /** When the delivery was seen to be complete. */
  readonly since: number;
}

/** What happened that evidence has to be newer than; milliseconds since the epoch. */
export interface Happenings {
  /** The component was delivered anew. */
  readonly change?: Change | undefined;
  /** A component that it depends on, which may run the object's controller, was delivered anew and became ready. */
  readonly controllerReadyAt?: number | undefined;
}

/** What was seen of something that holds at this moment. */
export interface Held {
  readonly now: number;
  /** Since when it has been seen to hold, without having been seen not to. */
  readonly since: number;
  /** When it was last seen not to hold. */
  readonly brokenAt?: number | undefined;
  /** The first write of the object's status that was seen after its controller became ready. */
  readonly writtenAt?: number | undefined;
}

/** One object with what it says, which holds. */
export interface Statement {
  readonly object: KubeObject;
  /** `current`: it is about the newest generation; `none`: it names no generation. */
  readonly generation: 'current' | 'none';
  /** `lastTransitionTime` of the condition, where there is one. */
  readonly transition?: string | undefined;
  readonly inRelease: boolean;
  /** Its generation before the change, where it is known. */
  readonly generationBefore?: number | undefined;
}

export type Guard = 'change' | 'controller';

/**
 * What evidence has still to prove. A guard applies only where that has happened which it guards against. That a status
 * is about the newest generation proves something only where the change, made when the controller was ready, made that
 * generation.
 */
export const GUARDS: Readonly<Record<`${'changed' | 'unchanged'}/${Statement['generation']}`, readonly Guard[]>> = {
  'changed/current': [],
  'changed/none': ['change'],
  'unchanged/current': ['controller'],
  'unchanged/none': ['change', 'controller'],
};

/** When what holds counts for newer than all that happened; undefined: at once. */
export function countsAt(statement: Statement, happenings: Happenings, held: Held): number | undefined {
  const { change, controllerReadyAt } = happenings;
  const row = hasChanged(statement, happenings) ? 'changed' : 'unchanged';
  const moments = GUARDS[`${row}/${statement.generation}`].flatMap((guard) => {
    if (guard === 'change')
      return change === undefined ? [] : [credibleAt(statement.object, statement.transition, change)];
    if (controllerReadyAt === undefined || !mayHaveController(statement)) return [];
    return [controlledAt(statement, controllerReadyAt, held)];
  });
  return moments.length === 0 ? undefined : Math.max(...moments);
}

/**
 * With `stableFor`, which takes the place of all these waits: when it has held that long without a break since all that
 * happened.
 */
export function stableAt(
  stableForMs: number,
  { transition, held }: { readonly transition?: string | undefined; readonly held: Held },
  { change, controllerReadyAt }: Happenings,
): number {
  return Math.max(heldFrom(transition, held), change?.since ?? 0, controllerReadyAt ?? 0) + stableForMs;
}

/** Of the release, and known to have been made or altered by this delivery, at a time at which its controller was ready. */
function hasChanged({ object, inRelease, generationBefore }: Statement, happenings: Happenings): boolean {
  const { change, controllerReadyAt = 0 } = happenings;
  if (!inRelease || change === undefined || change.startedAt < wholeSeconds(controllerReadyAt)) return false;
  const { generation } = object.metadata;
  const isAltered = generationBefore !== undefined && generation !== undefined && generation > generationBefore;
  return isAltered || isMadeBy(object, change);
}

/** Objects of Kubernetes' own kinds have a controller of a component only when it is the one that made them. */
function mayHaveController({ object, inRelease }: Statement): boolean {
  return !inRelease || isCustomKind(object);
}

/**
 * For an object that says nowhere which generation its status is about: when what it says can be taken for newer than
 * the change (milliseconds since the epoch). Kubernetes keeps these times in whole seconds, so a doubt goes against it.
 */
export function credibleAt(object: KubeObject, transition: string | undefined, change: Change): number {
  const { since } = change;
  if (isMadeBy(object, change)) return since;
  if (transition !== undefined && parseTime(transition) >= since) return since;
  const written = lastStatusWrite(object);
  return written !== undefined && written >= wholeSeconds(since) ? written + QUIET_MS : since + SILENCE_MS;
}

/** For an object that was there before its controller: when what it says can be taken for the word of the new one. */
function controlledAt({ object, transition }: Statement, readyAt: number, held: Held): number {
  if (createdAt(object) >= readyAt) return readyAt;
  const { writtenAt } = held;
  if (writtenAt === undefined) return readyAt + CONTROLLER_SILENCE_MS;
  return Math.max(writtenAt, heldFrom(transition, held)) + CONTROLLER_HOLD_MS;
}

/** The last write of an object's status, when it is not older than the time at which its controller became ready. */
export function writtenSince(object: KubeObject, readyAt: number): number | undefined {
  const written = lastStatusWrite(object);
  return written !== undefined && written >= wholeSeconds(readyAt) ? written : undefined;
}

/**
 * Since when a condition has held without a break: by its transition, which is kept in whole seconds, unless that lies
 * in the future or before a break that was seen; else since it was first seen to.
 */
function heldFrom(transition: string | undefined, { since, brokenAt, now }: Held): number {
  const told = parseTime(transition ?? '');
  const isCredible = told <= now && (brokenAt === undefined || told >= wholeSeconds(brokenAt));
  if (!isCredible) return since;
  return told > since ? told + 1000 : Math.min(since, told + 1000);
}

/** It did not exist before the delivery began. */
export function isMadeBy(object: KubeObject, { startedAt }: Change): boolean {
  return createdAt(object) >= wholeSeconds(startedAt);
}

function createdAt({ metadata }: KubeObject): number {
  return parseTime(metadata.creationTimestamp ?? '');
}

function lastStatusWrite({ metadata }: KubeObject): number | undefined {
  const times = (metadata.managedFields ?? [])
    .filter(({ subresource }) => subresource === 'status')
    .map(({ time }) => parseTime(time ?? ''))
    .filter((time) => Number.isFinite(time));
  return times.length === 0 ? undefined : Math.max(...times);
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
