import type { Schema } from '../model/schema.ts';
import { failure } from './bad-patch.ts';

/** What patches know of a map: undefined inside free-form maps, where no field is known and none is refused. */
export type PatchSchema = Schema | undefined;

export interface FieldStrategy {
  readonly strategies: readonly string[];
  /** Empty: none. */
  readonly mergeKey: string;
  readonly below: PatchSchema;
}

export function fieldOf(schema: PatchSchema, key: string): FieldStrategy {
  const field = lookup(schema, key);
  return { ...strategyOf(field), below: field };
}

/** Of the items of a list. */
export function itemOf(schema: PatchSchema, key: string): FieldStrategy {
  const field = lookup(schema, key);
  return { ...strategyOf(field), below: field?.items };
}

function lookup(schema: PatchSchema, key: string): Schema | undefined {
  if (schema === undefined) return undefined;
  if (schema.additionalProperties !== undefined) {
    throw failure('merging an object in json but data type is not struct, instead is: map');
  }
  const field = schema.properties?.get(key);
  if (field !== undefined || isFree(schema)) return field;
  throw failure(
    `unable to find api field in struct ${schema.type ?? 'object'} for the json field ${JSON.stringify(key)}`,
  );
}

function isFree(schema: Schema): boolean {
  return schema.preserveUnknownFields === true || (schema.properties?.size ?? 0) === 0;
}

function strategyOf(field: Schema | undefined): Pick<FieldStrategy, 'strategies' | 'mergeKey'> {
  return { strategies: field?.patchStrategy?.split(',') ?? [], mergeKey: field?.patchMergeKey ?? '' };
}
