import { describe, expect, it } from 'vitest';
import { EXAMPLE_RESOURCE, ownedBy, owners, type Step, TIME, take } from '../../../test/build/owned-object.ts';
import type { JsonMap } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { Schema } from '../model/schema.ts';
import { keepTimes, trackUpdate } from './index.ts';

function update(by: string, spec: JsonMap, more: Partial<Step> = {}): Step {
  return { by, spec, ...more };
}

interface Row {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly owners: readonly string[];
}

const ROWS: readonly Row[] = [
  {
    name: 'who creates an object owns all of it',
    steps: [update('u', { name: 'x', nested: { deep: { c: '1' } } })],
    owners: ['u Update v1: .spec .spec.name .spec.nested .spec.nested.deep .spec.nested.deep.c'],
  },
  {
    name: 'who changes a field takes it over',
    steps: [update('u', { name: 'x', replicas: 1 }), update('v', { name: 'y', replicas: 1 })],
    owners: ['u Update v1: .spec .spec.replicas', 'v Update v1: .spec.name'],
  },
  {
    name: 'who changes nothing owns nothing',
    steps: [update('u', { name: 'x' }), update('v', { name: 'x' })],
    owners: ['u Update v1: .spec .spec.name'],
  },
  {
    name: 'what is removed belongs to nobody',
    steps: [update('u', { name: 'x', replicas: 1 }), update('v', { replicas: 1 })],
    owners: ['u Update v1: .spec .spec.replicas'],
  },
  {
    name: 'an entry of each version and each subresource',
    steps: [
      update('u', { name: 'x' }),
      update('u', { name: 'x', replicas: 1 }, { version: 'v2' }),
      { by: 'u', status: { ready: 1 }, subresource: 'status' },
    ],
    owners: [
      'u Update v1: .spec .spec.name',
      'u Update v1 status: .status .status.ready',
      'u Update v2: .spec.replicas',
    ],
  },
  {
    name: 'the status is nobody who writes the object itself',
    steps: [{ by: 'u', spec: { name: 'x' }, status: { ready: 1 } }],
    owners: ['u Update v1: .spec .spec.name'],
  },
  {
    name: 'metadata belongs to nobody who writes the status of a custom kind',
    steps: [update('u', { name: 'x' }), { by: 'c', status: { ready: 1 }, labels: { a: 'b' }, subresource: 'status' }],
    owners: ['c Update v1 status: .status .status.ready', 'u Update v1: .spec .spec.name'],
  },
  {
    name: 'labels and annotations are owned, names and other fields of the server are not',
    steps: [{ by: 'u', labels: { a: '1' }, annotations: { b: '2' } }],
    owners: ['u Update v1: .metadata.annotations .metadata.labels .metadata.annotations.b .metadata.labels.a'],
  },
  {
    name: 'a client without a name is unknown',
    steps: [update('', { name: 'x' })],
    owners: ['unknown Update v1: .spec .spec.name'],
  },
  {
    name: 'an item of a list that comes to be there twice is taken over as one',
    steps: [
      update('u', { list: [{ name: 'a', value: 1 }] }),
      update('v', {
        list: [
          { name: 'a', value: 1 },
          { name: 'a', value: 2 },
        ],
      }),
    ],
    owners: ['u Update v1: .spec .spec.list', 'v Update v1: .spec.list[name="a"]'],
  },
  {
    name: 'null, empty lists and empty maps are fields',
    steps: [update('u', { name: null, list: [], nested: {} })],
    owners: ['u Update v1: .spec .spec.list .spec.name .spec.nested'],
  },
  {
    name: 'an update takes from an applier what it changes',
    steps: [{ by: 'a', apply: true, spec: { name: 'x', replicas: 1 } }, update('u', { name: 'y', replicas: 1 })],
    owners: ['a Apply v1: .spec.replicas', 'u Update v1: .spec.name'],
  },
];

