import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { nodesOf, parse, productFiles } from './source-tree.ts';

const MOST_METHODS = 6;

function interfaces(): readonly ts.InterfaceDeclaration[] {
  const files = productFiles().filter((path) => path.startsWith('src/ports/'));
  return files.flatMap((path) => nodesOf(parse(path)).filter(ts.isInterfaceDeclaration));
}

function isMethod(member: ts.TypeElement): boolean {
  return (
    ts.isMethodSignature(member) || (ts.isPropertySignature(member) && member.type?.kind === ts.SyntaxKind.FunctionType)
  );
}

function isTypeOnly(statement: ts.Statement): boolean {
  if (ts.isImportDeclaration(statement)) return statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  if (ts.isExportDeclaration(statement)) return statement.isTypeOnly;
  return ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
}

/** Interfaces that somebody implements, by name, with how many methods that takes. */
const ports = interfaces()
  .map((each) => ({ name: each.name.text, methods: each.members.filter(isMethod).length }))
  .filter(({ methods }) => methods > 0);

describe('ports', () => {
  it('the known ones are seen', () => {
    expect(ports.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['ArtifactSource', 'Backend', 'Clock', 'Cluster', 'CommandRunner', 'Log', 'Recorder']),
    );
  });

  it.each(ports)('$name is small enough to be faked: $methods methods', ({ methods }) => {
    expect(methods).toBeLessThanOrEqual(MOST_METHODS);
  });

  it('hold interfaces and types, no code', () => {
    const files = productFiles().filter((path) => path.startsWith('src/ports/'));
    const code = files.flatMap((path) => parse(path).statements.filter((statement) => !isTypeOnly(statement)));
    expect(code.map((statement) => statement.getText())).toEqual([]);
  });
});
