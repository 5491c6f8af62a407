import type { KubeObject } from '../../api/kube.ts';
import { asArray, asNumber, asString, at, isRecord } from '../../lib/json.ts';

/** A whole number of the object, or what stands for a field that is not there. */
export function countOf(object: KubeObject, path: readonly string[], absent = 0): number {
  return asNumber(at(object, ...path)) ?? absent;
}

export function textOf(value: unknown, ...path: readonly string[]): string {
  return asString(at(value, ...path)) ?? '';
}

export function recordsOf(value: unknown, ...path: readonly string[]): readonly Readonly<Record<string, unknown>>[] {
  return asArray(at(value, ...path)).filter(isRecord);
}

/** `group/Kind`; the group of the core API is empty. */
export function groupKind(object: { readonly apiVersion: string; readonly kind: string }): string {
  return `${groupOf(object.apiVersion)}/${object.kind}`;
}

export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** `1 of 3 replicas available`. */
export function outOf(count: number, wanted: number, what: string): string {
  return `${String(count)} of ${String(wanted)} ${what}`;
}
