import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../model/object.ts';
import { StatusError } from '../model/status-error.ts';
import { applyJsonPatch } from './json-patch.ts';

const OBJECT = { spec: { a: 1, list: ['x', 'y'], 'a/b': 1, 'm~n': 2, gone: null } };

describe('applyJsonPatch', () => {
  it.each<[string, readonly JsonMap[], JsonMap]>([
    ['adds a field', [{ op: 'add', path: '/spec/b', value: 2 }], { ...OBJECT.spec, b: 2 }],
    ['adds over a field', [{ op: 'add', path: '/spec/a', value: 2 }], { ...OBJECT.spec, a: 2 }],
    ['inserts an item', [{ op: 'add', path: '/spec/list/1', value: 'z' }], { ...OBJECT.spec, list: ['x', 'z', 'y'] }],
    ['appends an item', [{ op: 'add', path: '/spec/list/-', value: 'z' }], { ...OBJECT.spec, list: ['x', 'y', 'z'] }],
    [
      'appends by the number of items',
      [{ op: 'add', path: '/spec/list/2', value: 'z' }],
      { ...OBJECT.spec, list: ['x', 'y', 'z'] },
    ],
    ['counts from the end', [{ op: 'remove', path: '/spec/list/-1' }], { ...OBJECT.spec, list: ['x'] }],
    ['removes an item', [{ op: 'remove', path: '/spec/list/0' }], { ...OBJECT.spec, list: ['y'] }],
    ['replaces an item', [{ op: 'replace', path: '/spec/list/0', value: 'z' }], { ...OBJECT.spec, list: ['z', 'y'] }],
    [
      'replaces a field that is not there',
      [{ op: 'replace', path: '/spec/new', value: 1 }],
      { ...OBJECT.spec, new: 1 },
    ],
    ['reads ~1 as a slash', [{ op: 'add', path: '/spec/a~1b', value: 3 }], { ...OBJECT.spec, 'a/b': 3 }],
    ['reads ~0 as a tilde', [{ op: 'add', path: '/spec/m~0n', value: 3 }], { ...OBJECT.spec, 'm~n': 3 }],
    ['moves', [{ op: 'move', from: '/spec/list/0', path: '/spec/a' }], { ...OBJECT.spec, a: 'x', list: ['y'] }],
    ['copies', [{ op: 'copy', from: '/spec/list/0', path: '/spec/list/-' }], { ...OBJECT.spec, list: ['x', 'y', 'x'] }],
    [
      'copies what is not there as null',
      [{ op: 'copy', from: '/spec/nope', path: '/spec/a' }],
      { ...OBJECT.spec, a: null },
    ],
    [
      'tests and goes on',
      [
        { op: 'test', path: '/spec/list', value: ['x', 'y'] },
        { op: 'add', path: '/spec/a', value: 5 },
      ],
      { ...OBJECT.spec, a: 5 },
    ],
    ['takes what is not there for null in tests', [{ op: 'test', path: '/spec/nope', value: null }], OBJECT.spec],
    ['takes no value for null', [{ op: 'add', path: '/spec/a' }], { ...OBJECT.spec, a: null }],
  ])('%s', (_what, operations, spec) => {
    const before = structuredClone(OBJECT);
    expect(applyJsonPatch(OBJECT, operations)).toEqual({ spec });
    expect(OBJECT).toEqual(before);
  });

  it('replaces the whole object', () => {
    expect(applyJsonPatch(OBJECT, [{ op: 'replace', path: '', value: { a: 1 } }])).toEqual({ a: 1 });
    expect(applyJsonPatch(OBJECT, [{ op: 'test', path: '', value: OBJECT }])).toEqual(OBJECT);
  });

  it.each<[string, JsonMap]>([
    ['a test that fails', { op: 'test', path: '/spec/a', value: 2 }],
    ['a test of something else', { op: 'test', path: '/spec/list', value: { 0: 'x' } }],
    ['removing what is not there', { op: 'remove', path: '/spec/nope' }],
    ['a path through what is not there', { op: 'add', path: '/spec/nope/a', value: 1 }],
    ['a path through a string', { op: 'add', path: '/spec/list/0/a', value: 1 }],
    ['an index beyond the list', { op: 'add', path: '/spec/list/3', value: 1 }],
    ['an index before the list', { op: 'remove', path: '/spec/list/-3' }],
    ['replacing beyond the list', { op: 'replace', path: '/spec/list/2', value: 1 }],
    ['a word for an index', { op: 'add', path: '/spec/list/one', value: 1 }],
    ['a path that does not begin with a slash', { op: 'add', path: 'spec', value: 1 }],
    ['an operation without a path', { op: 'add', value: 1 }],
    ['an unknown operation', { op: 'increase', path: '/spec/a' }],
    ['an operation without a name', { path: '/spec/a' }],
    ['moving what is not in the list', { op: 'move', from: '/spec/list/7', path: '/spec/a' }],
    ['a whole that is no object', { op: 'replace', path: '', value: [] }],
    ['a whole that is a text', { op: 'replace', path: '', value: 'x' }],
  ])('answers 422 to %s', (_what, operation) => {
    expect(refusal(() => applyJsonPatch(OBJECT, [operation]))).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
    });
  });

  it.each([
    [{ op: 'add' }, 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    ['x', 'error decoding patch: json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp'],
    [[1], 'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp'],
  ])('answers 400 to %j', (patch, message) => {
    expect(refusal(() => applyJsonPatch(OBJECT, patch))).toMatchObject({ code: 400, message });
  });

  it('answers 413 to too many operations', () => {
    const operations = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/spec/a', value: 1 }));
    expect(refusal(() => applyJsonPatch(OBJECT, operations)).code).toBe(413);
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
