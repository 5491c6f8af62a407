/** Amounts of resources as Kubernetes writes them: `1500m`, `512Mi`, `1e3`. Exact to a billionth, as the API server. */
export interface Quantity {
  readonly nanos: bigint;
  readonly format: 'binary' | 'decimal' | 'exponent';
}

const PATTERN = /^([+-]?)([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?[0-9]+)?$/;
const NANO = 10n ** 9n;
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** From nano on, each a thousand times the one before. */
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
/** More than the API server keeps of an exponent. */
const MAX_EXPONENT = 30;

export function parseQuantity(text: string): Quantity | undefined {
  const match = PATTERN.exec(text);
  if (match === null) return undefined;
  const [, sign = '', digits = '', suffix = ''] = match;
  const scaled = scaleOf(suffix);
  if (scaled === undefined) return undefined;
  const [whole = '', fraction = ''] = digits.split('.');
  const numerator = BigInt(`${whole}${fraction}`) * NANO * scaled.numerator;
  const nanos = divideUp(numerator, 10n ** BigInt(fraction.length) * scaled.denominator);
  return { nanos: sign === '-' ? -nanos : nanos, format: scaled.format };
}

interface Scale {
  readonly numerator: bigint;
  readonly denominator: bigint;
  readonly format: Quantity['format'];
}

function scaleOf(suffix: string): Scale | undefined {
  const binary = BINARY.indexOf(suffix);
  if (binary > 0) return { numerator: 1024n ** BigInt(binary), denominator: 1n, format: 'binary' };
  const decimal = DECIMAL.indexOf(suffix);
  if (decimal >= 0) return powerOfTen(3 * (decimal - DECIMAL.indexOf('')), 'decimal');
  const exponent = Number(suffix.slice(1));
  return Math.abs(exponent) > MAX_EXPONENT ? undefined : powerOfTen(exponent, 'exponent');
}

function powerOfTen(exponent: number, format: Quantity['format']): Scale {
  const power = 10n ** BigInt(Math.abs(exponent));
  return exponent < 0 ? { numerator: 1n, denominator: power, format } : { numerator: power, denominator: 1n, format };
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

/** Away from zero, as the API server rounds what is finer than a thousandth in lists of resources. */
export function roundUpToMilli({ nanos, format }: Quantity): Quantity {
  const million = 10n ** 6n;
  const size = divideUp(nanos < 0n ? -nanos : nanos, million) * million;
  return { nanos: nanos < 0n ? -size : size, format };
}

/** The one way to write it, with the kind of suffix that it came with. */
export function formatQuantity({ nanos, format }: Quantity): string {
  if (nanos === 0n) return '0';
  const size = nanos < 0n ? -nanos : nanos;
  const sign = nanos < 0n ? '-' : '';
  if (format === 'binary' && size >= 1024n * NANO) {
    const [count, steps] = reduce(divideUp(size, NANO), 1024n);
    return `${sign}${String(count)}${BINARY[steps] ?? ''}`;
  }
  const [count, steps] = reduce(size, 1000n);
  const suffix = format === 'exponent' ? exponentSuffix(3 * steps - 9) : (DECIMAL[steps] ?? '');
  return `${sign}${String(count)}${suffix}`;
}

function exponentSuffix(exponent: number): string {
  return exponent === 0 ? '' : `e${String(exponent)}`;
}

function reduce(value: bigint, by: bigint): readonly [count: bigint, steps: number] {
  let count = value;
  let steps = 0;
  const limit = by === 1024n ? BINARY.length - 1 : DECIMAL.length - 1;
  while (steps < limit && count % by === 0n) {
    count /= by;
    steps += 1;
  }
  return [count, steps];
}
