import { describe, expect, it } from 'vitest';
import type { Schema } from '../model/schema.ts';
import { builtInResources } from './index.ts';

const resources = builtInResources();

/** The schema of a field; through a list it leads to the items. */
function schemaAt(kind: string, ...path: readonly string[]): Schema | undefined {
  const root = resources.find((resource) => resource.kind === kind)?.schema;
  return path.reduce<Schema | undefined>((schema, name) => (schema?.items ?? schema)?.properties?.get(name), root);
}

describe('the built-in kinds', () => {
  it('have a schema each', () => {
    expect(resources.filter(({ schema }) => schema === undefined).map(({ kind }) => kind)).toEqual([]);
  });

  it('know how their lists are merged', () => {
    expect(schemaAt('Deployment', 'spec', 'template', 'spec', 'containers')).toMatchObject({
      type: 'array',
      listType: 'map',
      listMapKeys: ['name'],
      patchStrategy: 'merge',
      patchMergeKey: 'name',
    });
  });

  it('may contain themselves', () => {
    const path = ['spec', 'versions', 'schema', 'openAPIV3Schema'];
    const schema = schemaAt('CustomResourceDefinition', ...path);
    expect(schemaAt('CustomResourceDefinition', ...path, 'not')?.properties).toBe(schema?.properties);
  });
});
