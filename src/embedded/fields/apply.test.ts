import { describe, expect, it } from 'vitest';
import { EXAMPLE_SCHEMA, ownedBy, owners, type Step, TIME, take } from '../../../test/build/owned-object.ts';
import type { JsonMap } from '../model/object.ts';
import type { Schema } from '../model/schema.ts';
import { StatusError } from '../model/status-error.ts';

function apply(by: string, spec: JsonMap, more: Partial<Step> = {}): Step {
  return { by, apply: true, spec, ...more };
}

interface Row {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly spec: unknown;
  readonly owners: readonly string[];
}

const ROWS: readonly Row[] = [
  {
    name: 'what two managers want in agreement, both own',
    steps: [apply('a', { replicas: 1 }), apply('b', { replicas: 1 })],
    spec: { replicas: 1 },
    owners: ['b Apply v1: .spec.replicas', 'a Apply v1: .spec.replicas'],
  },
  {
    name: 'force takes a field over',
    steps: [apply('a', { replicas: 1, name: 'x' }), apply('b', { replicas: 2 }, { force: true })],
    spec: { replicas: 2, name: 'x' },
    owners: ['a Apply v1: .spec.name', 'b Apply v1: .spec.replicas'],
  },
  {
    name: 'a manager that loses all its fields has no entry left',
    steps: [apply('a', { replicas: 1 }), apply('b', { replicas: 2 }, { force: true })],
    spec: { replicas: 2 },
    owners: ['b Apply v1: .spec.replicas'],
  },
  {
    name: 'what the applier does not want any more goes',
    steps: [apply('a', { replicas: 1, name: 'x' }), apply('a', { name: 'x' })],
    spec: { name: 'x' },
    owners: ['a Apply v1: .spec.name'],
  },
  {
    name: 'what somebody else owns, too, stays',
    steps: [apply('a', { replicas: 1, name: 'x' }), apply('b', { replicas: 1 }), apply('a', { name: 'x' })],
    spec: { replicas: 1, name: 'x' },
    owners: ['b Apply v1: .spec.replicas', 'a Apply v1: .spec.name'],
  },
  {
    name: 'what an update set stays when the applier that set it, too, lets it go',
    steps: [
      apply('a', { replicas: 1, name: 'x' }),
      { by: 'u', spec: { replicas: 2, name: 'x' } },
      apply('a', { name: 'x' }),
    ],
    spec: { replicas: 2, name: 'x' },
    owners: ['a Apply v1: .spec.name', 'u Update v1: .spec.replicas'],
  },
  {
    name: 'items of a list by key are owned one by one',
    steps: [
      apply('a', { list: [{ name: 'x' }, { name: 'y' }] }),
      apply('b', { list: [{ name: 'z' }] }),
      apply('a', { list: [{ name: 'x' }] }),
    ],
    spec: { list: [{ name: 'x' }, { name: 'z' }] },
    owners: [
      'a Apply v1: .spec.list[name="x"] .spec.list[name="x"].name',
      'b Apply v1: .spec.list[name="z"] .spec.list[name="z"].name',
    ],
  },
  {
    name: 'an item goes with all that nobody owns in it',
    steps: [apply('a', { list: [{ name: 'x', value: 1 }, { name: 'y' }] }), apply('a', { list: [{ name: 'y' }] })],
    spec: { list: [{ name: 'y' }] },
    owners: ['a Apply v1: .spec.list[name="y"] .spec.list[name="y"].name'],
  },
  {
    name: 'an item stays as far as somebody else owns in it',
    steps: [
      apply('a', { list: [{ name: 'x', value: 1 }] }),
      apply('b', { list: [{ name: 'x', inner: { a: '1' } }] }),
      apply('a', {}),
    ],
    spec: { list: [{ name: 'x', inner: { a: '1' } }] },
    owners: [
      'a Apply v1: .spec',
      'b Apply v1: .spec.list[name="x"] .spec.list[name="x"].name .spec.list[name="x"].inner.a',
    ],
  },
  {
    name: 'an item without a key field is known by its default',
    steps: [apply('a', { ports: [{ port: 80, name: 'web' }] }), apply('b', { ports: [{ port: 80, protocol: 'TCP' }] })],
    spec: { ports: [{ port: 80, protocol: 'TCP', name: 'web' }] },
    owners: [
      'a Apply v1: .spec.ports[port=80,protocol="TCP"] .spec.ports[port=80,protocol="TCP"].name .spec.ports[port=80,protocol="TCP"].port',
      'b Apply v1: .spec.ports[port=80,protocol="TCP"] .spec.ports[port=80,protocol="TCP"].port .spec.ports[port=80,protocol="TCP"].protocol',
    ],
  },
  {
    name: 'items of a set are owned one by one',
    steps: [apply('a', { set: ['x', 'y'] }), apply('b', { set: ['y', 'z'] }), apply('a', { set: ['x'] })],
    spec: { set: ['x', 'y', 'z'] },
    owners: ['a Apply v1: .spec.set[="x"]', 'b Apply v1: .spec.set[="y"] .spec.set[="z"]'],
  },
  {
    name: 'an atomic list is one field',
    steps: [apply('a', { args: ['x', 'y'] }), apply('b', { args: ['z'] }, { force: true })],
    spec: { args: ['z'] },
    owners: ['b Apply v1: .spec.args'],
  },
  {
    name: 'an atomic map is one field',
    steps: [apply('a', { whole: { a: '1', b: '2' } }), apply('b', { whole: { a: '3' } }, { force: true })],
    spec: { whole: { a: '3' } },
    owners: ['b Apply v1: .spec.whole'],
  },
  {
    name: 'in free fields maps are granular and lists are atomic',
    steps: [
      apply('a', { free: { x: { y: 1 }, list: [{ name: 'n' }] } }),
      apply('b', { free: { x: { z: 2 } } }),
      apply('a', { free: { list: [{ name: 'n' }] } }),
    ],
    spec: { free: { x: { z: 2 }, list: [{ name: 'n' }] } },
    owners: ['a Apply v1: .spec.free.list', 'b Apply v1: .spec.free.x .spec.free.x.z'],
  },
  {
    name: 'the entries of a map with values of one type are members themselves',
    steps: [apply('a', { labels: { x: '1' } }), apply('b', { labels: { y: '2' } }), apply('a', { name: 'n' })],
    spec: { labels: { y: '2' }, name: 'n' },
    owners: ['a Apply v1: .spec.name', 'b Apply v1: .spec.labels.y'],
  },
  {
    name: 'the order of the applied list goes before that of the live one',
    steps: [
      { by: 'u', spec: { list: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] } },
      apply('a', { list: [{ name: 'c' }, { name: 'a' }] }),
    ],
    spec: { list: [{ name: 'b' }, { name: 'c' }, { name: 'a' }] },
    owners: [
      'a Apply v1: .spec.list[name="a"] .spec.list[name="c"] .spec.list[name="a"].name .spec.list[name="c"].name',
      'u Update v1: .spec .spec.list .spec.list[name="a"] .spec.list[name="b"] .spec.list[name="c"] .spec.list[name="a"].name .spec.list[name="b"].name .spec.list[name="c"].name',
    ],
  },
  {
    name: 'the same item twice in the live list becomes the one that is applied',
    steps: [
      { by: 'u', spec: { list: [{ name: 'a', value: 1 }, { name: 'a', value: 2 }, { name: 'b' }] } },
      apply('a', { list: [{ name: 'a', value: 3 }] }, { force: true }),
    ],
    spec: { list: [{ name: 'a', value: 3 }, { name: 'b' }] },
    owners: [
      'a Apply v1: .spec.list[name="a"] .spec.list[name="a"].name .spec.list[name="a"].value',
      'u Update v1: .spec .spec.list .spec.list[name="b"] .spec.list[name="b"].name',
    ],
  },
  {
    name: 'applying in a later version keeps one entry, of that version',
    steps: [apply('a', { replicas: 1, name: 'x' }), apply('a', { replicas: 1 }, { version: 'v2' })],
    spec: { replicas: 1 },
    owners: ['a Apply v2: .spec.replicas'],
  },
  {
    name: 'the empty config lets all fields go that nobody else owns',
    steps: [apply('a', { replicas: 1, name: 'x' }), apply('b', { name: 'x' }), { by: 'a', apply: true }],
    spec: { name: 'x' },
    owners: ['b Apply v1: .spec.name'],
  },
];

