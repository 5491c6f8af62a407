import { describe, expect, it } from 'vitest';
import { digestOf, sha256 } from './digest.ts';

const OF_ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

describe('digests', () => {
  it('sha256 of text and of the same bytes is the published one', () => {
    expect([sha256('abc'), sha256(new TextEncoder().encode('abc'))]).toEqual([OF_ABC, OF_ABC]);
  });

  it('a plain value has the digest of its canonical JSON, whatever the order of its keys', () => {
    expect(digestOf({ b: 1, a: [] })).toBe(`sha256:${sha256('{"a":[],"b":1}')}`);
    expect(digestOf({ a: [], b: 1 })).toBe(digestOf({ b: 1, a: [] }));
    expect(digestOf({ a: [], b: 2 })).not.toBe(digestOf({ a: [], b: 1 }));
  });
});
