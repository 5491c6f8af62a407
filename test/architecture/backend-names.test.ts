import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { nodesOf, parse, placeOf, productFiles } from './source-tree.ts';

const BACKENDS = ['helm', 'flux', 'argocd'];
const FAMILY_NAMES = [...BACKENDS, 'argo'];

/**
 * Where a backend may be called by its name: its own folder, the place that picks, and the public contract. Helm is
 * the tool below all of them as well.
 */
const NAMED_IN = /^src\/(backends\/[^/]+|helm|compose|api)\//;

/** Where not even a part of a name may speak of one backend: what decides and what drives. */
const NAMELESS = /^src\/(domain\/(ordering|release|decide|plan|status)|ports|engine)\//;

/** Each backend may know itself, not the others. */
function mayName(path: string, backend: string): boolean {
  if (path.startsWith('src/backends/')) return path.startsWith(`src/backends/${backend}/`) || backend === 'helm';
  return NAMED_IN.test(path) && (!path.startsWith('src/helm/') || backend === 'helm');
}

/** The command line and the operator pass on what users wrote, such as the path of a program. */
const MAY_PASS_ON = /^src\/(cli|operator)\//;

/** Keys that the ecosystem agreed on, listed in api/. */
const KEY_LISTS = ['ANNOTATION', 'LABEL'];

function isKeyOfList({ parent }: ts.Node): boolean {
  return ts.isPropertyAccessExpression(parent) && KEY_LISTS.includes(parent.expression.getText());
}

function wordsOf(identifier: string): readonly string[] {
  return identifier.split(/(?=[A-Z])|[_-]/).map((word) => word.toLowerCase());
}

/** A string literal or identifier that is the name of a backend, or, where none may be known, holds one. */
function namesIn(path: string, node: ts.Node): readonly string[] {
  if (ts.isIdentifier(node)) {
    if (MAY_PASS_ON.test(path) || isKeyOfList(node)) return [];
    const words = NAMELESS.test(path) ? wordsOf(node.text) : [node.text.toLowerCase()];
    return FAMILY_NAMES.filter((name) => words.includes(name));
  }
  return ts.isStringLiteralLike(node) ? BACKENDS.filter((name) => node.text === name) : [];
}

function violations(path: string, file: ts.SourceFile): readonly string[] {
  return nodesOf(file).flatMap((node) =>
    namesIn(path, node)
      .filter((name) => !mayName(path, name))
      .map(() => `${placeOf(node)}: ${node.getText()}`),
  );
}

function violationsIn(path: string, text: string): number {
  return violations(path, ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true)).length;
}

describe('backends are known by name only where they are picked', () => {
  it.each([
    ['the engine asks for a backend by name', 'src/engine/run.ts', "if (backend.id === 'helm') go();", 1],
    ['a decision has a field for one backend', 'src/domain/decide/decide.ts', 'const fluxRetries = 1;', 1],
    ['a variable is named after a backend', 'src/adapters/oci/client.ts', 'const helm = pick();', 1],
    ['the command line defaults to a backend', 'src/cli/plan.ts', "resolve(pkg, 'helm');", 1],
    ['the command line passes on where a program is', 'src/cli/flags.ts', 'go({ helm: words.helm });', 0],
    ['an annotation of the ecosystem, by its name in api/', 'src/engine/run.ts', 'has(ANNOTATION.helmKeep);', 0],
    ['a backend speaks of another', 'src/backends/flux/backend.ts', "const other = 'argocd';", 1],
    ['a backend names itself', 'src/backends/flux/backend.ts', "const id = 'flux';", 0],
    ['compose picks', 'src/compose/backends.ts', 'const table = { helm, flux, argocd };', 0],
    ['the public contract names the default', 'src/api/package.ts', "const standard = 'helm';", 0],
    ['a label of the ecosystem', 'src/domain/readiness/job.ts', "const key = 'helm.sh/hook';", 0],
    ['a comment', 'src/engine/run.ts', '// as helm does', 0],
  ])('%s: %s', (_name, path, text, count) => {
    expect(violationsIn(path, text)).toBe(count);
  });

  it('no file breaks the rule', () => {
    expect(productFiles().flatMap((path) => violations(path, parse(path)))).toEqual([]);
  });
});