describe('server-side apply', () => {
  for (const row of ROWS) {
    it(row.name, () => {
      const object = ownedBy(...row.steps);
      expect(object.spec).toEqual(row.spec);
      expect(owners(object)).toEqual(row.owners);
    });
  }

  it('refuses what others own, and names each field', () => {
    const object = ownedBy({ by: 'kubectl-client-side-apply', spec: { replicas: 1 } });
    expect(refusal(object, apply('a', { replicas: 2 }))).toMatchObject({
      reason: 'Conflict',
      code: 409,
      message:
        'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using example.org/v1: .spec.replicas',
      details: {
        causes: [
          {
            reason: 'FieldManagerConflict',
            message: 'conflict with "kubectl-client-side-apply" using example.org/v1',
            field: '.spec.replicas',
          },
        ],
      },
    });
  });

  it('lists several conflicts by manager', () => {
    const object = ownedBy(apply('b', { name: 'x', args: ['1'] }), apply('a', { list: [{ name: 'n', value: 1 }] }));
    const request = apply('c', { name: 'y', args: ['2'], list: [{ name: 'n', value: 2 }] });
    expect(refusal(object, request).message).toBe(
      [
        'Apply failed with 3 conflicts: conflicts with "a":',
        '- .spec.list[name="n"].value',
        'conflicts with "b":',
        '- .spec.args',
        '- .spec.name',
      ].join('\n'),
    );
  });

  it('tells the subresource of the other manager', () => {
    const object = ownedBy(apply('a', { name: 'x' }), { by: 'c', status: { ready: 1 }, subresource: 'status' });
    const request: Step = { by: 'd', apply: true, status: { ready: 2 }, subresource: 'status' };
    expect(refusal(object, request).message).toBe(
      'Apply failed with 1 conflict: conflict with "c" with subresource "status" using example.org/v1: .status.ready',
    );
  });

  it.each([
    ['a field that nobody declared', { colour: 'red' }, '.spec.colour: field not declared in schema'],
    ['a value of the wrong type', { replicas: 'two' }, '.spec.replicas: expected numeric (int or float), got string'],
    ['an item twice', { list: [{ name: 'a' }, { name: 'a' }] }, '.spec.list: duplicate entries for key [name="a"]'],
    [
      'an item without its key',
      { list: [{ value: 1 }] },
      '.spec.list: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
  ])('refuses %s', (_what, spec, problem) => {
    const error = refusal(undefined, apply('a', spec));
    expect(error.message).toBe(`failed to create typed patch object (/thing; example.org/v1, Kind=Thing): ${problem}`);
    expect(error.toJson()).not.toHaveProperty('reason');
    expect(error.code).toBe(500);
  });

  it('refuses a config of another version, and one with managed fields', () => {
    const wrong = { ...apply('a', { name: 'x' }), managedFields: [{}] };
    expect(refusal(undefined, wrong)).toMatchObject({
      reason: 'BadRequest',
      message: 'metadata.managedFields must be nil',
    });
  });

  it('refuses a config of another kind', () => {
    expect(refusal(undefined, { ...apply('a', {}), kind: 'Other' })).toMatchObject({
      reason: 'BadRequest',
      message: 'invalid object type: example.org/v1, Kind=Other',
    });
  });

  it('notes no time for who only agrees, and lists it first', () => {
    const object = ownedBy(apply('a', { replicas: 1 }), apply('b', { replicas: 1 }));
    expect(object.metadata.managedFields?.map(({ manager, time }) => [manager, time])).toEqual([
      ['b', undefined],
      ['a', TIME],
    ]);
  });

  it('gives what was there before the first apply an entry of its own', () => {
    const untracked = { ...ownedBy({ by: 'u', spec: { name: 'x', replicas: 1 } }) };
    const object = take(
      { ...untracked, metadata: { ...untracked.metadata, managedFields: [] } },
      apply('a', { name: 'x' }),
    );
    expect(owners(object)).toEqual([
      'a Apply v1: .spec.name',
      'before-first-apply Update v1: .spec .spec.name .spec.replicas',
    ]);
  });

  it('changes neither object nor time when the same is applied again', () => {
    const first = ownedBy(apply('a', { name: 'x', list: [{ name: 'n' }] }));
    const second = take(first, apply('a', { name: 'x', list: [{ name: 'n' }] }, { time: '2026-01-01T01:00:00Z' }));
    expect(second).toEqual(first);
    expect(second.metadata.managedFields?.[0]?.time).toBe(TIME);
  });

  it('owns status only through its subresource', () => {
    const object = ownedBy(
      { by: 'a', apply: true, spec: { name: 'x' }, status: { ready: 1 } },
      { by: 'a', apply: true, status: { ready: 1 }, subresource: 'status' },
    );
    expect(owners(object)).toEqual(['a Apply v1 status: .status.ready', 'a Apply v1: .spec.name']);
  });

  it('gives all of a field that has become atomic since to who owned a part of it', () => {
    const object = ownedBy(apply('a', { nested: { a: '1' } }), apply('b', { name: 'x' }, { schema: atomicNested() }));
    expect(owners(object)).toEqual(['a Apply v1: .spec.nested', 'b Apply v1: .spec.name']);
  });

  it('forgets what was owned in a version that is served no more', () => {
    const convert = (object: JsonMap, apiVersion: string) =>
      apiVersion.endsWith('v1') ? undefined : { object: { ...object, apiVersion }, schema: EXAMPLE_SCHEMA };
    const object = ownedBy(apply('a', { name: 'x' }), apply('b', { name: 'y' }, { version: 'v2', convert }));
    expect(owners(object)).toEqual(['b Apply v2: .spec.name']);
  });

  it('lets kubectl take over what it applied on the client', () => {
    const annotations = {
      'kubectl.kubernetes.io/last-applied-configuration':
        '{"apiVersion":"example.org/v1","kind":"Thing","metadata":{"name":"thing"},"spec":{"replicas":1}}\n',
    };
    const object = ownedBy(
      { by: 'kubectl-client-side-apply', spec: { replicas: 1 }, annotations },
      apply('kubectl', { replicas: 2 }),
    );
    expect(object.spec).toEqual({ replicas: 2 });
    expect(object.metadata.annotations).toEqual({
      'kubectl.kubernetes.io/last-applied-configuration':
        '{"apiVersion":"example.org/v1","kind":"Thing","metadata":{"name":"thing"},"spec":{"replicas":2}}\n',
    });
    expect(() => take(object, apply('other', { replicas: 3 }))).toThrow(StatusError);
  });
});

function atomicNested(): Schema {
  const spec = EXAMPLE_SCHEMA.properties?.get('spec') ?? {};
  const nested: Schema = { ...spec.properties?.get('nested'), mapType: 'atomic' };
  const changed: Schema = { ...spec, properties: new Map([...(spec.properties ?? []), ['nested', nested]]) };
  return { ...EXAMPLE_SCHEMA, properties: new Map([...(EXAMPLE_SCHEMA.properties ?? []), ['spec', changed]]) };
}

function refusal(object: Parameters<typeof take>[0], step: Step): StatusError {
  try {
    take(object, step);
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}
