import { fault, type Fault } from '../faults.ts';
import { INT_MAX, INT_MIN } from '../values.ts';

/** A decimal number: `unscaled` times ten to the power of `scale`. */
export interface Amount {
  readonly unscaled: bigint;
  readonly scale: number;
  /** Kept in 64 bits, as Go keeps it while it can; what is not is no integer to it, whatever its value. */
  readonly isSmall: boolean;
}

/** Powers of ten beyond it are never written out. */
const MOST_POWER = 10_000;

const TOO_FAR_APART = fault('the quantities are too far apart to be added');

function isInt64(value: bigint): boolean {
  return value >= INT_MIN && value <= INT_MAX;
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** The position of the first digit. */
function orderOf({ unscaled, scale }: Amount): number {
  return magnitude(unscaled).toString().length + scale;
}

export function signOf({ unscaled }: Amount): bigint {
  if (unscaled === 0n) return 0n;
  return unscaled < 0n ? -1n : 1n;
}

/** Negative, zero or positive. */
export function compareAmounts(one: Amount, other: Amount): bigint {
  const [left, right] = [signOf(one), signOf(other)];
  if (left !== right) return left < right ? -1n : 1n;
  if (left === 0n) return 0n;
  const orders = orderOf(one) - orderOf(other);
  if (orders !== 0) return orders < 0 ? -left : left;
  const scale = Math.min(one.scale, other.scale);
  const difference = at(one, scale) - at(other, scale);
  return signOf({ ...one, unscaled: difference });
}

/** Only for a scale that is not greater than its own. */
function at({ unscaled, scale }: Amount, wanted: number): bigint {
  return unscaled * 10n ** BigInt(scale - wanted);
}

export function addAmounts(one: Amount, other: Amount): Amount | Fault {
  if (other.unscaled === 0n) return one.isSmall && !other.isSmall ? { ...one, isSmall: false } : one;
  if (one.unscaled === 0n) return { ...other, isSmall: one.isSmall && other.isSmall };
  if (Math.abs(one.scale - other.scale) > MOST_POWER) return TOO_FAR_APART;
  const scale = Math.min(one.scale, other.scale);
  const terms = [at(one, scale), at(other, scale)] as const;
  const unscaled = terms[0] + terms[1];
  const isSmall = one.isSmall && other.isSmall && [...terms, unscaled].every(isInt64);
  return { unscaled, scale, isSmall };
}

export function negate(amount: Amount): Amount {
  return { ...amount, unscaled: -amount.unscaled };
}

/** Undefined where Go would not give it as an int64. */
export function asInteger(amount: Amount): bigint | undefined {
  const { unscaled, scale, isSmall } = amount;
  if (!isSmall || scale < 0) return undefined;
  if (unscaled === 0n) return 0n;
  if (orderOf(amount) > 19) return undefined;
  const value = at(amount, 0);
  return isInt64(value) ? value : undefined;
}

export function asFloat({ unscaled, scale }: Amount): number {
  return scale === 0 ? Number(unscaled) : Number(unscaled) * Number(`1e${String(scale)}`);
}

/** The same text for the same number. */
export function keyOfAmount({ unscaled, scale }: Amount): string {
  const digits = unscaled.toString();
  const significant = digits.replace(/0+$/, '');
  return unscaled === 0n ? '0' : `${significant}e${String(scale + digits.length - significant.length)}`;
}
