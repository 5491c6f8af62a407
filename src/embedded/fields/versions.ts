import type { JsonMap } from '../model/object.ts';
import type { Schema } from '../model/schema.ts';
import { objectType, type Type } from './type.ts';

/** An object as one version of its kind shows it. */
export interface Typed {
  readonly apiVersion: string;
  readonly type: Type;
  readonly value: JsonMap;
}

export interface VersionedObject {
  readonly object: JsonMap;
  readonly schema: Schema | undefined;
}

/** An object in another version, and the schema of that; undefined for versions that are served no more. */
export type Convert = (object: JsonMap, apiVersion: string) => VersionedObject | undefined;

export function typed(object: JsonMap, apiVersion: string, schema: Schema | undefined): Typed {
  return { apiVersion, type: objectType(schema), value: object };
}

/** Without a conversion all versions of a kind are one but for their name. */
export function inVersion(object: Typed, apiVersion: string, convert: Convert | undefined): Typed | undefined {
  if (object.apiVersion === apiVersion) return object;
  if (convert === undefined) return { ...object, apiVersion, value: { ...object.value, apiVersion } };
  const converted = convert(object.value, apiVersion);
  return converted === undefined ? undefined : typed(converted.object, apiVersion, converted.schema);
}
