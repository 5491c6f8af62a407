import { includes } from '../compare.ts';
import { fault, type Meter, type Result } from '../faults.ts';
import { func, method, type Overload } from '../overload.ts';
import { A, BOOL, BYTES, DYN, list, optional, STRING } from '../types.ts';
import { bytes, type CelList, type CelOptional, type CelValue, itemsOf, listOf, NONE, some } from '../values.ts';

const ITEMS = list(A);
const MAYBE = optional(A);

function containsAll(items: CelList, others: CelList, meter: Meter): boolean {
  return itemsOf(others).every((other) => includes(items, other, meter));
}

function intersects(items: CelList, others: CelList, meter: Meter): boolean {
  return itemsOf(others).some((other) => includes(items, other, meter));
}

const BASE_64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

function decodeBase64(text: string): Result {
  const content = text.replace(/[\r\n]/g, '');
  if (!BASE_64.test(content)) return fault('illegal base64 data');
  return bytes(Uint8Array.from(atob(content), (character) => character.charCodeAt(0)));
}

function encodeBase64(content: Uint8Array): string {
  return btoa(Array.from(content, (byte) => String.fromCharCode(byte)).join(''));
}

function valueOf({ value }: CelOptional): Result {
  return value === undefined ? fault('optional.none() dereference') : value;
}

/** Null, and what CEL calls zero: false, 0, an empty text, list or map. */
function isZero(value: CelValue): boolean {
  if (value === null || typeof value !== 'object') return !value;
  switch (value.kind) {
    case 'uint':
      return value.value === 0n;
    case 'bytes':
      return value.bytes.length === 0;
    case 'list':
      return value.length === 0;
    case 'map':
      return value.size === 0;
    case 'optional':
      return value.value === undefined;
    case 'duration':
      return value.nanos === 0n;
    case 'timestamp':
    case 'type':
    case 'opaque':
      return false;
  }
}

function unwrap(items: CelList): Result {
  const values: CelValue[] = [];
  for (const item of itemsOf(items)) {
    if (typeof item !== 'object' || item === null || item.kind !== 'optional')
      return fault('only optionals can be unwrapped');
    if (item.value !== undefined) values.push(item.value);
  }
  return listOf(values);
}

export const COLLECTION_FUNCTIONS: readonly Overload[] = [
  func('sets.contains', [[ITEMS, ITEMS], BOOL], ([items, others], meter) => containsAll(items, others, meter)),
  func('sets.intersects', [[ITEMS, ITEMS], BOOL], ([items, others], meter) => intersects(items, others, meter)),
  func(
    'sets.equivalent',
    [[ITEMS, ITEMS], BOOL],
    ([items, others], meter) => containsAll(items, others, meter) && containsAll(others, items, meter),
  ),
  func('base64.encode', [[BYTES], STRING], ([content]) => encodeBase64(content.bytes)),
  func('base64.decode', [[STRING], BYTES], ([text]) => decodeBase64(text)),
  func('optional.of', [[A], MAYBE], ([value]) => some(value)),
  func('optional.none', [[], MAYBE], () => NONE),
  func('optional.ofNonZeroValue', [[A], MAYBE], ([value]) => (isZero(value) ? NONE : some(value))),
  func('optional.unwrap', [[list(MAYBE)], ITEMS], ([items]) => unwrap(items)),
  method('unwrapOpt', [[list(MAYBE)], ITEMS], ([items]) => unwrap(items)),
  method('hasValue', [[optional(DYN)], BOOL], ([maybe]) => maybe.value !== undefined),
  method('value', [[MAYBE], A], ([maybe]) => valueOf(maybe)),
  method('or', [[MAYBE, MAYBE], MAYBE], ([maybe, other]) => (maybe.value === undefined ? other : maybe)),
  method('orValue', [[MAYBE, A], A], ([maybe, other]) => (maybe.value === undefined ? other : maybe.value)),
  method('first', [[ITEMS], MAYBE], ([items]) => (items.length === 0 ? NONE : some(items.at(0)))),
  method('last', [[ITEMS], MAYBE], ([items]) => (items.length === 0 ? NONE : some(items.at(items.length - 1)))),
];
