import { describe, expect, it } from 'vitest';
import { instructionDigest } from './instruction.ts';

const DESTINATION = { server: 'https://kubernetes.default.svc', namespace: 'shop' };

function digest(values: unknown, more: Readonly<Record<string, unknown>> = {}): string {
  return instructionDigest({
    source: { repoURL: 'https://charts.example.com', helm: { valuesObject: values } },
    destination: DESTINATION,
    ...more,
  });
}

describe('the digest of an instruction', () => {
  it.each<[string, unknown, unknown]>([
    ['the order of keys', { a: 1, b: 2 }, { b: 2, a: 1 }],
    ['a null, which no merge patch keeps', { a: 1, b: null }, { a: 1 }],
    ['a null inside a list of objects', { a: [{ b: null }] }, { a: [{}] }],
  ])('is the same whatever %s', (_, one, other) => {
    expect(digest(one)).toBe(digest(other));
  });

  it.each<[string, unknown, unknown]>([
    ['a value', { a: 1 }, { a: 2 }],
    ['a number that became text', { a: 1 }, { a: '1' }],
    ['the order of a list', { a: [1, 2] }, { a: [2, 1] }],
    ['a null that is an item', { a: [null] }, { a: [] }],
  ])('R4 is another for %s', (_, one, other) => {
    expect(digest(one)).not.toBe(digest(other));
  });

  it('is another for what would take the place of the source', () => {
    expect(digest({}, { sources: [{ repoURL: 'https://other.example.com' }] })).not.toBe(digest({}));
    expect(digest({}, { sourceHydrator: { drySource: {} } })).not.toBe(digest({}));
    expect(digest({}, { destination: { ...DESTINATION, namespace: 'other' } })).not.toBe(digest({}));
  });
});
