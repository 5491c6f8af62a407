import { printElement } from './path-element.ts';
import { fieldType, type ListShape, type MapShape, type Type } from './type.ts';
import { formsFor, handleForm, isBare, listOf, mapOf, type NamedItem, namedItems } from './walk.ts';

/**
 * A value with what a part of one says. Nothing is removed; where both have a leaf, the part wins. Items of lists are
 * in the order of the part where it says anything of them, and else in that of the value. Undefined: neither is there.
 */
export function merge(type: Type, live: unknown, part: unknown): unknown {
  return handleForm<unknown>(formsFor(type, part === undefined ? live : part), {
    scalar: () => leaf(live, part),
    list: (list) => mergeList(list, live, part),
    map: (map) => mergeMap(map, live, part),
  });
}

function leaf(live: unknown, part: unknown): unknown {
  return part === undefined ? live : part;
}

function mergeMap(map: MapShape, live: unknown, part: unknown): unknown {
  const mine = mapOf(live);
  const theirs = mapOf(part);
  if (map.atomic || (isBare(mine) && isBare(theirs))) return leaf(live, part);
  const merged: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(mine ?? {}), ...Object.keys(theirs ?? {})])) {
    const value = merge(fieldType(map, name), mine?.[name], theirs?.[name]);
    if (value !== undefined) merged[name] = value;
  }
  return merged;
}

function mergeList(list: ListShape, live: unknown, part: unknown): unknown {
  const mine = listOf(live);
  const theirs = listOf(part);
  if (list.atomic || (isBare(mine) && isBare(theirs))) return leaf(live, part);
  return mergeItems(list, namedItems(list, mine ?? []), namedItems(list, theirs ?? []));
}

function mergeItems(list: ListShape, mine: readonly NamedItem[], theirs: readonly NamedItem[]): readonly unknown[] {
  const known = byName(mine);
  const wanted = byName(theirs);
  const work: Merging = {
    left: mine.map(({ element, item }) => ({ key: printElement(element), item })),
    right: theirs.map(({ element }) => printElement(element)),
    shared: theirs.map(({ element }) => printElement(element)).filter((key) => known.has(key)),
    done: new Set(),
  };
  const out: unknown[] = [];
  while (work.left.length + work.right.length > 0) {
    const [old] = work.left;
    if (old !== undefined && !wanted.has(old.key)) {
      out.push(merge(list.item, work.left.shift()?.item, undefined));
    } else if (isOutOfTurn(work)) {
      work.left.shift();
    } else {
      const key = takeWanted(work);
      if (key !== undefined) out.push(merge(list.item, known.get(key), wanted.get(key)));
    }
  }
  return out;
}

/** What is left to merge. */
interface Merging {
  readonly left: { readonly key: string; readonly item: unknown }[];
  readonly right: string[];
  /** Names that are on both sides, in the order of the part. */
  readonly shared: string[];
  readonly done: Set<string>;
}

/** The next old item is wanted, too, but others are before it in the order of the part. */
function isOutOfTurn({ left, right, shared }: Merging): boolean {
  return left[0] !== undefined && right.length > 0 && shared[0] !== undefined && shared[0] !== left[0].key;
}

function takeWanted({ left, right, shared, done }: Merging): string | undefined {
  const old = left[0]?.key;
  if (old !== undefined && (done.has(old) || old === right[0])) left.shift();
  const key = right.shift();
  if (key === undefined) return undefined;
  if (key === shared[0]) shared.shift();
  done.add(key);
  return key;
}

/** Items of one name are not merged with the new one: it replaces them. */
function byName(items: readonly NamedItem[]): ReadonlyMap<string, unknown> {
  const named = new Map<string, unknown>();
  for (const { element, item } of items) {
    const key = printElement(element);
    named.set(key, named.has(key) ? null : item);
  }
  return named;
}
