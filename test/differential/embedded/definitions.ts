import type { JsonMap } from '../../../src/embedded/model/object.ts';
import type { Rng } from '../../simulation/prng.ts';
import type { Step } from './request.ts';
import { maybe } from './values.ts';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A definition that is only judged: with one that is served, other sequences would have to wait. */
export function definitionStep(rng: Rng): Step {
  return { method: 'POST', path: PATH, query: { dryRun: 'All', fieldManager: 'alice' }, body: definition(rng) };
}

function definition(rng: Rng): JsonMap {
  const plural = rng.chance(0.95) ? 'widgets' : 'gadgets';
  const kind = rng.chance(0.95) ? 'Widget' : 'widget';
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.judged.example.org' },
    spec: {
      group: 'judged.example.org',
      scope: rng.weighted([
        ['Namespaced', 8],
        ['Cluster', 2],
        ['Odd', 0.3],
      ]),
      names: { plural, kind, ...maybe(rng, 0.3, () => ({ shortNames: ['wi'] })) },
      versions: [
        version(rng, 'v1', rng.chance(0.95)),
        ...(rng.chance(0.3) ? [version(rng, 'v2', rng.chance(0.05))] : []),
      ],
    },
  };
}

function version(rng: Rng, name: string, storage: boolean): JsonMap {
  return {
    name,
    served: rng.chance(0.9),
    storage,
    ...maybe(rng, 0.97, () => ({
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema(rng, 2) } } },
    })),
    ...maybe(rng, 0.3, () => ({ subresources: { status: {} } })),
    ...maybe(rng, 0.2, () => ({
      additionalPrinterColumns: [{ name: 'A', type: rng.pick(['string', 'odd']), jsonPath: '.spec.a' }],
    })),
  };
}

function schema(rng: Rng, depth: number): JsonMap {
  const shape = rng.weighted<(chance: Rng, depth: number) => JsonMap>([
    [scalar, 5],
    [objectSchema, depth > 0 ? 4 : 0],
    [mapSchema, depth > 0 ? 2 : 0],
    [listSchema, depth > 0 ? 4 : 0],
    [() => ({ 'x-kubernetes-int-or-string': true }), 0.5],
    [() => ({}), 0.2],
  ]);
  return shape(rng, depth);
}

function scalar(rng: Rng): JsonMap {
  return rng.pick<JsonMap>([
    { type: 'string', maxLength: 5 },
    { type: 'string', enum: ['a', 'b'], default: rng.chance(0.9) ? 'a' : 'c' },
    { type: 'integer', minimum: 0, default: rng.chance(0.9) ? 1 : 'x' },
    { type: 'boolean' },
    { type: 'string', pattern: rng.chance(0.9) ? '^a' : '[' },
    { type: 'number', nullable: true },
  ]);
}

function objectSchema(rng: Rng, depth: number): JsonMap {
  return {
    type: 'object',
    properties: { a: schema(rng, depth - 1), b: schema(rng, depth - 1) },
    ...maybe(rng, 0.2, () => ({ required: ['a'] })),
    ...maybe(rng, 0.2, () => ({ 'x-kubernetes-preserve-unknown-fields': true })),
    ...maybe(rng, 0.15, () => ({ 'x-kubernetes-map-type': rng.pick(['atomic', 'granular', 'odd']) })),
    ...maybe(rng, 0.05, () => ({ additionalProperties: { type: 'string' } })),
  };
}

function mapSchema(rng: Rng, depth: number): JsonMap {
  return { type: 'object', additionalProperties: schema(rng, depth - 1) };
}

function listSchema(rng: Rng, depth: number): JsonMap {
  const items = schema(rng, depth - 1);
  const type = rng.pick([undefined, 'atomic', 'set', 'map', 'odd']);
  return {
    type: 'array',
    ...maybe(rng, 0.95, () => ({ items })),
    ...(type === undefined ? {} : { 'x-kubernetes-list-type': type }),
    ...maybe(rng, type === 'map' ? 0.9 : 0.05, () => ({ 'x-kubernetes-list-map-keys': ['a'] })),
  };
}
