import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../model/object.ts';
import type { Schema } from '../model/schema.ts';
import { StatusError } from '../model/status-error.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const STRING: Schema = { type: 'string' };

function fields(properties: Readonly<Record<string, Schema>>, more: Partial<Schema> = {}): Schema {
  return { type: 'object', properties: new Map(Object.entries(properties)), ...more };
}

const ITEM: Schema = fields({
  name: STRING,
  value: STRING,
  args: { type: 'array', items: STRING },
  ports: {
    type: 'array',
    items: fields({ port: { type: 'integer' }, name: STRING }),
    patchStrategy: 'merge',
    patchMergeKey: 'port',
  },
});

const SCHEMA: Schema = fields({
  name: STRING,
  labels: { type: 'object', additionalProperties: STRING },
  items: { type: 'array', items: ITEM, patchStrategy: 'merge', patchMergeKey: 'name' },
  finalizers: { type: 'array', items: STRING, patchStrategy: 'merge' },
  args: { type: 'array', items: STRING },
  keyless: { type: 'array', items: fields({ name: STRING }), patchStrategy: 'merge' },
  strategy: fields({ type: STRING, rolling: fields({ surge: STRING }) }, { patchStrategy: 'retainKeys' }),
  whole: fields({ a: STRING, b: STRING }, { patchStrategy: 'replace' }),
  nested: fields({ a: STRING, b: STRING, deep: fields({ c: STRING }) }),
});

interface Row {
  readonly name: string;
  readonly from: JsonMap;
  readonly patch: JsonMap;
  readonly to: JsonMap;
}

