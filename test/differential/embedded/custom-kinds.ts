import type { JsonMap } from '../../../src/embedded/model/object.ts';
import type { Rng } from '../../simulation/prng.ts';
import type { Kind } from './kind.ts';
import { listOf, mapOf, maybe, word } from './values.ts';

const STRING = { type: 'string' };
const INNER = { type: 'object', properties: { a: STRING, b: STRING } };

/** One field of each form that definitions can tell of. */
const SPEC = {
  type: 'object',
  properties: {
    name: { ...STRING, maxLength: 8 },
    replicas: { type: 'integer', minimum: 0, default: 1 },
    mode: { ...STRING, enum: ['fast', 'slow'] },
    nested: {
      type: 'object',
      properties: { ...INNER.properties, deep: { type: 'object', properties: { c: STRING } } },
    },
    labels: { type: 'object', additionalProperties: STRING },
    whole: { ...INNER, 'x-kubernetes-map-type': 'atomic' },
    list: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: STRING, value: { type: 'integer' }, inner: INNER },
      },
    },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        required: ['port'],
        properties: { port: { type: 'integer' }, protocol: { ...STRING, default: 'TCP' }, name: STRING },
      },
    },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: STRING },
    args: { type: 'array', items: STRING },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    either: { 'x-kubernetes-int-or-string': true },
    optional: { ...STRING, nullable: true },
  },
};

const STATUS = {
  type: 'object',
  properties: {
    ready: { type: 'integer' },
    replicas: { type: 'integer' },
    conditions: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: { type: 'object', required: ['type'], properties: { type: STRING, status: STRING } },
    },
  },
};

const SCHEMA = { openAPIV3Schema: { type: 'object', properties: { spec: SPEC, status: STATUS } } };
const FREE_SCHEMA = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };

interface Names {
  readonly plural: string;
  readonly kind: string;
}

function definition({ plural, kind }: Names, versions: readonly JsonMap[]): JsonMap {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.differential.example.org` },
    spec: {
      group: 'differential.example.org',
      scope: 'Namespaced',
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions,
    },
  };
}

const SUBRESOURCES = {
  status: {},
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
};

/** They are there before the first sequence. */
export const DEFINITIONS: readonly JsonMap[] = [
  definition({ plural: 'things', kind: 'Thing' }, [
    { name: 'v1', served: true, storage: true, schema: SCHEMA, subresources: SUBRESOURCES },
    { name: 'v2', served: true, storage: false, schema: SCHEMA, subresources: SUBRESOURCES },
  ]),
  definition({ plural: 'plains', kind: 'Plain' }, [{ name: 'v1', served: true, storage: true, schema: SCHEMA }]),
  definition({ plural: 'frees', kind: 'Free' }, [{ name: 'v1', served: true, storage: true, schema: FREE_SCHEMA }]),
];

function custom({ plural, kind }: Names, version: string, more: Partial<Kind> = {}): Kind {
  const apiVersion = `differential.example.org/${version}`;
  return {
    collection: `/apis/${apiVersion}/namespaces/{ns}/${plural}`,
    apiVersion,
    kind,
    custom: true,
    subresources: [],
    body: (rng) => ({
      ...maybe(rng, 0.9, () => ({ spec: spec(rng) })),
      ...maybe(rng, 0.1, () => ({ status: status(rng) })),
    }),
    marker: { apiVersion, kind },
    ...more,
  };
}

const THING = { plural: 'things', kind: 'Thing' };
const WITH_STATUS: Partial<Kind> = { subresources: ['status', 'scale'], status };

export const CUSTOM_KINDS: readonly Kind[] = [
  custom(THING, 'v1', WITH_STATUS),
  custom(THING, 'v2', WITH_STATUS),
  custom({ plural: 'plains', kind: 'Plain' }, 'v1'),
  custom({ plural: 'frees', kind: 'Free' }, 'v1'),
];

function inner(rng: Rng): JsonMap {
  return { ...maybe(rng, 0.6, () => ({ a: word(rng) })), ...maybe(rng, 0.5, () => ({ b: word(rng) })) };
}

function spec(rng: Rng): JsonMap {
  return {
    ...maybe(rng, 0.4, () => ({ name: rng.chance(0.95) ? word(rng) : 'much too long' })),
    ...maybe(rng, 0.3, () => ({ replicas: rng.chance(0.95) ? rng.int(0, 2) : -1 })),
    ...maybe(rng, 0.1, () => ({ mode: rng.chance(0.8) ? 'fast' : 'odd' })),
    ...maybe(rng, 0.3, () => ({
      nested: { ...inner(rng), ...maybe(rng, 0.4, () => ({ deep: maybe(rng, 0.8, () => ({ c: word(rng) })) })) },
    })),
    ...maybe(rng, 0.3, () => ({ labels: mapOf(rng, word) })),
    ...maybe(rng, 0.2, () => ({ whole: inner(rng) })),
    ...maybe(rng, 0.4, () => ({ list: list(rng) })),
    ...maybe(rng, 0.3, () => ({ ports: ports(rng) })),
    ...maybe(rng, 0.3, () => ({ set: rng.shuffled(['x', 'y', 'z']).slice(0, rng.int(0, 3)) })),
    ...maybe(rng, 0.2, () => ({ args: listOf(rng, 2, () => word(rng)) })),
    ...maybe(rng, 0.2, () => ({ free: mapOf(rng, () => rng.pick<unknown>([1, 'x', [1], { a: 1 }, {}])) })),
    ...maybe(rng, 0.15, () => ({ either: rng.pick<unknown>([1, 'x']) })),
    ...maybe(rng, 0.1, () => ({ optional: rng.pick<unknown>([null, 'x']) })),
  };
}

function list(rng: Rng): readonly JsonMap[] {
  const names = rng.shuffled(['a', 'b', 'c']).slice(0, rng.int(0, 3));
  if (rng.chance(0.02)) names.push('a', 'a');
  return names.map((name) => ({
    name,
    ...maybe(rng, 0.5, () => ({ value: rng.int(0, 2) })),
    ...maybe(rng, 0.3, () => ({ inner: inner(rng) })),
  }));
}

function ports(rng: Rng): readonly JsonMap[] {
  return rng
    .shuffled([80, 81])
    .slice(0, rng.int(0, 2))
    .map((port) => ({
      port,
      ...maybe(rng, 0.4, () => ({ protocol: rng.pick(['TCP', 'UDP']) })),
      ...maybe(rng, 0.4, () => ({ name: word(rng) })),
    }));
}

function status(rng: Rng): JsonMap {
  return {
    ...maybe(rng, 0.6, () => ({ ready: rng.int(0, 2) })),
    ...maybe(rng, 0.3, () => ({ replicas: rng.int(0, 2) })),
    ...maybe(rng, 0.4, () => ({
      conditions: rng
        .shuffled(['Ready', 'Sound'])
        .slice(0, rng.int(0, 2))
        .map((type) => ({ type, status: rng.pick(['True', 'False']) })),
    })),
  };
}
