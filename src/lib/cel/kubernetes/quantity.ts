import { type Fault, fault, isFault, type Result } from '../faults.ts';
import { func, method, type Overload } from '../overload.ts';
import { BOOL, DOUBLE, INT, opaque, STRING } from '../types.ts';
import type { CelOpaque } from '../values.ts';
import { type Amount, addAmounts, asFloat, asInteger, compareAmounts, keyOfAmount, negate, signOf } from './amount.ts';
import { parseAmount } from './parse-amount.ts';

interface CelQuantity extends CelOpaque {
  readonly type: 'kubernetes.Quantity';
  readonly amount: Amount;
}

const QUANTITY = opaque<CelQuantity>('kubernetes.Quantity');

function quantityOf(amount: Amount | Fault): CelQuantity | Fault {
  if ('kind' in amount) return amount;
  return { kind: 'opaque', type: 'kubernetes.Quantity', key: keyOfAmount(amount), amount };
}

function whole(value: bigint): Amount {
  return { unscaled: value, scale: 0, isSmall: true };
}

function integerOf({ amount }: CelQuantity): Result {
  return asInteger(amount) ?? fault('cannot convert value to integer');
}

export const QUANTITY_FUNCTIONS: readonly Overload[] = [
  func('quantity', [[STRING], QUANTITY], ([text]) => quantityOf(parseAmount(text))),
  func('isQuantity', [[STRING], BOOL], ([text]) => !isFault(quantityOf(parseAmount(text)))),
  func('sign', [[QUANTITY], INT], ([{ amount }]) => signOf(amount)),
  method('isInteger', [[QUANTITY], BOOL], ([{ amount }]) => asInteger(amount) !== undefined),
  method('asInteger', [[QUANTITY], INT], ([quantity]) => integerOf(quantity)),
  method('asApproximateFloat', [[QUANTITY], DOUBLE], ([{ amount }]) => asFloat(amount)),
  method('add', [[QUANTITY, QUANTITY], QUANTITY], ([one, other]) => quantityOf(addAmounts(one.amount, other.amount))),
  method('add', [[QUANTITY, INT], QUANTITY], ([one, other]) => quantityOf(addAmounts(one.amount, whole(other)))),
  method('sub', [[QUANTITY, QUANTITY], QUANTITY], ([one, other]) =>
    quantityOf(addAmounts(one.amount, negate(other.amount))),
  ),
  method('sub', [[QUANTITY, INT], QUANTITY], ([one, other]) => quantityOf(addAmounts(one.amount, whole(-other)))),
  method(
    'isGreaterThan',
    [[QUANTITY, QUANTITY], BOOL],
    ([one, other]) => compareAmounts(one.amount, other.amount) > 0n,
  ),
  method('isLessThan', [[QUANTITY, QUANTITY], BOOL], ([one, other]) => compareAmounts(one.amount, other.amount) < 0n),
  method('compareTo', [[QUANTITY, QUANTITY], INT], ([one, other]) => compareAmounts(one.amount, other.amount)),
];
