import { equals } from '../compare.ts';
import { fault, isFault, type Meter, OUT_OF_BUDGET, type Result } from '../faults.ts';
import { OPERATORS } from '../functions/arithmetic.ts';
import { func, method, type Overload } from '../overload.ts';
import { A, BOOL, BYTES, DOUBLE, DURATION, DYN, INT, type Kind, list, STRING, TIMESTAMP, UINT } from '../types.ts';
import { type CelList, type CelValue, itemsOf, listOf, typeNameOf } from '../values.ts';

const SUMMABLE: readonly Kind[] = [INT, UINT, DOUBLE, DURATION];
const COMPARABLE: readonly Kind[] = [...SUMMABLE, BOOL, TIMESTAMP, STRING, BYTES];

const ITEMS = list(A);

/** An operator on two values of whatever types they are. */
function operate(name: '+' | '<', args: readonly CelValue[], meter: Meter): Result {
  const overload = OPERATORS.find((one) => one.name === name && one.params.every((p, at) => p.is(args[at] ?? null)));
  meter.spend(1);
  if (meter.isEmpty()) return OUT_OF_BUDGET;
  return overload === undefined
    ? fault(`no such overload: ${name}(${args.map(typeNameOf).join(', ')})`)
    : overload.run(args, meter);
}

function isSorted(items: CelList, meter: Meter): Result {
  for (let index = 1; index < items.length; index += 1) {
    const isFalling = operate('<', [items.at(index), items.at(index - 1)], meter);
    if (isFalling !== false) return isFault(isFalling) ? isFalling : false;
  }
  return true;
}

function sum(items: CelList, meter: Meter): Result {
  const [first, ...others] = itemsOf(items);
  if (first === undefined) return 0n;
  if (!SUMMABLE.some(({ is }) => is(first))) return fault(`no such overload: sum(${typeNameOf(first)})`);
  return others.reduce<Result>((total, item) => (isFault(total) ? total : operate('+', [total, item], meter)), first);
}

/** The first of those that no other comes before. */
function extreme(name: 'min' | 'max'): (items: CelList, meter: Meter) => Result {
  return (items, meter) => {
    const [first, ...others] = itemsOf(items);
    if (first === undefined) return fault(`${name} called on empty list`);
    return others.reduce<Result>((best, item) => {
      if (isFault(best)) return best;
      const isBetter = operate('<', name === 'min' ? [item, best] : [best, item], meter);
      if (isFault(isBetter)) return isBetter;
      return isBetter === true ? item : best;
    }, first);
  };
}

const minimum = extreme('min');
const maximum = extreme('max');

function indexOf(items: readonly CelValue[], wanted: CelValue, meter: Meter): Result {
  const index = items.findIndex((item) => meter.isEmpty() || equals(item, wanted, meter));
  return meter.isEmpty() ? OUT_OF_BUDGET : BigInt(index);
}

function lastIndexOf(items: CelList, wanted: CelValue, meter: Meter): Result {
  const index = indexOf([...itemsOf(items)].reverse(), wanted, meter);
  return typeof index === 'bigint' && index >= 0n ? BigInt(items.length - 1) - index : index;
}

/** Equal keys keep their order; a key of another type than the first is a mistake. */
export function sortByKeys(items: readonly CelValue[], keys: readonly CelValue[], meter: Meter): Result {
  const [first] = keys;
  if (first === undefined) return listOf([]);
  if (!COMPARABLE.some(({ is }) => is(first))) return fault('list elements must be comparable');
  if (keys.some((key) => typeNameOf(key) !== typeNameOf(first))) return fault('list elements must have the same type');
  meter.spend(keys.length * Math.log2(keys.length + 1) * 2);
  if (meter.isEmpty()) return OUT_OF_BUDGET;
  const order = keys.map((_, index) => index);
  const isBefore = (one: number, other: number): boolean =>
    operate('<', [keys[one] ?? null, keys[other] ?? null], meter) === true;
  order.sort((one, other) => Number(isBefore(other, one)) - Number(isBefore(one, other)));
  return meter.isEmpty() ? OUT_OF_BUDGET : listOf(order.map((index) => items[index] ?? null));
}

function distinct(items: CelList, meter: Meter): Result {
  const found: CelValue[] = [];
  for (const item of itemsOf(items)) {
    if (!found.some((other) => equals(other, item, meter))) found.push(item);
    if (meter.isEmpty()) return OUT_OF_BUDGET;
  }
  return listOf(found);
}

function flatten(items: CelList, depth: bigint, meter: Meter): readonly CelValue[] {
  meter.spend(items.length / 4);
  if (meter.isEmpty()) return [];
  return itemsOf(items).flatMap((item) => {
    const isList = typeof item === 'object' && item !== null && item.kind === 'list';
    return isList && depth > 0n ? flatten(item, depth - 1n, meter) : [item];
  });
}

function flattened(items: CelList, depth: bigint, meter: Meter): Result {
  if (depth < 0n) return fault('level must be non-negative');
  const flat = flatten(items, depth, meter);
  return meter.isEmpty() ? OUT_OF_BUDGET : listOf(flat);
}

function slice(items: CelList, start: bigint, end: bigint): Result {
  const failed = `cannot slice(${String(start)}, ${String(end)})`;
  if (start < 0n || end < 0n) return fault(`${failed}, negative indexes not supported`);
  if (start > end) return fault(`${failed}, start index must be less than or equal to end index`);
  if (end > items.length) return fault(`${failed}, list is length ${String(items.length)}`);
  return listOf(itemsOf(items).slice(Number(start), Number(end)));
}

function range(size: bigint, meter: Meter): Result {
  meter.spend(Number(size) / 4);
  return meter.isEmpty() ? OUT_OF_BUDGET : listOf(Array.from({ length: Number(size) }, (_, index) => BigInt(index)));
}

export const LIST_FUNCTIONS: readonly Overload[] = [
  ...SUMMABLE.map((kind) => method('sum', [[list(kind)], kind], ([items], meter) => sum(items, meter))),
  ...COMPARABLE.flatMap((kind) => [
    method('isSorted', [[list(kind)], BOOL], ([items], meter) => isSorted(items, meter)),
    method('min', [[list(kind)], kind], ([items], meter) => minimum(items, meter)),
    method('max', [[list(kind)], kind], ([items], meter) => maximum(items, meter)),
    method('sort', [[list(kind)], list(kind)], ([items], meter) => sortByKeys(itemsOf(items), itemsOf(items), meter)),
  ]),
  method('indexOf', [[ITEMS, A], INT], ([items, wanted], meter) => indexOf(itemsOf(items), wanted, meter)),
  method('lastIndexOf', [[ITEMS, A], INT], ([items, wanted], meter) => lastIndexOf(items, wanted, meter)),
  method('distinct', [[ITEMS], ITEMS], ([items], meter) => distinct(items, meter)),
  method('flatten', [[list(DYN)], list(DYN)], ([items], meter) => flattened(items, 1n, meter)),
  method('flatten', [[list(DYN), INT], list(DYN)], ([items, depth], meter) => flattened(items, depth, meter)),
  method('reverse', [[ITEMS], ITEMS], ([items]) => listOf([...itemsOf(items)].reverse())),
  method('slice', [[ITEMS, INT, INT], ITEMS], ([items, start, end]) => slice(items, start, end)),
  func('lists.range', [[INT], list(INT)], ([size], meter) => range(size, meter)),
];
