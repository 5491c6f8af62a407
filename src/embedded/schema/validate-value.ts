import { isRecord } from '../../lib/json.ts';
import { invalidNull } from '../model/causes.ts';
import type { Schema } from '../model/schema.ts';
import type { StatusCause } from '../model/status-error.ts';
import { validateLists } from './list-types.ts';
import { metadataProblems } from './object-meta-problems.ts';
import { sameJson } from '../model/same-json.ts';
import { NO_FIELD } from './shape-result.ts';
import { hasRules, validateRules } from './validate-rules.ts';
import { validateShape } from './validate-shape.ts';

export interface ValidateOptions {
  /** Where the value is in its object; empty or absent for a whole object, whose metadata are then judged, too. */
  readonly path?: string;
  /** What it replaces; mistakes that were there before are forgiven. */
  readonly old?: unknown;
}

/** With mistakes of these kinds the rules might not find what they look at. */
const BLOCKING = [
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
];

/** What is wrong with a custom object or a part of it, worded as the API server does. */
export function validateValue(value: unknown, schema: Schema, options: ValidateOptions = {}): readonly StatusCause[] {
  const { path = '', old } = options;
  const metadata = path === '' && isRecord(value) ? metadataProblems(value, isRecord(old) ? old : undefined) : [];
  const shape = validateShape({ value, path, ...(old === undefined ? {} : { old }) }, schema);
  const causes = [...metadata, ...shape.causes, ...validateLists(value, schema, path)];
  if (causes.some(({ reason = '' }) => BLOCKING.includes(reason))) {
    return hasRules(schema) ? [...causes, UNCHECKED] : causes;
  }
  const unchanged = old !== undefined && sameJson(value, old);
  return [...causes, ...validateRules({ value, old, path, unchanged }, schema)];
}

const UNCHECKED = invalidNull(
  NO_FIELD,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);
