import { KubepkgError } from '../../api/errors.ts';

const MAX_DEPTH = 6;

/** Anything as plain JSON: errors with what they say, and marks for what JSON cannot carry. */
export function plainValue(value: unknown, withStack: boolean): unknown {
  return convert(value, { withStack, above: [] });
}

interface Context {
  readonly withStack: boolean;
  /** The objects that this one is inside of. */
  readonly above: readonly object[];
}

function convert(value: unknown, context: Context): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return value.toString();
    case 'undefined':
      return undefined;
    case 'symbol':
    case 'function':
      return `(${typeof value})`;
    case 'object':
      return value === null ? null : convertObject(value, context);
  }
}

function convertObject(value: object, { withStack, above }: Context): unknown {
  if (above.includes(value)) return '(circular)';
  if (above.length >= MAX_DEPTH) return '(too deep)';
  const context = { withStack, above: [...above, value] };
  if (value instanceof Error) return convertError(value, context);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (Array.isArray(value)) return value.map((item: unknown) => convert(item, context) ?? null);
  if (value instanceof Map) return convertEntries([...value], context);
  if (value instanceof Set) return [...value].map((item: unknown) => convert(item, context) ?? null);
  return convertEntries(Object.entries(value), context);
}

function convertEntries(entries: readonly (readonly [unknown, unknown])[], context: Context): unknown {
  return Object.fromEntries(entries.map(([key, value]) => [String(key), convert(value, context)]));
}

/** The stack is for faults of ours alone: of an expected failure the words are enough. */
function convertError(error: Error, context: Context): unknown {
  const isOurs = error instanceof KubepkgError && error.code !== 'Internal';
  return {
    message: error.message,
    ...(error instanceof KubepkgError ? { code: error.code, hint: error.hint } : { name: error.name }),
    ...(context.withStack && !isOurs ? { stack: error.stack } : {}),
    ...(error.cause === undefined ? {} : { cause: convert(error.cause, context) }),
  };
}
