import { isRecord } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';
import { badRequest, failure } from './bad-patch.ts';
import { directiveOf, PATCH, SET_ELEMENT_ORDER } from './directives.ts';
import { goValue, reflectType } from './go-text.ts';
import { keyOf } from './item-key.ts';
import { inOrder, partition } from './list-order.ts';
import { itemType, type MergeMaps, mergeLists } from './merge-lists.ts';
import { type FieldStrategy, itemOf, type PatchSchema } from './patch-schema.ts';
import { withoutDirectives } from './without.ts';

export interface MapMerge {
  readonly target: JsonMap;
  readonly patch: JsonMap;
  readonly schema: PatchSchema;
  readonly mergeMaps: MergeMaps;
}

/** Merges the lists that have a `$setElementOrder`, and takes both from the patch. */
export function orderLists(merge: MapMerge): Pick<MapMerge, 'target' | 'patch'> {
  return Object.entries(merge.patch).reduce((left, [key, order]) => {
    const field = directiveOf(key, SET_ELEMENT_ORDER, 'setElementOrder list');
    return field === undefined ? left : orderList({ ...merge, ...left }, { key, field, order });
  }, merge);
}

interface Directive {
  readonly key: string;
  readonly field: string;
  readonly order: unknown;
}

function orderList(merge: MapMerge, { key, field, order }: Directive): MapMerge {
  const wanted = listIn(order) ?? [];
  const live = listIn(merge.target[field]);
  const part = listIn(merge.patch[field]);
  const strategy = itemOf(merge.schema, field);
  checkOrder(part ?? [], wanted, strategy.mergeKey);
  const { [key]: _order, ...patch } = merge.patch;
  const merged = mergedItems({ live, part, strategy }, merge.mergeMaps);
  if (merged === undefined) return { ...merge, patch };
  const { mergeKey } = strategy;
  checkKeys([...merged, ...(live ?? [])], mergeKey);
  const { listed, others } = partition(merged, wanted, mergeKey);
  itemType(live ?? [], part ?? []);
  const ordered = inOrder({ listed, others, order: wanted, live: live ?? [], mergeKey });
  const { [field]: _list, ...rest } = patch;
  return { ...merge, target: { ...merge.target, [field]: ordered }, patch: rest };
}

/** Maps in lists that do not merge have no key to be ordered by. */
function checkKeys(items: readonly unknown[], mergeKey: string): void {
  const [item] = items;
  if (mergeKey === '' && isRecord(item)) keyOf(item, mergeKey);
}

function listIn(value: unknown): readonly unknown[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return value as readonly unknown[];
  throw failure(`expected a []interface {}, but received a ${value === null ? '%!s(<nil>)' : reflectType(value)}`);
}

interface Lists {
  readonly live: readonly unknown[] | undefined;
  readonly part: readonly unknown[] | undefined;
  readonly strategy: FieldStrategy;
}

/** Undefined: there is nothing to order. */
function mergedItems({ live, part, strategy }: Lists, mergeMaps: MergeMaps): readonly unknown[] | undefined {
  if (part === undefined) return live;
  if (live === undefined) return listIn(withoutDirectives(part));
  if (!strategy.strategies.includes('merge')) return part;
  const { below: schema, mergeKey } = strategy;
  return mergeLists({ target: live, patch: part, schema, mergeKey, isDeletion: false, mergeMaps });
}

/** What the patch sets has to be in the order, and in that order. */
function checkOrder(part: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  if (part.length === 0 || order.length === 0) return;
  const items = part.filter((item) => !isDirective(item));
  let next = 0;
  for (const wanted of order) {
    if (next < items.length && isSame(items[next], wanted, mergeKey)) next++;
  }
  if (next === items.length) return;
  const lists = `${goValue(part)}\n doesn't match ${SET_ELEMENT_ORDER} list:\n${goValue(order)}\n`;
  throw failure(`The order in patch list:\n${lists}`);
}

function isDirective(item: unknown): boolean {
  return isRecord(item) && Object.hasOwn(item, PATCH);
}

function isSame(item: unknown, wanted: unknown, mergeKey: string): boolean {
  if (mergeKey === '') return item === wanted;
  if (!isRecord(item) || !isRecord(wanted)) throw badRequest('invalid patch format of setElementOrder list');
  return keyOf(item, mergeKey) === keyOf(wanted, mergeKey);
}
