import type { Problem } from '../../api/unknown-fields.ts';
import { didYouMeanHint } from '../../lib/did-you-mean.ts';
import { parseDuration } from '../../lib/duration.ts';
import { isRecord } from '../../lib/json.ts';
import { type Constraint, parseConstraint } from '../../lib/semver/constraint.ts';

/** Reads one value; what is wrong with it goes to the problems, and then the value is undefined. */
export type Field<T> = (value: unknown, path: string, problems: Problem[]) => T | undefined;

export type Shape = Readonly<Record<string, Field<unknown>>>;

export type Read<S extends Shape> = { readonly [K in keyof S]?: S[K] extends Field<infer T> ? T : never };

export function object<S extends Shape>(shape: S, required: readonly (keyof S & string)[] = []): Field<Read<S>> {
  return (value, path, problems) => {
    if (!isRecord(value)) {
      wrongType('an object', { value, path }, problems);
      return undefined;
    }
    for (const key of Object.keys(value)) if (!Object.hasOwn(shape, key)) refuseKey(key, { path, shape }, problems);
    for (const key of required) {
      if (value[key] === undefined) {
        problems.push({ path: join(path, key), message: 'is required', remedy: 'add it' });
      }
    }
    const entries = Object.entries(shape).flatMap(([key, field]) => {
      const given = value[key];
      const read = given === undefined ? undefined : field(given, join(path, key), problems);
      return read === undefined ? [] : [[key, read] as const];
    });
    return Object.fromEntries(entries) as Read<S>;
  };
}

function refuseKey(key: string, at: { readonly path: string; readonly shape: Shape }, problems: Problem[]): void {
  const known = Object.keys(at.shape);
  const remedy = didYouMeanHint(key, known, `known here: ${known.join(', ')}`);
  problems.push({ path: join(at.path, key), message: 'unknown field', remedy });
}

export function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

export function listOf<T>(field: Field<T>): Field<readonly T[]> {
  return (value, path, problems) => {
    if (!Array.isArray(value)) {
      wrongType('a list', { value, path }, problems);
      return undefined;
    }
    return value.flatMap((item, index) => {
      const read = field(item, `${path}[${String(index)}]`, problems);
      return read === undefined ? [] : [read];
    });
  };
}

export function mapOf<T>(field: Field<T>): Field<Readonly<Record<string, T>>> {
  return (value, path, problems) => {
    if (!isRecord(value)) {
      wrongType('an object', { value, path }, problems);
      return undefined;
    }
    const entries = Object.entries(value).flatMap(([key, item]) => {
      const read = field(item, join(path, key), problems);
      return read === undefined ? [] : [[key, read] as const];
    });
    return Object.fromEntries(entries);
  };
}

export const anyObject: Field<Readonly<Record<string, unknown>>> = (value, path, problems) => {
  if (isRecord(value)) return value;
  wrongType('an object', { value, path }, problems);
  return undefined;
};

export const text: Field<string> = (value, path, problems) => {
  if (typeof value !== 'string') {
    wrongType('a string', { value, path }, problems);
    return undefined;
  }
  if (value !== '') return value;
  problems.push({ path, message: 'must not be empty', remedy: 'give it a value, or leave it out' });
  return undefined;
};

/** As `text`, and may be empty. */
export const line: Field<string> = (value, path, problems) => {
  if (typeof value === 'string') return value;
  wrongType('a string', { value, path }, problems);
  return undefined;
};

export const flag: Field<boolean> = (value, path, problems) => {
  if (typeof value === 'boolean') return value;
  wrongType('true or false', { value, path }, problems);
  return undefined;
};

export function whole(least: number, most: number): Field<number> {
  return (value, path, problems) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      wrongType('a whole number', { value, path }, problems);
      return undefined;
    }
    if (value >= least && value <= most) return value;
    const remedy = 'write a number in between';
    problems.push({ path, message: `must be from ${String(least)} to ${String(most)}`, remedy });
    return undefined;
  };
}

/** Milliseconds. */
export const duration: Field<number> = (value, path, problems) => {
  const ms = typeof value === 'string' ? parseDuration(value) : undefined;
  if (ms !== undefined && ms >= 0) return ms;
  problems.push({ path, message: 'must be a duration', remedy: 'write it as 500ms, 30s, 10m or 1h30m' });
  return undefined;
};

export type OrNever = { readonly ms: number | undefined };

/** Undefined inside: it never happens. */
export const durationOrNever: Field<OrNever> = (value, path, problems) => {
  if (value === 'never') return { ms: undefined };
  const ms = typeof value === 'string' ? parseDuration(value) : undefined;
  if (ms !== undefined && ms >= 0) return { ms };
  problems.push({ path, message: 'must be a duration or never', remedy: 'write it as 30s, or never' });
  return undefined;
};

export function oneOf<T extends string>(allowed: readonly T[]): Field<T> {
  return (value, path, problems) => {
    const found = allowed.find((each) => each === value);
    if (found !== undefined) return found;
    const remedy = didYouMeanHint(typeof value === 'string' ? value : '', allowed, 'choose one of them');
    problems.push({ path, message: `must be one of ${allowed.join(', ')}`, remedy });
    return undefined;
  };
}

export const versionRange: Field<Constraint> = (value, path, problems) => {
  if (typeof value !== 'string') {
    wrongType('a string', { value, path }, problems);
    return undefined;
  }
  const result = parseConstraint(value);
  if (result.kind === 'constraint') return result.constraint;
  problems.push({ path, message: result.message, remedy: 'write it as ">=1.2.0" or "1.x"' });
  return undefined;
};

const REMEDIES = {
  'an object': 'write it as {field: value}',
  'a list': 'write it as [value, value]',
  'a string': 'write it as "text"',
  'true or false': 'write it without quotes',
  'a whole number': 'write it without quotes and without a fraction',
} as const;

function wrongType(
  expected: keyof typeof REMEDIES,
  given: { readonly value: unknown; readonly path: string },
  problems: Problem[],
): void {
  const unquoted = expected === 'a string' && ['number', 'boolean'].includes(typeof given.value);
  const message = `must be ${expected}, not ${typeName(given.value)}`;
  problems.push({ path: given.path, message, remedy: unquoted ? 'put it in quotes' : REMEDIES[expected] });
}

function typeName(value: unknown): string {
  if (value === null) return 'empty (null)';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'boolean' ? 'true or false' : `a ${typeof value}`;
}
