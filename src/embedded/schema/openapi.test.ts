import { describe, expect, it } from 'vitest';
import { at } from '../../lib/json.ts';
import { builtInResources } from '../kinds/index.ts';
import { openApiV2Document, openApiV3Document, resourcesOfCrd } from './index.ts';

const resources = builtInResources();
const [widget] = resourcesOfCrd({
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { size: { 'x-kubernetes-int-or-string': true } } } },
          },
        },
      },
    ],
  },
});

/** Every reference of a document, wherever it stands. */
function referencesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : referencesOf(inner),
  );
}

describe('the OpenAPI 3 document of a group version', () => {
  const document = openApiV3Document('apps/v1', resources);

  it('tells clients that the server validates fields', () => {
    const patch = at(document, 'paths', '/apis/apps/v1/namespaces/{namespace}/deployments/{name}', 'patch');
    expect(patch).toMatchObject({
      'x-kubernetes-group-version-kind': { group: 'apps', version: 'v1', kind: 'Deployment' },
      parameters: expect.arrayContaining([
        expect.objectContaining({ name: 'fieldValidation', in: 'query' }),
      ]) as unknown,
    });
  });

  it('has the kinds of that version alone, and what they refer to', () => {
    const schemas = Object.keys(at(document, 'components', 'schemas') as object);
    expect(schemas).toContain('io.k8s.api.apps.v1.StatefulSet');
    expect(schemas).toContain('io.k8s.api.core.v1.Container');
    expect(schemas).not.toContain('io.k8s.api.core.v1.Service');
    const missing = referencesOf(document).filter((ref) => !schemas.includes(ref.replace(/^.*\//, '')));
    expect(missing).toEqual([]);
  });

  it('keeps how patches merge what it refers to', () => {
    const spec = at(document, 'components', 'schemas', 'io.k8s.api.apps.v1.DeploymentSpec', 'properties');
    expect(at(spec, 'strategy')).toEqual({
      allOf: [{ $ref: '#/components/schemas/io.k8s.api.apps.v1.DeploymentStrategy' }],
      'x-kubernetes-patch-strategy': 'retainKeys',
    });
  });

  it('names a custom kind by its group from right to left', () => {
    const custom = openApiV3Document('example.org/v1', widget === undefined ? [] : [widget]);
    expect(at(custom, 'components', 'schemas', 'org.example.v1.Widget', 'properties', 'spec')).toEqual({
      type: 'object',
      properties: { size: { 'x-kubernetes-int-or-string': true } },
    });
  });
});

describe('the OpenAPI 2 document', () => {
  const document = openApiV2Document(resources);

  it('has every kind, and all that they refer to', () => {
    const definitions = Object.keys(at(document, 'definitions') as object);
    expect(resources.filter(({ schema }) => !definitions.includes(schema?.definition ?? ''))).toEqual([]);
    expect(referencesOf(document).filter((ref) => !definitions.includes(ref.replace(/^.*\//, '')))).toEqual([]);
  });

  it('may contain definitions that contain themselves', () => {
    const name = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';
    expect(at(document, 'definitions', name, 'properties', 'not')).toEqual({ $ref: `#/definitions/${name}` });
  });
});
