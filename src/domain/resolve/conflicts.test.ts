import { describe, expect, it } from 'vitest';
import { type Declaration, findClash, goesFirst, type Standing } from './conflicts.ts';

const declares = (name: string, parts: Partial<Declaration> = {}): Declaration => ({
  name,
  provides: [],
  conflicts: [],
  ...parts,
});

describe('two packages conflict', () => {
  it.each<[string, Declaration, Declaration, string]>([
    ['when the one names the other', declares('a', { conflicts: ['b'] }), declares('b'), 'package b'],
    ['when the other names the one', declares('a'), declares('b', { conflicts: ['a'] }), 'which this one is'],
    [
      'by a capability of the other',
      declares('a', { conflicts: ['x'] }),
      declares('b', { provides: ['x'] }),
      'provides x',
    ],
    [
      'by a capability of the one',
      declares('a', { provides: ['x'] }),
      declares('b', { conflicts: ['x'] }),
      'which this one provides',
    ],
    [
      'when both have what both exclude',
      declares('a', { provides: ['x'], conflicts: ['x'] }),
      declares('b', { provides: ['x'] }),
      'x',
    ],
  ])('%s', (_say, own, other, why) => {
    expect(findClash(own, other)).toContain(why);
  });

  it.each<[string, Declaration, Declaration]>([
    ['when nothing is said', declares('a'), declares('b')],
    [
      'when something else is meant',
      declares('a', { conflicts: ['c'] }),
      declares('b', { provides: ['x'], conflicts: ['y'] }),
    ],
    ['when a package names itself', declares('a', { conflicts: ['a'] }), declares('b', { conflicts: ['b'] })],
    [
      'when it is one and the same',
      declares('a', { provides: ['x'], conflicts: ['x', 'a'] }),
      declares('a', { provides: ['x'] }),
    ],
  ])('not %s', (_say, own, other) => {
    expect(findClash(own, other)).toBeUndefined();
  });
});

describe('of two that conflict', () => {
  const OLD = '2026-01-01T00:00:00Z';
  const NEW = '2026-01-01T00:00:01Z';
  const stands = (name: string, holds: boolean, createdAt?: string): Standing => ({ name, holds, createdAt });

  it.each<[string, Standing, Standing, boolean]>([
    ['what is there keeps out what is not', stands('b', true, NEW), stands('a', false, OLD), true],
    ['what is not there keeps out nothing that is', stands('b', false, OLD), stands('a', true, NEW), false],
    ['both that are there keep each other from changing', stands('b', true, NEW), stands('a', true, OLD), true],
    ['the older goes first', stands('b', false, OLD), stands('a', false, NEW), true],
    ['the younger does not', stands('a', false, NEW), stands('b', false, OLD), false],
    ['of the same second, the name decides', stands('a', false, OLD), stands('b', false, OLD), true],
    ['of the same second, the later name waits', stands('b', false, OLD), stands('a', false, OLD), false],
    ['of unknown age, the name decides', stands('a', false), stands('b', false), true],
  ])('%s', (_say, other, own, first) => {
    expect(goesFirst(other, own)).toBe(first);
  });
});
