import { describe, expect, it } from 'vitest';
import { setOf } from './field-collector.ts';
import {
  difference,
  EMPTY_SET,
  type FieldSet,
  hasPath,
  intersection,
  leaves,
  pathsOf,
  recursiveDifference,
  sameSet,
  union,
} from './field-set.ts';
import { parseFieldsV1, printFieldsV1 } from './fields-v1.ts';
import { fieldElement, keyElement, type Path, pathText } from './path-element.ts';

const EXAMPLE = {
  'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
  'f:spec': {
    'f:list': {
      '.': {},
      'k:{"name":"a","port":80}': { '.': {}, 'f:name': {} },
    },
    'f:set': { 'v:"x"': {}, 'v:1': {}, 'v:true': {} },
    'i:0': {},
  },
};

describe('fieldsV1', () => {
  it('prints what it reads', () => {
    expect(printFieldsV1(parseFieldsV1(EXAMPLE))).toEqual(EXAMPLE);
  });

  it('prints fields in order: names, keys, values, indices', () => {
    const printed = printFieldsV1(
      parseFieldsV1({ 'i:1': {}, 'v:"a"': {}, 'v:2': {}, 'k:{"b":1}': {}, 'f:z': {}, 'f:a': {} }),
    );
    expect(Object.keys(printed)).toEqual(['f:a', 'f:z', 'k:{"b":1}', 'v:2', 'v:"a"', 'i:1']);
  });

  it('sorts the fields of keys', () => {
    expect(printFieldsV1(parseFieldsV1({ 'k:{"z":1,"a":2}': {} }))).toEqual({ 'k:{"a":2,"z":1}': {} });
  });

  it('takes a node with nothing below it for a field, with and without a dot', () => {
    expect(texts(parseFieldsV1({ 'f:a': {}, 'f:b': { '.': {} } }))).toEqual(['.a', '.b']);
  });

  it('drops kinds of elements of a later version', () => {
    expect(printFieldsV1(parseFieldsV1({ 'x:new': {}, 'f:a': {} }))).toEqual({ 'f:a': {} });
  });

  it.each(['', 'f', 'field', 'k:[1]', 'k:{', 'v:{', 'i:one'])('refuses the key %j', (key) => {
    expect(() => parseFieldsV1({ [key]: {} })).toThrow(SyntaxError);
  });
});

describe('sets of fields', () => {
  const a = path('a');
  const ab = path('a', 'b');
  const abc = path('a', 'b', 'c');
  const d = path('d');

  it.each<[string, FieldSet, readonly string[]]>([
    ['the union has what either has', union(setOf(a, abc), setOf(ab, d)), ['.a', '.d', '.a.b', '.a.b.c']],
    ['the intersection has what both have', intersection(setOf(a, abc, d), setOf(ab, abc, a)), ['.a', '.a.b.c']],
    ['the difference keeps what lies below', difference(setOf(a, ab, abc), setOf(ab)), ['.a', '.a.b.c']],
    ['the recursive difference does not', recursiveDifference(setOf(a, ab, abc, d), setOf(ab)), ['.a', '.d']],
    ['leaves are what nothing lies below', leaves(setOf(a, ab, d)), ['.d', '.a.b']],
  ])('%s', (_name, set, expected) => {
    expect(texts(set)).toEqual(expected);
  });

  it('know their members', () => {
    expect([a, ab, abc].map((member) => hasPath(setOf(a, abc), member))).toEqual([true, false, true]);
    expect(sameSet(setOf(a, abc), setOf(abc, a))).toBe(true);
    expect(sameSet(setOf(a), EMPTY_SET)).toBe(false);
  });

  it('name items by their keys', () => {
    const item = keyElement([
      { name: 'port', value: 80 },
      { name: 'name', value: 'x' },
    ]);
    expect(pathText([fieldElement('list'), item])).toBe('.list[name="x",port=80]');
  });
});

function path(...names: readonly string[]): Path {
  return names.map(fieldElement);
}

function texts(set: FieldSet): readonly string[] {
  return pathsOf(set).map(pathText);
}
