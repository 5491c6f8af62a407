import { isRecord } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';
import { failure, unprocessable } from './bad-patch.ts';
import { PATCH } from './directives.ts';
import { goValue, reflectType } from './go-text.ts';
import { keyOf } from './item-key.ts';
import { inOrder, partition } from './list-order.ts';
import type { PatchSchema } from './patch-schema.ts';

/** How the maps in a list merge. */
export type MergeMaps = (target: JsonMap, patch: JsonMap, schema: PatchSchema) => JsonMap;

export interface ListMerge {
  readonly target: readonly unknown[];
  readonly patch: readonly unknown[];
  /** Of the items. */
  readonly schema: PatchSchema;
  readonly mergeKey: string;
  /** The patch lists what is to go. */
  readonly isDeletion: boolean;
  readonly mergeMaps: MergeMaps;
}

export function mergeLists(merge: ListMerge): readonly unknown[] {
  const { target, patch, mergeKey } = merge;
  if (target.length === 0 && patch.length === 0) return target;
  if (itemType(target, patch) !== 'map') return mergeScalars(merge);
  if (mergeKey === '') throw failure('cannot merge lists without merge key for struct');
  const { kept, wanted } = obeyDirectives(target, patch, mergeKey);
  const merged = mergeItems(kept, wanted, merge);
  return ordered(merged, { target: kept, patch: wanted, mergeKey });
}

function mergeScalars({ target, patch, mergeKey, isDeletion }: ListMerge): readonly unknown[] {
  if (isDeletion) return target.filter((item) => !patch.includes(item));
  return ordered(withoutRepeats([...target, ...patch]), { target, patch, mergeKey });
}

/** Later ones go, and the last item takes the place of each, as in the API server. */
function withoutRepeats(items: readonly unknown[]): readonly unknown[] {
  const kept = [...items];
  for (let i = 0; i < kept.length - 1; i++) {
    for (let j = i + 1; j < kept.length; j++) {
      if (kept[i] !== kept[j]) continue;
      const last = kept.pop();
      if (j < kept.length) kept[j] = last;
      j--;
    }
  }
  return kept;
}

interface Lists {
  readonly target: readonly unknown[];
  readonly patch: readonly unknown[];
  readonly mergeKey: string;
}

function ordered(merged: readonly unknown[], { target, patch, mergeKey }: Lists): readonly unknown[] {
  const { listed, others } = partition(merged, patch, mergeKey);
  return inOrder({ listed, others, order: patch, live: target, mergeKey });
}

/** The type that all items have. */
export function itemType(...lists: readonly (readonly unknown[])[]): 'map' | 'scalar' {
  const types = new Set(lists.flat().map(reflectType));
  const [first] = types;
  if (first === '[]interface {}') throw unprocessable();
  if (first === undefined) throw failure('no elements in any of the given slices');
  if (types.size > 1) throw failure(`list element types are not identical: ${goValue(lists)}`);
  return first.startsWith('map') ? 'map' : 'scalar';
}

interface Directed {
  readonly kept: readonly unknown[];
  readonly wanted: readonly JsonMap[];
}

function obeyDirectives(target: readonly unknown[], patch: readonly unknown[], mergeKey: string): Directed {
  const items = patch.filter(isRecord);
  const wanted = items.filter((item) => !Object.hasOwn(item, PATCH));
  const special = items.filter((item) => Object.hasOwn(item, PATCH));
  for (const item of special) checkDirective(item, mergeKey);
  if (special.some((item) => item[PATCH] === 'replace')) return { kept: wanted, wanted: [] };
  const gone = new Set(special.map((item) => item[mergeKey]));
  return { kept: target.filter((item) => !isRecord(item) || !hasKeyIn(item, mergeKey, gone)), wanted };
}

function hasKeyIn(item: JsonMap, mergeKey: string, values: ReadonlySet<unknown>): boolean {
  return Object.hasOwn(item, mergeKey) && values.has(item[mergeKey]);
}

function checkDirective(item: JsonMap, mergeKey: string): void {
  switch (item[PATCH]) {
    case 'delete':
      keyOf(item, mergeKey);
      return;
    case 'replace':
      return;
    case 'merge':
      throw failure('merging lists cannot yet be specified in the patch');
    default:
      throw failure(`unknown patch type: ${goValue(item[PATCH])} in map: ${goValue(item)}`);
  }
}

function mergeItems(
  target: readonly unknown[],
  patch: readonly JsonMap[],
  { mergeKey, schema, mergeMaps }: ListMerge,
): readonly unknown[] {
  const merged = [...target];
  for (const item of patch) {
    const key = keyOf(item, mergeKey);
    const index = merged.findIndex((old) => isRecord(old) && Object.hasOwn(old, mergeKey) && old[mergeKey] === key);
    const old = merged[index];
    if (isRecord(old)) merged[index] = mergeMaps(old, item, schema);
    else merged.push(item);
  }
  return merged;
}