describe('updates', () => {
  for (const row of ROWS) {
    it(row.name, () => {
      expect(owners(ownedBy(...row.steps))).toEqual(row.owners);
    });
  }

  it('keep the time of an entry until it changes', () => {
    const first = ownedBy(update('u', { name: 'x' }));
    const same = take(first, update('u', { name: 'x' }, { time: '2026-01-01T01:00:00Z' }));
    expect(same.metadata.managedFields?.[0]?.time).toBe(TIME);
    const changed = take(first, update('u', { name: 'y' }, { time: '2026-01-01T01:00:00Z' }));
    expect(changed.metadata.managedFields?.[0]?.time).toBe('2026-01-01T01:00:00Z');
  });

  it('merge the oldest entries of a version when there are more than ten', () => {
    const steps = Array.from({ length: 12 }, (_, index) =>
      update(
        `u${String(index).padStart(2, '0')}`,
        { name: `x${String(index)}`, labels: labels(index) },
        {
          time: `2026-01-01T00:00:${String(index).padStart(2, '0')}Z`,
        },
      ),
    );
    const entries = ownedBy(...steps).metadata.managedFields ?? [];
    expect(entries.map(({ manager, time }) => `${manager} ${time ?? ''}`)).toEqual([
      'ancient-changes 2026-01-01T00:00:02Z',
      ...steps.slice(3).map(({ by, time }) => `${by} ${time ?? ''}`),
    ]);
    expect(entries[0]?.fieldsV1).toEqual({
      'f:spec': { '.': {}, 'f:labels': { '.': {}, 'f:l0': {}, 'f:l1': {}, 'f:l2': {} } },
    });
  });

  it.each([
    ['an empty list', []],
    ['a list with an empty entry', [{}]],
  ])('with %s of managed fields stop tracking, until the next apply', (_what, managedFields) => {
    const builtIn = { resource: { ...EXAMPLE_RESOURCE, custom: false } };
    const object = ownedBy(update('u', { name: 'x' }), update('u', { name: 'y' }, { managedFields, ...builtIn }));
    expect(owners(object)).toEqual([]);
    expect(owners(take(object, update('v', { name: 'z' })))).toEqual([]);
    expect(owners(take(object, { by: 'a', apply: true, spec: { replicas: 1 } }))).toEqual([
      'a Apply v1: .spec.replicas',
      'before-first-apply Update v1: .spec .spec.name',
    ]);
  });

  it('take over managed fields that a client gives, and ignore those that cannot be read', () => {
    const given = {
      operation: 'Update',
      apiVersion: 'example.org/v1',
      fieldsType: 'FieldsV1',
      manager: 'other',
      fieldsV1: { 'f:spec': { 'f:name': {} } },
    };
    const first = ownedBy(update('u', { name: 'x' }));
    expect(owners(take(first, update('v', { name: 'x' }, { managedFields: [given] })))).toEqual([
      'other Update v1: .spec.name',
    ]);
    const broken = { ...given, fieldsV1: { x: {} } };
    expect(owners(take(first, update('v', { name: 'x' }, { managedFields: [broken] })))).toEqual(owners(first));
  });

  it('of custom kinds take an empty list of managed fields for none', () => {
    const object = ownedBy(update('u', { name: 'x' }), update('v', { name: 'x' }, { managedFields: [] }));
    expect(owners(object)).toEqual(['u Update v1: .spec .spec.name']);
  });

  it('stop the tracking of what has items without a name', () => {
    const object = ownedBy(update('u', { name: 'x' }), update('v', { list: [{ value: 1 }] }));
    expect(owners(object)).toEqual([]);
    expect(() => take(object, { by: 'a', apply: true, spec: { name: 'y' } })).toThrow(
      'failed to create manager for existing fields: failed to convert new object (/thing; example.org/v1, Kind=Thing) to smd typed: .spec.list: element 0:',
    );
  });

  it('do not take over managed fields that come with a subresource', () => {
    const first = ownedBy(update('u', { name: 'x' }));
    const step: Step = { by: 'v', spec: { name: 'x' }, managedFields: [{}], subresource: 'status' };
    expect(owners(take(first, step))).toEqual(owners(first));
  });

  it('of built-in kinds do not own what the API server always writes', () => {
    const spec: Schema = {
      type: 'object',
      whenEmpty: 'zero',
      properties: new Map([
        ['selector', { type: 'object', whenEmpty: 'null' }],
        ['name', { type: 'string' }],
      ]),
    };
    const schema: Schema = { type: 'object', properties: new Map([['spec', spec]]) };
    const resource: Pick<Resource, 'group' | 'plural' | 'kind' | 'custom' | 'subresources'> = {
      group: '',
      plural: 'things',
      kind: 'Thing',
      custom: false,
      subresources: [],
    };
    const after = {
      apiVersion: 'v1',
      kind: 'Thing',
      metadata: { name: 'x' },
      spec: { selector: { a: 'b' }, name: 'n' },
    };
    const entries = trackUpdate({
      before: undefined,
      after,
      manager: 'u',
      apiVersion: 'v1',
      time: TIME,
      schema,
      resource,
    });
    expect(entries[0]?.fieldsV1).toEqual({ 'f:spec': { 'f:name': {}, 'f:selector': { 'f:a': {} } } });
  });
});

describe('keepTimes', () => {
  const first = ownedBy(update('u', { name: 'x' }));
  const later = {
    ...first,
    metadata: {
      ...first.metadata,
      managedFields: first.metadata.managedFields?.map((entry) => ({ ...entry, time: '2026-01-01T01:00:00Z' })),
    },
  };

  it('takes new times back when nothing else is new', () => {
    expect(keepTimes(first, later)).toEqual(first.metadata.managedFields);
  });

  it('leaves them when the object is another', () => {
    expect(keepTimes(first, { ...later, spec: { name: 'y' } })).toEqual(later.metadata.managedFields);
  });
});

function labels(count: number): JsonMap {
  return Object.fromEntries(Array.from({ length: count + 1 }, (_, index) => [`l${String(index)}`, '1']));
}
