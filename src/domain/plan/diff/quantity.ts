/** A Kubernetes quantity as an exact number: `digits × 10^tens × 2^twos`. */
interface Quantity {
  readonly digits: bigint;
  readonly tens: number;
  readonly twos: number;
}

const SYNTAX = /^([+-]?)(\d{1,30})?(?:\.(\d{0,30}))?(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,2}))?$/;
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const PLACES = 60n;

/** Below, at or above zero as `a` is less than, equal to or greater than `b`; undefined: one of them is no quantity. */
export function compareQuantities(a: unknown, b: unknown): number | undefined {
  const [left, right] = [parse(a), parse(b)];
  if (left === undefined || right === undefined) return undefined;
  const difference = scaled(left) - scaled(right);
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

function parse(value: unknown): Quantity | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const match = SYNTAX.exec(String(value));
  return match === null ? undefined : quantityOf(match);
}

function quantityOf([, sign = '', whole = '', fraction = '', suffix = '', exponent = '0']: readonly string[]):
  | Quantity
  | undefined {
  if (`${whole}${fraction}` === '') return undefined;
  const tens = (DECIMAL[suffix] ?? 0) + Number(exponent) - fraction.length;
  return { digits: BigInt(`${whole}${fraction}`) * BigInt(`${sign}1`), tens, twos: BINARY[suffix] ?? 0 };
}

/** As a whole number of a unit that is smaller than anything that can be written: 10^-60, or beyond it equal. */
function scaled({ digits, tens, twos }: Quantity): bigint {
  const places = PLACES + BigInt(tens);
  const factor = places < 0n ? 0n : 10n ** places;
  return digits * factor * 2n ** BigInt(twos);
}
