import type { StatusCause } from './status-error.ts';

/** Causes of an invalid object, worded as apimachinery's package `field`. */
export function invalidValue(field: string, value: unknown, detail: string): StatusCause {
  return cause(field, 'FieldValueInvalid', `Invalid value: ${shown(value)}: ${detail}`);
}

/** For values that are too long to be repeated. */
export function invalid(field: string, detail: string): StatusCause {
  return cause(field, 'FieldValueInvalid', `Invalid value: ${detail}`);
}

/** For mistakes of the whole object. */
export function invalidNull(field: string, detail: string): StatusCause {
  return cause(field, 'FieldValueInvalid', `Invalid value: null: ${detail}`);
}

/** Of a wrong type: what is told is the type. */
export function invalidType(field: string, type: string, detail: string): StatusCause {
  return cause(field, 'FieldValueTypeInvalid', `Invalid value: ${JSON.stringify(type)}: ${detail}`);
}

export function required(field: string, detail = ''): StatusCause {
  return cause(field, 'FieldValueRequired', detail === '' ? 'Required value' : `Required value: ${detail}`);
}

export function forbidden(field: string, detail: string): StatusCause {
  return cause(field, 'FieldValueForbidden', `Forbidden: ${detail}`);
}

export function duplicate(field: string, value: unknown): StatusCause {
  return cause(field, 'FieldValueDuplicate', `Duplicate value: ${shown(value)}`);
}

export function notFound(field: string, value: unknown): StatusCause {
  return cause(field, 'FieldValueNotFound', `Not found: ${shown(value)}`);
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): StatusCause {
  const list = supported.map((one) => JSON.stringify(one)).join(', ');
  return cause(field, 'FieldValueNotSupported', `Unsupported value: ${shown(value)}: supported values: ${list}`);
}

export function tooLong(field: string, limit: number): StatusCause {
  return cause(field, 'FieldValueTooLong', `Too long: may not be more than ${String(limit)} bytes`);
}

export function tooMany(field: string, count: number, limit: number): StatusCause {
  return cause(field, 'FieldValueTooMany', `Too many: ${String(count)}: must have at most ${String(limit)} items`);
}

function cause(field: string, reason: string, message: string): StatusCause {
  return { reason, message, field };
}

function shown(value: unknown): string {
  return value === undefined ? 'null' : JSON.stringify(value);
}
