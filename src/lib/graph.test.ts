import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GraphNode, orderGraph } from './graph.ts';

/** `graph('a', 'b: a')`: b depends on a. */
function graph(...nodes: readonly string[]): readonly GraphNode[] {
  return nodes.map((node) => {
    const [name = '', dependencies = ''] = node.split(':');
    return { name, dependsOn: dependencies.split(' ').filter((dependency) => dependency !== '') };
  });
}

describe('P1 order', () => {
  it.each([
    ['nothing', graph(), []],
    ['independent nodes stay in order of declaration', graph('b', 'a', 'c'), ['b', 'a', 'c']],
    ['a dependency that is declared later comes first', graph('a: b', 'b'), ['b', 'a']],
    ['a chain declared backwards', graph('a: b', 'b: c', 'c'), ['c', 'b', 'a']],
    ['a diamond', graph('top: left right', 'right: base', 'left: base', 'base'), ['base', 'right', 'left', 'top']],
    ['a node that became free earlier in the list goes next', graph('a: c', 'b', 'c', 'd'), ['b', 'c', 'a', 'd']],
  ])('%s', (_name, nodes, order) => {
    expect(orderGraph(nodes)).toEqual({ kind: 'ordered', order });
  });
});

describe('P2 what has no order', () => {
  it.each([
    ['a node that depends on itself', graph('a: a'), ['a', 'a']],
    ['two nodes that wait for one another', graph('a: b', 'b: a'), ['a', 'b', 'a']],
    ['a longer cycle behind a node that only leads to it', graph('x: a', 'a: b', 'b: c', 'c: a'), ['a', 'b', 'c', 'a']],
    ['a cycle beside nodes that can be ordered', graph('ok', 'a: ok b', 'b: a'), ['a', 'b', 'a']],
  ])('%s: the chain is named', (_name, nodes, chain) => {
    expect(orderGraph(nodes)).toEqual({ kind: 'cycle', chain });
  });

  it('a dependency that does not exist is named with the node that wants it', () => {
    expect(orderGraph(graph('a', 'b: a c'))).toEqual({ kind: 'unknown', node: 'b', dependency: 'c' });
  });
});

/** Graphs in which an edge may lead anywhere, so that some have cycles. */
const graphs = fc
  .integer({ min: 1, max: 12 })
  .chain((size) =>
    fc.array(fc.uniqueArray(fc.nat({ max: size - 1 }), { maxLength: 3 }), { minLength: size, maxLength: size }),
  )
  .map((edges) => edges.map((targets, index) => ({ name: String(index), dependsOn: targets.map(String) })));

it('P1 every node comes once and after all that it depends on, or a real cycle is named', () => {
  fc.assert(
    fc.property(graphs, (nodes) => {
      const ordering = orderGraph(nodes);
      const edges = new Map(nodes.map(({ name, dependsOn }) => [name, dependsOn]));
      if (ordering.kind === 'cycle') {
        const steps = ordering.chain.slice(1).map((to, index) => edges.get(ordering.chain[index] ?? '')?.includes(to));
        expect(steps.every((step) => step === true)).toBe(true);
        expect(ordering.chain.at(0)).toBe(ordering.chain.at(-1));
        return;
      }
      expect(ordering.kind).toBe('ordered');
      const order = ordering.kind === 'ordered' ? ordering.order : [];
      expect([...order].sort()).toEqual(nodes.map(({ name }) => name).sort());
      for (const { name, dependsOn } of nodes) {
        for (const dependency of dependsOn) expect(order.indexOf(dependency)).toBeLessThan(order.indexOf(name));
      }
    }),
  );
});

it('P1 a thousand nodes in a chain are ordered', () => {
  const chain = Array.from({ length: 1000 }, (_each, index) => ({
    name: String(index),
    dependsOn: index === 999 ? [] : [String(index + 1)],
  }));
  const ordering = orderGraph(chain);
  expect(ordering.kind === 'ordered' && ordering.order.slice(0, 2)).toEqual(['999', '998']);
});
