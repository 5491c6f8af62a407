import { type ObjectRef, refKey } from '../../api/kube.ts';
import { sha256 } from '../../lib/digest.ts';
import { asArray, isRecord } from '../../lib/json.ts';
import type { InventoryItem } from '../../ports/backend.ts';
import { parseJson } from './parse-json.ts';

/** An object of a release as the chart describes it. */
export interface DescribedObject {
  readonly ref: ObjectRef;
  /** Of a Job. */
  readonly job?: DescribedJob;
}

export interface DescribedJob {
  /** What cannot be changed of it. */
  readonly unchangeable: string;
  /** It may be gone by itself once it has finished. */
  readonly mayVanish: boolean;
}

export interface NotedObject extends InventoryItem {
  /** Of what cannot be changed of a Job. */
  readonly template?: string;
}

/** `namespace/name`, or `name`; of a Job with its template and whether it may vanish. */
type Entry = string | readonly [string, string, boolean];

/**
 * The objects of a release, for an annotation of its Application: Argo CD keeps nothing of what it applied, and lists
 * only what it finds as long as it cannot render the chart.
 */
export function writeNoted(objects: readonly DescribedObject[]): string {
  const byKind: Record<string, Entry[]> = {};
  for (const { ref, job } of objects) {
    const place = ref.namespace === undefined ? ref.name : `${ref.namespace}/${ref.name}`;
    const entries = (byKind[`${ref.apiVersion} ${ref.kind}`] ??= []);
    entries.push(job === undefined ? place : [place, sha256(job.unchangeable).slice(0, 16), job.mayVanish]);
  }
  return JSON.stringify(byKind);
}

/** Anybody may have edited it: what cannot be read is not known. */
export function readNoted(annotation: string | undefined): readonly NotedObject[] {
  const parsed = parseJson(annotation ?? '');
  return Object.entries(isRecord(parsed) ? parsed : {}).flatMap(([key, entries]) => {
    const [apiVersion = '', kind = ''] = key.split(' ');
    return asArray(entries).flatMap((entry) => notedIn(entry, { apiVersion, kind }));
  });
}

/** Jobs whose description changed from one delivery to the next. */
export function changedJobs(before: readonly NotedObject[], after: readonly NotedObject[]): readonly ObjectRef[] {
  const wanted = new Map(after.map((item) => [refKey(item), item.template]));
  return before.filter((item) => {
    const template = wanted.get(refKey(item));
    return item.template !== undefined && template !== undefined && item.template !== template;
  });
}

function notedIn(entry: unknown, kind: { readonly apiVersion: string; readonly kind: string }): readonly NotedObject[] {
  const [place, template, mayVanish] = typeof entry === 'string' ? [entry] : asArray(entry);
  if (typeof place !== 'string' || place === '') return [];
  const slash = place.indexOf('/');
  const ref = { ...kind, name: place.slice(slash + 1), ...(slash < 0 ? {} : { namespace: place.slice(0, slash) }) };
  return [
    {
      ...ref,
      ...(typeof template === 'string' ? { template } : {}),
      ...(mayVanish === true ? { mayVanish } : {}),
    },
  ];
}
