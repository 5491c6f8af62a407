import { describe, expect, it } from 'vitest';
import { objectOf } from './delivered-object.ts';

const ref = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'shop' };
const HEAD = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n';

describe('the object that a document describes', () => {
  it.each([
    ['nothing else', '', {}],
    ['equal keys', 'x: 1\nx: 2\n', { x: 2 }],
    ['a number beyond what JavaScript counts', 'x: 9223372036854775807\n', { x: 2 ** 63 }],
    ['a date', 'x: 2026-01-01\n', { x: '2026-01-01' }],
    ['a comment above it', '', {}, '# Source: x\n'],
  ])('is read with %s, in its namespace', (_what, more, rest, before = '') => {
    const object = objectOf({ ref, text: before + HEAD + more });
    expect(object).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'shop' },
      ...rest,
    });
  });

  it('has its name as text, as it was read before', () => {
    const document = { ref: { ...ref, name: '123' }, text: HEAD.replace('name: a', 'name: 123') };
    expect(objectOf(document).metadata.name).toBe('123');
  });

  it('that cannot be parsed is named, and not quoted', () => {
    const read = (): unknown => objectOf({ ref, text: `${HEAD}data: [1, {hunter22\n` });
    expect(read).toThrow(expect.objectContaining({ code: 'HelmFailed' }));
    expect(read).toThrow(/^ConfigMap shop\/a cannot be parsed: line \d+, column \d+: /);
    expect(read).not.toThrow(/hunter22/);
  });
});