const ROWS: readonly Row[] = [
  {
    name: 'sets, replaces and removes fields',
    from: { name: 'a', args: ['x'] },
    patch: { name: 'b', args: null, labels: { l: '1' } },
    to: { name: 'b', labels: { l: '1' } },
  },
  {
    name: 'merges maps',
    from: { nested: { a: '1', b: '2' } },
    patch: { nested: { a: null, deep: { c: '3' } } },
    to: { nested: { b: '2', deep: { c: '3' } } },
  },
  {
    name: 'replaces maps of that strategy',
    from: { whole: { a: '1', b: '2' } },
    patch: { whole: { a: '3' } },
    to: { whole: { a: '3' } },
  },
  {
    name: '$patch: replace takes the map as it is',
    from: { nested: { a: '1' } },
    patch: { nested: { $patch: 'replace', b: '2' } },
    to: { nested: { b: '2' } },
  },
  {
    name: '$patch: delete empties a map',
    from: { nested: { a: '1' } },
    patch: { nested: { $patch: 'delete' } },
    to: { nested: {} },
  },
  {
    name: '$patch: delete of what is not there leaves nothing',
    from: {},
    patch: { nested: { $patch: 'delete' } },
    to: {},
  },
  {
    name: 'replaces lists without a strategy',
    from: { args: ['a', 'b'] },
    patch: { args: ['c'] },
    to: { args: ['c'] },
  },
  {
    name: 'merges items by their key',
    from: { items: [{ name: 'a', value: '1' }, { name: 'b' }] },
    patch: { items: [{ name: 'a', args: ['x'] }] },
    to: { items: [{ name: 'a', value: '1', args: ['x'] }, { name: 'b' }] },
  },
  {
    name: 'puts new items behind',
    from: { items: [{ name: 'a' }] },
    patch: { items: [{ name: 'b' }] },
    to: { items: [{ name: 'b' }, { name: 'a' }] },
  },
  {
    name: 'puts items of the server in their old places',
    from: { items: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] },
    patch: { items: [{ name: 'c' }, { name: 'x' }] },
    to: { items: [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'x' }] },
  },
  {
    name: 'merges lists within items',
    from: { items: [{ name: 'a', ports: [{ port: 1, name: 'x' }] }] },
    patch: { items: [{ name: 'a', ports: [{ port: 2 }, { port: 1, name: 'y' }] }] },
    to: { items: [{ name: 'a', ports: [{ port: 2 }, { port: 1, name: 'y' }] }] },
  },
  {
    name: '$patch: delete removes an item',
    from: { items: [{ name: 'a' }, { name: 'b' }] },
    patch: { items: [{ name: 'a', $patch: 'delete' }] },
    to: { items: [{ name: 'b' }] },
  },
  {
    name: '$patch: replace among items replaces the list',
    from: { items: [{ name: 'a' }, { name: 'b' }] },
    patch: { items: [{ $patch: 'replace' }, { name: 'c' }] },
    to: { items: [{ name: 'c' }] },
  },
  {
    name: '$patch: replace alone empties the list',
    from: { items: [{ name: 'a' }] },
    patch: { items: [{ $patch: 'replace' }] },
    to: { items: [] },
  },
  {
    name: 'directives in new lists are no items',
    from: {},
    patch: { items: [{ name: 'a', $patch: 'delete' }, { name: 'b' }] },
    to: { items: [{ name: 'b' }] },
  },
  {
    name: 'merges lists of scalars of that strategy',
    from: { finalizers: ['a', 'b'] },
    patch: { finalizers: ['c', 'a'] },
    to: { finalizers: ['c', 'a', 'b'] },
  },
  {
    name: '$deleteFromPrimitiveList removes scalars',
    from: { finalizers: ['a', 'b', 'c'] },
    patch: { '$deleteFromPrimitiveList/finalizers': ['a', 'c'] },
    to: { finalizers: ['b'] },
  },
  {
    name: '$deleteFromPrimitiveList and additions together',
    from: { finalizers: ['a', 'b'] },
    patch: { '$deleteFromPrimitiveList/finalizers': ['a'], finalizers: ['c'] },
    to: { finalizers: ['c', 'b'] },
  },
  {
    name: '$setElementOrder orders items',
    from: { items: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] },
    patch: { '$setElementOrder/items': [{ name: 'c' }, { name: 'a' }, { name: 'b' }] },
    to: { items: [{ name: 'c' }, { name: 'a' }, { name: 'b' }] },
  },
  {
    name: '$setElementOrder orders changed items among those of the server',
    from: { items: [{ name: 's1' }, { name: 'a' }, { name: 's2' }, { name: 'b' }] },
    patch: {
      '$setElementOrder/items': [{ name: 'b' }, { name: 'a' }, { name: 'n' }],
      items: [{ name: 'n', value: '1' }],
    },
    to: { items: [{ name: 's1' }, { name: 's2' }, { name: 'b' }, { name: 'a' }, { name: 'n', value: '1' }] },
  },
  {
    name: '$setElementOrder orders scalars',
    from: { finalizers: ['a', 'b'] },
    patch: { '$setElementOrder/finalizers': ['b', 'c', 'a'], finalizers: ['c'] },
    to: { finalizers: ['b', 'c', 'a'] },
  },
  {
    name: '$setElementOrder with removed items',
    from: { items: [{ name: 'a' }, { name: 'b' }] },
    patch: { '$setElementOrder/items': [{ name: 'b' }], items: [{ name: 'a', $patch: 'delete' }] },
    to: { items: [{ name: 'b' }] },
  },
  {
    name: '$setElementOrder of a list that is new',
    from: {},
    patch: { '$setElementOrder/items': [{ name: 'a' }], items: [{ name: 'a' }] },
    to: { items: [{ name: 'a' }] },
  },
  {
    name: '$setElementOrder of nothing',
    from: { name: 'x' },
    patch: { '$setElementOrder/items': [{ name: 'a' }] },
    to: { name: 'x' },
  },
  {
    name: '$retainKeys removes all other fields',
    from: { strategy: { type: 'Rolling', rolling: { surge: '1' } } },
    patch: { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
    to: { strategy: { type: 'Recreate' } },
  },
  {
    name: '$retainKeys keeps what it names',
    from: { strategy: { type: 'Rolling', rolling: { surge: '1' } } },
    patch: { strategy: { $retainKeys: ['type', 'rolling'], type: 'Other' } },
    to: { strategy: { type: 'Other', rolling: { surge: '1' } } },
  },
  {
    name: 'leaves nulls out of what is new',
    from: {},
    patch: { nested: { a: null, b: '1' } },
    to: { nested: { b: '1' } },
  },
  {
    name: 'takes fields that the schema does not know',
    from: {},
    patch: { unknown: { a: 1 } },
    to: { unknown: { a: 1 } },
  },
  {
    name: 'merges labels',
    from: { labels: { a: '1', b: '2' } },
    patch: { labels: { a: null, c: '3' } },
    to: { labels: { b: '2', c: '3' } },
  },
];

