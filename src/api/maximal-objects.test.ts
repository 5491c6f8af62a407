import { describe, expect, it } from 'vitest';
import { MAXIMAL_OBJECTS } from '../../test/build/maximal-objects.ts';
import { asArray, isRecord } from '../lib/json.ts';
import { objectSchema } from './crd.ts';
import { KINDS } from './crd-kinds.ts';
import type { KubeObject } from './kube.ts';
import { parsePackage, parsePackageRevision, parsePackageSource, parseRepository } from './parse.ts';
import type { StructuralSchema } from './structural.ts';

const PARSERS = {
  Package: parsePackage,
  PackageSource: parsePackageSource,
  PackageRevision: parsePackageRevision,
  Repository: parseRepository,
};

/** Fields of the schema that no value has. */
function unused(schema: StructuralSchema, values: readonly unknown[], path: string): readonly string[] {
  if (values.length === 0) return [path];
  const records = values.filter(isRecord);
  const { properties = {}, additionalProperties, items } = schema;
  const fields = Object.entries(properties).flatMap(([name, field]) => {
    const present = records.map((record) => record[name]).filter((value) => value !== undefined);
    return unused(field, present, `${path}.${name}`);
  });
  const named = additionalProperties === undefined ? [] : records.flatMap((record) => Object.values(record));
  const listed = items === undefined ? [] : values.flatMap((value) => asArray(value));
  return [
    ...fields,
    ...(additionalProperties === undefined ? [] : unused(additionalProperties, named, `${path}.*`)),
    ...(items === undefined ? [] : unused(items, listed, `${path}[]`)),
  ];
}

const rows: readonly (readonly [string, KubeObject])[] = MAXIMAL_OBJECTS.map((object) => [object.kind, object]);

describe('the maximal objects', () => {
  it('are one of each kind', () => {
    expect(rows.map(([kind]) => kind)).toEqual(KINDS.map(({ kind }) => kind));
  });

  it.each(rows)('%s uses every field of its schema', (kind, object) => {
    const definition = KINDS.find((candidate) => candidate.kind === kind);
    if (definition === undefined) throw new Error(`no definition of ${kind}`);
    expect(unused(objectSchema(definition), [object], kind)).toEqual([]);
  });

  it.each(rows)('%s comes out of the parser as it went in', (kind, object) => {
    const parse = PARSERS[kind as keyof typeof PARSERS];
    const parsed = parse(object, { strict: true });
    if (!parsed.ok) throw parsed.error;
    expect(parsed.value).toEqual(object);
  });
});
