import { asArray, asNumber, asString, at, isRecord } from '../../../lib/json.ts';
import { parseTime } from '../../../lib/time.ts';
import type { JsonMap, StoredObject, StoredOwner } from '../../model/object.ts';

export type Labels = Readonly<Record<string, string>>;

export function numberAt(object: unknown, ...path: readonly string[]): number | undefined {
  return asNumber(at(object, ...path));
}

/** 0 when it is not there, as counts in a status are left out. */
export function countAt(object: unknown, ...path: readonly string[]): number {
  return numberAt(object, ...path) ?? 0;
}

/** Empty when it is not there. */
export function textAt(object: unknown, ...path: readonly string[]): string {
  return asString(at(object, ...path)) ?? '';
}

export function mapAt(object: unknown, ...path: readonly string[]): JsonMap {
  const value = at(object, ...path);
  return isRecord(value) ? value : {};
}

export function mapsAt(object: unknown, ...path: readonly string[]): readonly JsonMap[] {
  return asArray(at(object, ...path)).filter(isRecord);
}

export function textsAt(object: unknown, ...path: readonly string[]): readonly string[] {
  return asArray(at(object, ...path)).filter((item) => typeof item === 'string');
}

export function labelsAt(object: unknown, ...path: readonly string[]): Labels {
  const entries = Object.entries(mapAt(object, ...path));
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** Milliseconds since the epoch; undefined when there is no such time. */
export function timeAt(object: unknown, ...path: readonly string[]): number | undefined {
  const text = textAt(object, ...path);
  return text === '' ? undefined : parseTime(text);
}

export function createdAt(object: StoredObject): number {
  return parseTime(object.metadata.creationTimestamp);
}

export function isDeleting(object: StoredObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

export function controllerOf(object: StoredObject): StoredOwner | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** `namespace/name`; the namespace is empty for what has none. */
export function keyOf(object: StoredObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

export function parseKey(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Without what is 0, as Go leaves it out of a status. */
export function withoutZeros(counts: Readonly<Record<string, number>>): JsonMap {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

/** Oldest first; what is equally old by name. */
export function byAge(a: StoredObject, b: StoredObject): number {
  return createdAt(a) - createdAt(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
}