describe('applyStrategicMergePatch', () => {
  for (const { name, from, patch, to } of ROWS) {
    it(name, () => {
      const before = structuredClone({ from, patch });
      expect(applyStrategicMergePatch(from, patch, SCHEMA)).toEqual(to);
      expect({ from, patch }).toEqual(before);
    });
  }

  it.each<[string, JsonMap, JsonMap, number, string]>([
    [
      'an item without its key',
      { items: [{ name: 'a' }] },
      { items: [{ value: '1' }] },
      500,
      'map: map[value:1] does not contain declared merge key: name',
    ],
    [
      'a deletion without the key',
      { items: [{ name: 'a' }] },
      { items: [{ $patch: 'delete' }] },
      500,
      'map: map[$patch:delete] does not contain declared merge key: name',
    ],
    [
      'an unknown directive',
      { nested: { a: '1' } },
      { nested: { $patch: 'bogus' } },
      500,
      'unknown patch type: bogus in map: map[$patch:bogus]',
    ],
    [
      'an unknown directive of an item',
      { items: [{ name: 'a' }] },
      { items: [{ name: 'a', $patch: 'bogus' }] },
      500,
      'unknown patch type: bogus in map: map[$patch:bogus name:a]',
    ],
    [
      'merging asked for in a list',
      { items: [{ name: 'a' }] },
      { items: [{ name: 'a', $patch: 'merge' }] },
      500,
      'merging lists cannot yet be specified in the patch',
    ],
    [
      'items of two types',
      { items: [{ name: 'a' }] },
      { items: ['a'] },
      500,
      'list element types are not identical: [[map[name:a]] [a]]',
    ],
    [
      'maps to merge without a key',
      { keyless: [{ name: 'a' }] },
      { keyless: [{ name: 'b' }] },
      500,
      'cannot merge lists without merge key for struct',
    ],
    [
      'lists of lists',
      { finalizers: ['a'] },
      { finalizers: [['b']] },
      500,
      'list element types are not identical: [[a] [[b]]]',
    ],
    [
      'a field that is set and not retained',
      { strategy: {} },
      { strategy: { $retainKeys: ['type'], rolling: {} } },
      400,
      'invalid patch format of retainKeys',
    ],
    [
      'retained keys that are no list',
      { strategy: {} },
      { strategy: { $retainKeys: 'type' } },
      400,
      'invalid patch format of retainKeys',
    ],
    ['an order of no field', {}, { $setElementOrder: [] }, 400, 'invalid patch format of setElementOrder list'],
    ['a deletion of no field', {}, { $deleteFromPrimitiveList: [] }, 400, 'invalid patch format of primitive list'],
    [
      'an order that is no list',
      { items: [] },
      { '$setElementOrder/items': 'x' },
      500,
      'expected a []interface {}, but received a string',
    ],
    [
      'another order than the items have',
      { items: [{ name: 'a' }] },
      { '$setElementOrder/items': [{ name: 'z' }], items: [{ name: 'a' }] },
      500,
      "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:z]]\n",
    ],
    [
      'an unknown field that is there',
      { unknown: { a: 1 } },
      { unknown: { b: 1 } },
      500,
      'unable to find api field in struct object for the json field "unknown"',
    ],
  ])('refuses %s', (_what, from, patch, code, message) => {
    expect(refusal(() => applyStrategicMergePatch(from, patch, SCHEMA))).toMatchObject({ code, message });
  });

  it('refuses an order of maps that do not merge', () => {
    const schema: Schema = fields({ rules: { type: 'array', items: fields({ a: STRING }) } });
    const patch = { rules: [], '$setElementOrder/rules': [] };
    expect(refusal(() => applyStrategicMergePatch({ rules: [{ a: 'x' }] }, patch, schema))).toMatchObject({
      code: 500,
    });
  });

  it('refuses what is no map', () => {
    expect(refusal(() => applyStrategicMergePatch({}, [1], SCHEMA))).toMatchObject({
      code: 400,
      message: 'json: cannot unmarshal array into Go value of type map[string]interface {}',
    });
  });
});

function refusal(act: () => unknown): StatusError {
  try {
    act();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}
