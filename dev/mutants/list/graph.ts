import type { Mutant } from '../mutant.ts';

const file = 'src/lib/graph.ts';
const test = 'src/lib/graph.test.ts';

export const GRAPH: readonly Mutant[] = [
  {
    id: 'graph-any-dependency-is-enough',
    promise: 'P1',
    file,
    search: 'node.dependsOn.every((name) => placed.has(name))',
    replace: 'node.dependsOn.some((name) => placed.has(name))',
    killedBy: { file: test, test: 'P1 order independent nodes stay in order of declaration' },
  },
  {
    id: 'graph-last-declared-goes-first',
    promise: 'P1',
    file,
    search: 'const next = nodes.find(',
    replace: 'const next = nodes.findLast(',
    killedBy: { file: test, test: 'P1 order independent nodes stay in order of declaration' },
  },
  {
    id: 'graph-unknown-dependency-is-ignored',
    promise: 'P2',
    file,
    search: 'if (unknown !== undefined) return',
    replace: 'if (unknown === null) return',
    killedBy: { file: test, test: 'P2 what has no order a dependency that does not exist is named' },
  },
  {
    id: 'graph-cycle-includes-what-leads-to-it',
    promise: 'P2',
    file,
    search: '[...path.slice(path.indexOf(current.name)), current.name]',
    replace: '[...path, current.name]',
    killedBy: { file: test, test: 'a longer cycle behind a node that only leads to it' },
  },
];
