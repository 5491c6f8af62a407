import type { Meter } from './faults.ts';
import { type CelList, type CelMap, type CelOptional, type CelValue } from './values.ts';

/** Whether two values are equal; numbers of different types are compared by value, other types never equal one another. */
export function equals(one: CelValue, other: CelValue, meter: Meter): boolean {
  meter.spend(2);
  if (meter.isEmpty()) return false;
  const [left, right] = [numberOf(one), numberOf(other)];
  // eslint-disable-next-line eqeqeq -- only == compares a bigint with a number exactly.
  if (left !== undefined && right !== undefined) return left == right;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  return equalStructures(one, other, meter);
}

type Structure = Exclude<CelValue, null | boolean | string | bigint | number>;

function equalStructures(one: Structure, other: Structure, meter: Meter): boolean {
  switch (one.kind) {
    case 'list':
      return other.kind === 'list' && equalLists(one, other, meter);
    case 'map':
      return other.kind === 'map' && equalMaps(one, other, meter);
    case 'bytes':
      return other.kind === 'bytes' && compareBytes(one.bytes, other.bytes) === 0;
    case 'type':
      return other.kind === 'type' && one.name === other.name;
    case 'optional':
      return other.kind === 'optional' && equalOptionals(one, other, meter);
    case 'timestamp':
    case 'duration':
      return other.kind === one.kind && one.nanos === other.nanos;
    case 'opaque':
      return other.kind === 'opaque' && other.type === one.type && other.key === one.key;
    case 'uint':
      return false;
  }
}

function equalOptionals(one: CelOptional, other: CelOptional, meter: Meter): boolean {
  if (one.value === undefined || other.value === undefined) return one.value === other.value;
  return equals(one.value, other.value, meter);
}

/** Whether a list has an item that is equal. */
export function includes(items: CelList, value: CelValue, meter: Meter): boolean {
  for (let index = 0; index < items.length && !meter.isEmpty(); index += 1) {
    if (equals(items.at(index), value, meter)) return true;
  }
  return false;
}

function equalLists(one: CelList, other: CelList, meter: Meter): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1) {
    if (!equals(one.at(index), other.at(index), meter)) return false;
  }
  return true;
}

function equalMaps(one: CelMap, other: CelMap, meter: Meter): boolean {
  if (one.size !== other.size) return false;
  return one.keys().every((key) => {
    const [left, right] = [one.get(key), other.get(key)];
    return left !== undefined && right !== undefined && equals(left, right, meter);
  });
}

export function numberOf(value: CelValue): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return typeof value === 'object' && value !== null && value.kind === 'uint' ? value.value : undefined;
}

/** Negative, zero or positive; NaN where one of them is NaN. */
export function compareNumbers(left: bigint | number, right: bigint | number): number {
  if (left < right) return -1;
  if (left > right) return 1;
  return Number.isNaN(Number(left)) || Number.isNaN(Number(right)) ? NaN : 0;
}

/** By code points, which is the order of their bytes in UTF-8. */
export function compareTexts(one: string, other: string): number {
  let index = 0;
  while (index < one.length && one[index] === other[index]) index += 1;
  if (index === one.length || index === other.length) return one.length - other.length;
  return orderOf(one.charCodeAt(index)) - orderOf(other.charCodeAt(index));
}

/** Halves of code points beyond the first 65536 come after all that is within. */
function orderOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

export function compareBytes(one: Uint8Array, other: Uint8Array): number {
  for (const [index, byte] of one.entries()) {
    const difference = byte - (other[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}
