import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderGraph } from '../../lib/graph.ts';
import { type LeavingPackage, leavingDependents } from './leaving-dependents.ts';

const leaving = (name: string, age: number, ...requires: readonly string[]): LeavingPackage => ({
  name,
  createdAt: `2026-01-01T00:00:0${String(age)}Z`,
  requires,
});

describe('P20 packages that leave together', () => {
  it.each<[string, readonly LeavingPackage[], readonly string[]]>([
    ['nobody is waited for alone', [leaving('a', 1)], []],
    ['those that require it go first', [leaving('a', 1), leaving('c', 2, 'a'), leaving('b', 3, 'a')], ['b', 'c']],
    ['those that it requires do not', [leaving('a', 1, 'b'), leaving('b', 2)], []],
    ['those that require another one do not', [leaving('a', 1), leaving('b', 2, 'c')], []],
    ['in a circle the older goes first', [leaving('a', 2, 'b'), leaving('b', 1, 'a')], ['b']],
    ['in a circle the younger waits', [leaving('a', 1, 'b'), leaving('b', 2, 'a')], []],
    ['in a circle of one second the name decides', [leaving('b', 1, 'a'), leaving('a', 1, 'b')], []],
    ['a circle of three counts as one', [leaving('a', 1, 'b'), leaving('b', 2, 'c'), leaving('c', 3, 'a')], []],
    ['one that requires itself waits for nobody', [leaving('a', 1, 'a')], []],
    ['one that is not known waits for nobody', [leaving('b', 1, 'a')], []],
  ])('%s', (_say, packages, expected) => {
    expect(leavingDependents('a', packages)).toEqual(expected);
  });

  it('never wait for each other in a circle', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const one = (name: string): fc.Arbitrary<LeavingPackage> =>
      fc
        .record({ age: fc.integer({ min: 0, max: 3 }), requires: fc.subarray(names) })
        .map(({ age, requires }) => leaving(name, age, ...requires));
    fc.assert(
      fc.property(fc.tuple(...names.map(one)), (packages) => {
        const nodes = names.map((name) => ({ name, dependsOn: leavingDependents(name, packages) }));
        expect(orderGraph(nodes).kind).toBe('ordered');
      }),
    );
  });
});
