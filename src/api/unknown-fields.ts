import * as z from 'zod';
import { didYouMeanHint } from '../lib/did-you-mean.ts';
import { isRecord } from '../lib/json.ts';

/** One thing that is wrong with an object; never holds a value that was given, which might be a secret. */
export interface Problem {
  /** Such as `spec.variants[0].components[1].chart`. */
  readonly path: string;
  readonly message: string;
  readonly remedy?: string;
}

type Path = readonly (string | number)[];

export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${String(key)}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

/** Fields that the schema does not have and the API server would drop without a word. */
export function unknownFields(schema: z.core.$ZodType, value: unknown, path: Path = []): readonly Problem[] {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject && isRecord(value)) return unknownInObject(inner, value, path);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((item, index) => unknownFields(inner.element, item, [...path, index]));
  }
  if (inner instanceof z.ZodRecord && isRecord(value)) {
    return Object.entries(value).flatMap(([key, item]) => unknownFields(inner.valueType, item, [...path, key]));
  }
  return [];
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrap(schema.unwrap());
  }
  return schema;
}

function unknownInObject(schema: z.ZodObject, value: Readonly<Record<string, unknown>>, path: Path): Problem[] {
  const known = new Map<string, z.core.$ZodType>(Object.entries(schema.shape));
  return Object.entries(value).flatMap(([key, item]) => {
    const field = known.get(key);
    return field === undefined
      ? [unknownField(key, [...known.keys()], path)]
      : unknownFields(field, item, [...path, key]);
  });
}

function unknownField(key: string, known: readonly string[], path: Path): Problem {
  const remedy = didYouMeanHint(key, known, `known here: ${known.join(', ')}`);
  return { path: formatPath([...path, key]), message: 'unknown field', remedy };
}
