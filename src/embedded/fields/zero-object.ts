import type { JsonMap } from '../model/object.ts';
import type { Schema } from '../model/schema.ts';
import type { FieldsOwner } from './ignored.ts';

/**
 * What the API server compares a new object with. For built-in kinds that is not nothing: fields of theirs that are
 * always written are there before anybody set them, and so are nobody's.
 */
export function zeroObject(schema: Schema | undefined, resource: FieldsOwner | undefined): JsonMap {
  if (schema === undefined || resource === undefined || resource.custom) return { metadata: {} };
  return { metadata: {}, ...zeroOf(schema) };
}

function zeroOf(schema: Schema): JsonMap {
  const zero: Record<string, unknown> = {};
  for (const [name, field] of schema.properties ?? []) {
    if (field.whenEmpty === 'null') zero[name] = null;
    else if (field.whenEmpty === 'zero') zero[name] = zeroValue(field);
  }
  return zero;
}

function zeroValue(schema: Schema): unknown {
  if (schema.properties !== undefined) return zeroOf(schema);
  switch (schema.type) {
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return 0;
    case 'array':
    case 'object':
    case undefined:
    default:
      return null;
  }
}
