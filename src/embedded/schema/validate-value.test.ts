import { readFileSync } from 'node:fs';
import { loadAll } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { asArray, at } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { applyDefaults, pruneUnknown, resourcesOfCrd, validateValue } from './index.ts';

interface Answer {
  readonly status: number;
  readonly body: JsonMap;
}

const read = (name: string): string => readFileSync(new URL(`testdata/${name}`, import.meta.url), 'utf8');
const manifests = (name: string): readonly JsonMap[] => loadAll(read(name)) as JsonMap[];
const answers = (name: string): readonly Answer[] => JSON.parse(read(name)) as Answer[];

const resources = manifests('definitions.yaml').flatMap(resourcesOfCrd);
const created = answers('created.json');
const updates = answers('updates.json');
const changes = manifests('updates.yaml');

function schemaOf(object: JsonMap): NonNullable<Resource['schema']> {
  const schema = resources.find(({ kind }) => kind === object['kind'])?.schema;
  if (schema === undefined) throw new Error(`There is no definition of ${String(object['kind'])}.`);
  return schema;
}

function shaped(object: JsonMap): JsonMap {
  const schema = schemaOf(object);
  return applyDefaults(pruneUnknown(object, schema), schema) as JsonMap;
}

/**
 * Without what the request adds; causes in any order, as the API server's maps give them in any, and once each, as it
 * looks at the metadata of updates twice.
 */
function comparable({ status, body }: Answer): unknown {
  if (status >= 300) {
    const causes = asArray(at(body, 'details', 'causes')).map((cause) => JSON.stringify(cause, KEYS));
    return [...new Set(causes)].sort();
  }
  const { generation: _generation, namespace: _namespace, ...metadata } = body['metadata'] as JsonMap;
  return { ...body, metadata };
}

const KEYS = ['reason', 'message', 'field'];

describe('a custom object is answered as by a real API server', () => {
  const cases = manifests('created.yaml').map((manifest, index) => ({
    name: `${String(manifest['kind'])} ${String(at(manifest, 'metadata', 'name'))}`,
    manifest,
    real: created[index],
  }));

  it.each(cases)('$name', ({ manifest, real }) => {
    if (real === undefined) throw new Error('The recorded answer is missing.');
    const object = shaped(manifest);
    const causes = validateValue(object, schemaOf(object));
    const ours = causes.length === 0 ? { status: 201, body: object } : { status: 422, body: { details: { causes } } };
    expect(comparable(ours)).toEqual(comparable(real));
  });
});

describe('a change of a custom object is answered as by a real API server', () => {
  const cases = changes
    .map((change, index) => ({ change, before: updates[index - 1], real: updates[index] }))
    .filter((_, index) => index % 2 === 1)
    .map(({ change, before, real }) => ({ name: String(at(change, 'metadata', 'name')), change, before, real }));

  it.each(cases)('$name', ({ change, before, real }) => {
    if (before === undefined || real === undefined) throw new Error('The recorded answer is missing.');
    const object = shaped(mergePatch(before.body, change));
    const causes = validateValue(object, schemaOf(object), { old: before.body });
    const ours = causes.length === 0 ? { status: 200, body: object } : { status: 422, body: { details: { causes } } };
    expect(comparable(ours)).toEqual(comparable(real));
  });
});

function mergePatch(object: JsonMap, patch: JsonMap): JsonMap {
  const changed = Object.entries(patch).map(([key, value]) => {
    const inner = object[key];
    return [key, isMap(value) && isMap(inner) ? mergePatch(inner, value) : value] as const;
  });
  const merged = Object.entries({ ...object, ...Object.fromEntries(changed) });
  return Object.fromEntries(merged.filter(([key, value]) => value !== null || patch[key] !== null));
}

function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
