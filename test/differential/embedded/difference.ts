import { isRecord } from '../../../src/lib/json.ts';

export interface Difference {
  /** `.answers[3].body.metadata.generation` */
  readonly path: string;
  readonly real: unknown;
  readonly embedded: unknown;
}

/** The first place in which two values are not the same. */
export function firstDifference(real: unknown, embedded: unknown, path = ''): Difference | undefined {
  if (Array.isArray(real) && Array.isArray(embedded)) return inLists(real, embedded, path);
  if (isRecord(real) && isRecord(embedded)) return inMaps(real, embedded, path);
  return Object.is(real, embedded) ? undefined : { path, real, embedded };
}

function inLists(real: readonly unknown[], embedded: readonly unknown[], path: string): Difference | undefined {
  for (let index = 0; index < Math.min(real.length, embedded.length); index++) {
    const found = firstDifference(real[index], embedded[index], `${path}[${String(index)}]`);
    if (found !== undefined) return found;
  }
  if (real.length === embedded.length) return undefined;
  const index = Math.min(real.length, embedded.length);
  return { path: `${path}[${String(index)}]`, real: real[index], embedded: embedded[index] };
}

function inMaps(
  real: Readonly<Record<string, unknown>>,
  embedded: Readonly<Record<string, unknown>>,
  path: string,
): Difference | undefined {
  // Why a request was refused says more than that it was.
  const keys = [...new Set([...Object.keys(real), ...Object.keys(embedded)])].sort(byWeight);
  for (const key of keys) {
    const found = firstDifference(real[key], embedded[key], `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const FIRST = ['message', 'reason'];

function byWeight(a: string, b: string): number {
  return weight(a) - weight(b) || (a < b ? -1 : 1);
}

function weight(key: string): number {
  const index = FIRST.indexOf(key);
  return index === -1 ? FIRST.length : index;
}
