import { describe, expect, it } from 'vitest';
import {
  closingEdges,
  describeDeadlock,
  findDeadlock,
  type RequirementEdge,
  type RequirementGraph,
} from './requirement-cycles.ts';

/** `a b`: a requires b; `a b|c`: either; `a ?b`: optional; `a =b`: met already. */
function graphOf(...lines: readonly string[]): RequirementGraph {
  const graph = new Map<string, RequirementEdge[]>();
  for (const line of lines) {
    const [from = '', ...targets] = line.split(' ');
    graph.set(from, targets.map(edgeOf));
  }
  return graph;
}

function edgeOf(text: string): RequirementEdge {
  const requires = text.replace(/^[?=]/, '');
  return { requires, to: requires.split('|'), optional: text.startsWith('?'), blocks: !text.startsWith('=') };
}

const closing = (graph: RequirementGraph): readonly string[] => {
  const ignored = closingEdges(graph);
  return [...graph].flatMap(([from, edges]) =>
    edges.filter((edge) => ignored.has(edge)).map((edge) => `${from} ${edge.requires}`),
  );
};
const chain = (graph: RequirementGraph, from: string): string | undefined =>
  findDeadlock(graph, from, closingEdges(graph))?.chain.join(' ');

describe('P4 an optional requirement that would close a circle is ignored', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['of a package that requires the other', ['a ?b', 'b a'], ['a b']],
    ['over three packages', ['a b', 'b c', 'c ?a'], ['c a']],
    ['whether the others wait or not', ['a ?b', 'b =a'], ['a b']],
    ['of itself', ['a ?a'], ['a a']],
    ['through one of several that have a capability', ['a ?b', 'b c|a'], ['a b']],
    ['only one of two that are optional, by name', ['b ?a', 'a ?b'], ['b a']],
    ['only the later of two in one package', ['a ?b ?c', 'b c', 'c ?a'], ['c a']],
  ])('%s', (_say, lines, ignored) => {
    expect(closing(graphOf(...lines))).toEqual(ignored);
  });

  it('and no other one is', () => {
    expect(closing(graphOf('a ?b ?c', 'b ?c', 'c'))).toEqual([]);
    expect(closing(graphOf('a b', 'b a'))).toEqual([]);
  });

  it('is the same for whoever asks, as far as each of them sees', () => {
    expect([graphOf('b ?a', 'a ?b'), graphOf('a ?b', 'b ?a')].map(closing)).toEqual([['b a'], ['b a']]);
  });
});

describe('packages that wait for each other for ever', () => {
  it.each<[string, readonly string[], string, string | undefined]>([
    ['two, from the first', ['a b', 'b a'], 'a', 'a b a'],
    ['two, from the second', ['a b', 'b a'], 'b', 'b a b'],
    ['three', ['a b', 'b c', 'c a'], 'b', 'b c a b'],
    ['one that requires itself', ['a a'], 'a', 'a a'],
    ['others that it waits for', ['a b', 'b c', 'c b'], 'a', 'b c b'],
    ['through a capability that only one has', ['a b', 'b a|a'], 'a', 'a b a'],
    ['through a capability that all in the circle have', ['a b|c', 'b a', 'c a'], 'a', 'a b a'],
    ['not when the capability may come from another', ['a b', 'b a|c', 'c'], 'a', undefined],
    ['not when one of them is met', ['a b', 'b =a'], 'a', undefined],
    ['not when the optional one is ignored', ['a b', 'b ?a'], 'a', undefined],
    ['not when the other is absent', ['a b'], 'a', undefined],
    ['not when nothing is required of anybody here', ['a'], 'a', undefined],
    ['not in a chain', ['a b', 'b c', 'c'], 'a', undefined],
    ['not when a circle elsewhere is none of its business', ['a', 'b c', 'c b'], 'a', undefined],
  ])('%s', (_say, lines, from, expected) => {
    expect(chain(graphOf(...lines), from)).toBe(expected);
  });

  it('that a capability can come from outside is no circle', () => {
    const edge: RequirementEdge = { requires: 'storage', to: [], optional: false, blocks: true };
    expect(findDeadlock(new Map([['a', [edge]]]), 'a', new Set())).toBeUndefined();
  });

  it('are named with the way out', () => {
    const text = describeDeadlock({ chain: ['a', 'b', 'a'], requires: 'storage' });
    expect(text).toContain('a → b → a');
    expect(text).toContain('list storage in spec.ignoreDependencies of Package a');
  });

  it('are found in a chain of a thousand', () => {
    const lines = Array.from({ length: 1000 }, (_none, index) => `p${String(index)} p${String((index + 1) % 1000)}`);
    expect(findDeadlock(graphOf(...lines), 'p0', new Set())?.chain).toHaveLength(1001);
  });
});
