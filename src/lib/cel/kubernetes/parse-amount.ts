import { fault, type Fault } from '../faults.ts';
import type { Amount } from './amount.ts';

const QUANTITY = /^(?<sign>[+-]?)(?<digits>\d*)(?:\.(?<fraction>\d*))?(?<suffix>[eEinumkKMGTP]*[+-]?\d*)$/;

const DECIMAL_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);

const BINARY_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
]);

const WRONG_FORMAT = fault(
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
);
const WRONG_SUFFIX = fault("unable to parse quantity's suffix");

/** What is longer was not written by anybody, and would take long. */
const MOST_CHARACTERS = 1000;

/** Nothing is smaller than this power of ten. */
const NANO = -9;
/** So many digits are sure to fit into 64 bits. */
const MOST_DIGITS = 18;
const MOST_BINARY = 2n ** 63n - 1n;
const MOST_EXPONENT = 2 ** 31 - 1;

interface Parts {
  readonly isNegative: boolean;
  readonly whole: string;
  readonly fraction: string;
}

/** Reads `1.5Gi`, `100m` or `1e3` as Go's resource package does. */
export function parseAmount(text: string): Amount | Fault {
  const groups = text.length > MOST_CHARACTERS ? undefined : QUANTITY.exec(text)?.groups;
  return text === '' || groups === undefined ? WRONG_FORMAT : amountOf(groups);
}

function amountOf(groups: Readonly<Record<string, string>>): Amount | Fault {
  const { sign, digits = '', fraction = '', suffix = '' } = groups;
  const whole = digits.replace(/^0+/, '') || '0';
  const parts = { isNegative: sign === '-', whole, fraction };
  const binary = BINARY_SUFFIXES.get(suffix);
  if (binary !== undefined) return binaryAmount(parts, binary);
  const exponent = exponentOf(suffix);
  return exponent === undefined ? WRONG_SUFFIX : decimalAmount(parts, exponent);
}

function exponentOf(suffix: string): number | undefined {
  const known = DECIMAL_SUFFIXES.get(suffix);
  if (known !== undefined) return known;
  const exponent = /^[eE]([+-]?\d{1,10})$/.exec(suffix);
  const value = exponent === null ? NaN : Number(exponent[1]);
  return Math.abs(value) <= MOST_EXPONENT ? value : undefined;
}

function decimalAmount(parts: Parts, exponent: number): Amount {
  const { whole, fraction } = parts;
  const scale = exponent - fraction.length;
  const isSmall = whole.length + fraction.length <= MOST_DIGITS && scale >= NANO;
  return signed(parts, roundUp({ unscaled: BigInt(whole + fraction), scale, isSmall }));
}

function binaryAmount(parts: Parts, exponent: number): Amount {
  const { whole, fraction } = parts;
  const isSmall = fraction === '' && whole.length + Math.trunc((exponent * 3) / 10) <= 14;
  const unscaled = BigInt(whole + fraction) * 2n ** BigInt(exponent);
  const amount = roundUp({ unscaled, scale: 0 - fraction.length, isSmall });
  const isTooBig = unscaled > MOST_BINARY * 10n ** BigInt(fraction.length);
  return signed(parts, isTooBig ? { unscaled: MOST_BINARY, scale: 0, isSmall } : amount);
}

function signed({ isNegative }: Parts, amount: Amount): Amount {
  return isNegative ? { ...amount, unscaled: -amount.unscaled } : amount;
}

/** Who wants a little gets a little: what is finer than nano is rounded away from zero. */
function roundUp(amount: Amount): Amount {
  const { unscaled, scale } = amount;
  if (unscaled === 0n || scale >= NANO) return amount;
  const excess = NANO - scale;
  if (excess > unscaled.toString().length) return { ...amount, unscaled: 1n, scale: NANO };
  const unit = 10n ** BigInt(excess);
  return { ...amount, unscaled: (unscaled + unit - 1n) / unit, scale: NANO };
}
