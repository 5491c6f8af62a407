import { describe, expect, it } from 'vitest';
import { expectGolden } from '../../test/golden/expect-golden.ts';
import { escapeName } from '../lib/cel/field-name.ts';
import { asArray, at, isRecord } from '../lib/json.ts';
import { writeYaml } from '../lib/yaml.ts';
import { customResourceDefinitions } from './crd.ts';
import type { KubeObject } from './kube.ts';

const definitions = customResourceDefinitions();

/** Everything that JSONSchemaProps of apiextensions v1 has and that a structural schema may use. */
const KEYWORDS = new Set([
  'type',
  'description',
  'format',
  'default',
  'enum',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'required',
  'items',
  'properties',
  'additionalProperties',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
]);

/** What the API server would refuse, or silently drop, in a node and in everything below it. */
function violations(node: unknown, path: string): readonly string[] {
  if (!isRecord(node)) return [`${path}: not a schema`];
  const keywords = Object.keys(node).filter((keyword) => !KEYWORDS.has(keyword));
  const faults = [...keywords, ...shapeFaults(node, path)].map((fault) => `${path}: ${fault}`);
  return [...faults, ...childrenOf(node).flatMap(([name, child]) => violations(child, `${path}${name}`))];
}

function shapeFaults(node: Readonly<Record<string, unknown>>, path: string): readonly string[] {
  const { type, properties, additionalProperties, items } = node;
  const open = node['x-kubernetes-preserve-unknown-fields'] === true || path === '.metadata';
  const pruned = type === 'object' && !open && properties === undefined && additionalProperties === undefined;
  return [
    ...(typeof type === 'string' ? [] : ['no type']),
    ...(properties !== undefined && additionalProperties !== undefined ? ['both kinds of properties'] : []),
    ...((type === 'array') === isRecord(items) ? [] : ['items do not suit the type']),
    ...(pruned ? ['everything in it would be pruned'] : []),
  ];
}

function childrenOf(node: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  const { properties, additionalProperties, items } = node;
  return [
    ...Object.entries(isRecord(properties) ? properties : {}).map(([name, child]) => [`.${name}`, child] as const),
    ...(additionalProperties === undefined ? [] : [['.*', additionalProperties] as const]),
    ...(items === undefined ? [] : [['[]', items] as const]),
  ];
}

function undescribed(node: unknown, path: string): readonly string[] {
  if (!isRecord(node)) return [];
  return childrenOf(node).flatMap(([name, child]) => {
    const isField = name.startsWith('.') && name !== '.*';
    const missing = isField && at(child, 'description') === undefined;
    return [...(missing ? [`${path}${name}`] : []), ...undescribed(child, `${path}${name}`)];
  });
}

function versionsOf(definition: KubeObject): readonly unknown[] {
  return asArray(at(definition, 'spec', 'versions'));
}

function schemaOf(definition: KubeObject): unknown {
  return at(versionsOf(definition)[0], 'schema', 'openAPIV3Schema');
}

const rows = definitions.map((definition) => [definition.metadata.name, definition] as const);

describe('customResourceDefinitions', () => {
  it('are the ones that were reviewed', () => {
    const text = definitions.map((definition) => writeYaml(definition)).join('---\n');
    expectGolden('test/golden/crds.yaml', text);
  });

  it.each(rows)('%s has a structural schema', (_, definition) => {
    expect(violations(schemaOf(definition), '')).toEqual([]);
  });

  it.each(rows)('%s describes each of its fields', (_, definition) => {
    const spec = at(schemaOf(definition), 'properties', 'spec');
    const status = at(schemaOf(definition), 'properties', 'status');
    expect([...undescribed(spec, 'spec'), ...undescribed(status, 'status')]).toEqual([]);
  });

  it.each(rows)('%s stores v1 and serves the older versions with the same schema and a warning', (_, definition) => {
    const versions = versionsOf(definition);
    expect(versions.map((version) => [at(version, 'name'), at(version, 'served'), at(version, 'storage')])).toEqual([
      ['v1', true, true],
      ['v1beta1', true, false],
      ['v1alpha1', true, false],
    ]);
    expect(versions.map((version) => at(version, 'deprecated'))).toEqual([undefined, true, true]);
    for (const version of versions) {
      expect(at(version, 'schema', 'openAPIV3Schema')).toEqual(schemaOf(definition));
      expect(at(version, 'subresources')).toEqual({ status: {} });
    }
  });

  it.each(rows)('%s outlives the release that brought it', (_, definition) => {
    expect(definition.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
  });

  it.each(rows)(
    '%s has no rule that API servers before 1.32 refuse, for a field named like a word of CEL',
    (_, { spec }) => {
      const rules = [...JSON.stringify(spec).matchAll(/"rule":"((?:[^"\\\\]|\\\\.)*)"/g)].map(([, rule = '']) => rule);
      const fields = rules.flatMap((rule) => [...rule.matchAll(/\.(\w+)/g)].map(([, field = '']) => field));
      expect(fields.filter((field) => escapeName(field) !== field && !field.startsWith('__'))).toEqual([]);
    },
  );

  it('can be hosted under another group', () => {
    const names = customResourceDefinitions('example.org').map(({ metadata }) => metadata.name);
    expect(names).toEqual([
      'packages.example.org',
      'packagesources.example.org',
      'packagerevisions.example.org',
      'repositories.example.org',
    ]);
  });

  it('fixes the spec of a revision for good', () => {
    const revision = definitions.find(({ metadata }) => metadata.name === 'packagerevisions.kubepkg.dev');
    expect(at(schemaOf(revision ?? fail()), 'properties', 'spec', 'x-kubernetes-validations')).toEqual([
      { rule: 'self == oldSelf', message: 'the spec of a revision never changes' },
    ]);
  });
});

function fail(): never {
  throw new Error('no such definition');
}
