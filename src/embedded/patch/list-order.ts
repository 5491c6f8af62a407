import { isRecord } from '../../lib/json.ts';
import { failure } from './bad-patch.ts';
import { keyOf } from './item-key.ts';

export interface Parted {
  /** Items that are in the list they were parted by. */
  readonly listed: readonly unknown[];
  readonly others: readonly unknown[];
}

/** By the merge key for maps; with an empty one, by the items themselves. */
export function partition(items: readonly unknown[], by: readonly unknown[], mergeKey: string): Parted {
  const isListed = mergeKey === '' ? (item: unknown) => by.includes(item) : keyIn(by, mergeKey);
  const flags = items.map(isListed);
  return { listed: items.filter((_, index) => flags[index]), others: items.filter((_, index) => !flags[index]) };
}

function keyIn(by: readonly unknown[], mergeKey: string): (item: unknown) => boolean {
  return (item) => {
    if (!isRecord(item)) throw failure('expected a map[string]interface {}, but received a different type');
    const key = keyOf(item, mergeKey);
    return by.some((other, index) => {
      if (!isRecord(other)) throw failure(`value for key ${String(index)} is not a map`);
      return Object.hasOwn(other, mergeKey) && other[mergeKey] === key;
    });
  };
}

export interface Ordering extends Parted {
  /** How those that are listed come. */
  readonly order: readonly unknown[];
  /** How those of the server came, and where between the listed ones they go. */
  readonly live: readonly unknown[];
  readonly mergeKey: string;
}

export function inOrder(ordering: Ordering): readonly unknown[] {
  const { listed, others, order, live, mergeKey } = ordering;
  checkKeys(ordering);
  const wanted = sortedBy(listed, order, mergeKey);
  const left = [...sortedBy(others, live, mergeKey)];
  const all: unknown[] = [];
  for (const item of wanted) {
    const place = indexOf(live, item, mergeKey);
    while (left.length > 0 && isBefore(indexOf(live, left[0], mergeKey), place)) all.push(left.shift());
    all.push(item);
  }
  return [...all, ...left];
}

/** Directives, too, must not be among what is to be put in order. */
function checkKeys({ listed, others, order, live, mergeKey }: Ordering): void {
  for (const item of [...listed, ...order, ...others, ...live]) if (isRecord(item)) keyOf(item, mergeKey);
}

function isBefore(index: number, other: number): boolean {
  return index >= 0 && other >= 0 && index < other;
}

function sortedBy(items: readonly unknown[], order: readonly unknown[], mergeKey: string): readonly unknown[] {
  return [...items].sort((a, b) => indexOf(order, a, mergeKey) - indexOf(order, b, mergeKey));
}

function indexOf(items: readonly unknown[], item: unknown, mergeKey: string): number {
  const key = identity(item, mergeKey);
  return items.findIndex((other) => identity(other, mergeKey) === key);
}

function identity(item: unknown, mergeKey: string): unknown {
  return isRecord(item) ? item[mergeKey] : item;
}
