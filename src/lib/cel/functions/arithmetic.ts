import { compareBytes, compareNumbers, compareTexts, equals, includes, numberOf } from '../compare.ts';
import { fault, type Result } from '../faults.ts';
import { func, type Overload } from '../overload.ts';
import { A, BOOL, BYTES, DOUBLE, DURATION, DYN, INT, type Kind, list, map, STRING, TIMESTAMP, UINT } from '../types.ts';
import { bytes, type CelList, INT_MAX, INT_MIN, listOf, itemsOf, type CelMap, uint, UINT_MAX } from '../values.ts';
import { addTime, durationOf } from './times.ts';

export function int(value: bigint): Result {
  return value < INT_MIN || value > INT_MAX ? fault('integer overflow') : value;
}

export function unsigned(value: bigint): Result {
  return value < 0n || value > UINT_MAX ? fault('unsigned integer overflow') : uint(value);
}

const DIVISION_BY_ZERO = fault('division by zero');

function integers(name: string, run: (left: bigint, right: bigint) => bigint): readonly Overload[] {
  const divides = name === '/' || name === '%';
  return [
    func(name, [[INT, INT], INT], ([left, right]) =>
      divides && right === 0n ? DIVISION_BY_ZERO : int(run(left, right)),
    ),
    func(name, [[UINT, UINT], UINT], ([left, right]) =>
      divides && right.value === 0n ? DIVISION_BY_ZERO : unsigned(run(left.value, right.value)),
    ),
  ];
}

function doubles(name: string, run: (left: number, right: number) => number): Overload {
  return func(name, [[DOUBLE, DOUBLE], DOUBLE], ([left, right]) => run(left, right));
}

const NUMBERS: readonly Kind[] = [INT, UINT, DOUBLE];
const NUMBER_PAIRS = NUMBERS.flatMap((left) => NUMBERS.map((right) => [left, right] as const));

function ordering(name: string, holds: (order: number) => boolean): readonly Overload[] {
  return [
    func(name, [[BOOL, BOOL], BOOL], ([left, right]) => holds(Number(left) - Number(right))),
    func(name, [[STRING, STRING], BOOL], ([left, right]) => holds(compareTexts(left, right))),
    func(name, [[BYTES, BYTES], BOOL], ([left, right]) => holds(compareBytes(left.bytes, right.bytes))),
    func(name, [[TIMESTAMP, TIMESTAMP], BOOL], ([left, right]) => holds(compareNumbers(left.nanos, right.nanos))),
    func(name, [[DURATION, DURATION], BOOL], ([left, right]) => holds(compareNumbers(left.nanos, right.nanos))),
    ...NUMBER_PAIRS.map((kinds) =>
      func(name, [kinds, BOOL], ([left, right]) =>
        holds(compareNumbers(numberOf(left) ?? NaN, numberOf(right) ?? NaN)),
      ),
    ),
  ];
}

function joinLists(left: CelList, right: CelList): CelList {
  return listOf([...itemsOf(left), ...itemsOf(right)]);
}

function joinBytes(left: Uint8Array, right: Uint8Array): Uint8Array {
  const joined = new Uint8Array(left.length + right.length);
  joined.set(left);
  joined.set(right, left.length);
  return joined;
}

const ANY_LIST = list(A);
const ANY_MAP: Kind<CelMap> = map(A, DYN);

export const OPERATORS: readonly Overload[] = [
  ...integers('+', (left, right) => left + right),
  ...integers('-', (left, right) => left - right),
  ...integers('*', (left, right) => left * right),
  ...integers('/', (left, right) => left / right),
  ...integers('%', (left, right) => left % right),
  doubles('+', (left, right) => left + right),
  doubles('-', (left, right) => left - right),
  doubles('*', (left, right) => left * right),
  doubles('/', (left, right) => left / right),
  func('+', [[STRING, STRING], STRING], ([left, right]) => left + right),
  func('+', [[BYTES, BYTES], BYTES], ([left, right]) => bytes(joinBytes(left.bytes, right.bytes))),
  func('+', [[ANY_LIST, ANY_LIST], ANY_LIST], ([left, right]) => joinLists(left, right)),
  func('+', [[TIMESTAMP, DURATION], TIMESTAMP], ([left, right]) => addTime(left.nanos, right.nanos)),
  func('+', [[DURATION, TIMESTAMP], TIMESTAMP], ([left, right]) => addTime(right.nanos, left.nanos)),
  func('+', [[DURATION, DURATION], DURATION], ([left, right]) => durationOf(left.nanos + right.nanos)),
  func('-', [[TIMESTAMP, DURATION], TIMESTAMP], ([left, right]) => addTime(left.nanos, -right.nanos)),
  func('-', [[TIMESTAMP, TIMESTAMP], DURATION], ([left, right]) => durationOf(left.nanos - right.nanos)),
  func('-', [[DURATION, DURATION], DURATION], ([left, right]) => durationOf(left.nanos - right.nanos)),
  func('-_', [[INT], INT], ([value]) => int(-value)),
  func('-_', [[DOUBLE], DOUBLE], ([value]) => -value),
  func('!_', [[BOOL], BOOL], ([value]) => !value),
  func('==', [[A, A], BOOL], ([left, right], meter) => equals(left, right, meter)),
  func('!=', [[A, A], BOOL], ([left, right], meter) => !equals(left, right, meter)),
  ...ordering('<', (order) => order < 0),
  ...ordering('<=', (order) => order <= 0),
  ...ordering('>', (order) => order > 0),
  ...ordering('>=', (order) => order >= 0),
  func('in', [[A, ANY_LIST], BOOL], ([value, items], meter) => includes(items, value, meter)),
  func('in', [[A, ANY_MAP], BOOL], ([key, fields]) => fields.get(key) !== undefined),
];
