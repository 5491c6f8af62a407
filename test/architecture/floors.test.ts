import { describe, expect, it } from 'vitest';
import { judgeImport, judgePackage, roomOf } from '../../dev/lint/floors.mjs';
import { type SourceFile, isRelative, productFiles, readImports, resolveImport } from './source-tree.ts';

const files = productFiles().map(readImports);

function relativeImports({ path, imports }: SourceFile): readonly string[] {
  return imports.filter(isRelative).map((specifier) => resolveImport(path, specifier));
}

/** A chain of imports that comes back to where it began. */
function findCycle(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (path: string, chain: readonly string[]): readonly string[] | undefined => {
    if (chain.includes(path)) return [...chain.slice(chain.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const next of graph.get(path) ?? []) {
      const cycle = visit(next, [...chain, path]);
      if (cycle !== undefined) return cycle;
    }
    done.add(path);
    return undefined;
  };
  for (const path of graph.keys()) {
    const cycle = visit(path, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

describe('the floors of src', () => {
  it('there is a product to look at', () => {
    expect(files.length).toBeGreaterThan(20);
    expect(files.flatMap(relativeImports).length).toBeGreaterThan(files.length);
  });

  it('every file stands on a floor', () => {
    expect(files.map(({ path }) => path).filter((path) => roomOf(path) === undefined)).toEqual([]);
  });

  it('imports point down, and siblings are blind to one another', () => {
    const wrong = files.flatMap((file) => relativeImports(file).map((target) => judgeImport(file.path, target)));
    expect(wrong.filter((why) => why !== undefined)).toEqual([]);
  });

  it('each floor uses only the packages and Node modules it is meant to', () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports.filter((specifier) => !isRelative(specifier)).map((specifier) => judgePackage(path, specifier)),
    );
    expect(wrong.filter((why) => why !== undefined)).toEqual([]);
  });

  it('no chain of imports comes back to where it began', () => {
    expect(findCycle(new Map(files.map((file) => [file.path, relativeImports(file)])))).toBeUndefined();
  });

  it('a cycle would be found', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', []],
      ['d', ['b']],
    ]);
    expect(findCycle(graph)).toEqual(['b', 'd', 'b']);
  });
});
