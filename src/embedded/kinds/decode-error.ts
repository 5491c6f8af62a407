import type { Schema } from '../model/schema.ts';

/** Where a value is: the Go struct whose field holds it, and the field's path without indexes, as Go names them. */
export interface Place {
  readonly struct: string;
  readonly path: string;
}

/** What Go's decoder refuses, in its words. */
export class DecodeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DecodeError';
  }
}

/** For a value that Go cannot put into its field. */
export function wrongType(value: unknown, schema: Schema, { struct, path }: Place): DecodeError {
  const type = describeType(schema);
  return new DecodeError(
    `json: cannot unmarshal ${typeOf(value)} into Go struct field ${struct}.${path} of type ${type}`,
  );
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value;
}

/** The Go type of a field; the names of string types are not known here. */
export function describeType(schema: Schema): string {
  if (schema.items !== undefined) return `[]${describeType(schema.items)}`;
  if (schema.additionalProperties !== undefined) return `map[string]${describeType(schema.additionalProperties)}`;
  if (schema.definition !== undefined && schema.properties !== undefined) return structName(schema.definition);
  if (schema.type === 'boolean') return 'bool';
  if (schema.type === 'integer') return schema.format ?? 'int64';
  return schema.type === 'number' ? 'float64' : 'string';
}

/** `v1.Container` for `io.k8s.api.core.v1.Container`. */
function structName(definition: string): string {
  return definition.split('.').slice(-2).join('.');
}
