import { describe, expect, it } from 'vitest';
import { builtInResources } from '../kinds/index.ts';
import { applyDefaults, crdProblems, pruneUnknown, resourcesOfCrd, unknownFields } from './index.ts';

const definition = {
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['w'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.size',
            statusReplicasPath: '.status.size',
            labelSelectorPath: '.status.selector',
          },
        },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', default: 1 },
                  list: {
                    type: 'array',
                    items: { type: 'object', properties: { a: { type: 'string', default: 'x' } } },
                  },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  labels: { type: 'object', additionalProperties: { type: 'string' } },
                },
              },
            },
          },
        },
      },
      { name: 'v2', served: false, storage: false },
    ],
  },
};

const [widget] = resourcesOfCrd(definition);
const schema = widget?.schema ?? {};

describe('a definition', () => {
  it('makes a kind of each version that is served', () => {
    expect(resourcesOfCrd(definition).map(({ version }) => version)).toEqual(['v1']);
    expect(widget).toMatchObject({
      kind: 'Widget',
      listKind: 'WidgetList',
      singular: 'widget',
      shortNames: ['w'],
      namespaced: true,
      custom: true,
      subresources: ['status', 'scale'],
      scale: { spec: '.spec.size', status: '.status.size', selector: '.status.selector' },
      columns: [{ name: 'Name' }, { name: 'Age' }],
    });
  });

  it('with a default of another type than its field is refused', () => {
    const schemaOf = (byDefault: unknown) => ({
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer', default: byDefault } } } },
    });
    const causes = crdProblems({
      metadata: { name: 'widgets.example.org' },
      spec: {
        ...definition.spec,
        names: { ...definition.spec.names, singular: 'widget', listKind: 'WidgetList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schemaOf('big') } }],
      },
    });
    expect(causes.map(({ field }) => field)).toEqual([
      'spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[size].default',
    ]);
  });
});

describe('fields that a schema does not know', () => {
  const object = {
    apiVersion: 'example.org/v1',
    kind: 'Widget',
    metadata: { name: 'a', foo: 1, labels: { any: 'x' } },
    spec: { size: 2, list: [{ a: 'a', b: 'b' }], free: { x: { y: 1 } }, labels: { l: 'm' }, other: {} },
    extra: true,
  };

  it('are named with their paths, those of custom kinds in order', () => {
    expect(unknownFields(object, schema)).toEqual(['extra', 'metadata.foo', 'spec.list[0].b', 'spec.other']);
  });

  it('go, and the rest is the same', () => {
    expect(pruneUnknown(object, schema)).toEqual({
      apiVersion: 'example.org/v1',
      kind: 'Widget',
      metadata: { name: 'a', labels: { any: 'x' } },
      spec: { size: 2, list: [{ a: 'a' }], free: { x: { y: 1 } }, labels: { l: 'm' } },
    });
    const { spec } = object;
    expect(pruneUnknown({ spec: { size: 1 } }, schema)).toEqual({ spec: { size: 1 } });
    const known = { spec: { list: spec.list.map(({ a }) => ({ a })) } };
    expect(pruneUnknown(known, schema)).toBe(known);
  });

  it('of built-in kinds are named as they come', () => {
    const deployment = builtInResources().find(({ kind }) => kind === 'Deployment')?.schema ?? {};
    const body = { spec: { replica: 1, template: { spec: { containers: [{ port: 1, name: 'a' }] } } }, a: 1 };
    expect(unknownFields(body, deployment)).toEqual(['spec.replica', 'spec.template.spec.containers[0].port', 'a']);
  });
});

describe('the defaults of a schema', () => {
  it('come inside of what is there, and not where nothing is', () => {
    expect(applyDefaults({ spec: { list: [{}, { a: null }] } }, schema)).toEqual({
      spec: { list: [{ a: 'x' }, { a: 'x' }], size: 1 },
    });
    expect(applyDefaults({}, schema)).toEqual({});
  });

  it('leave what has all of them as it is', () => {
    const whole = { spec: { size: 3, list: [{ a: 'b' }] } };
    expect(applyDefaults(whole, schema)).toBe(whole);
  });
});
