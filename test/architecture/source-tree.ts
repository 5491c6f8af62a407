import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import ts from 'typescript';
import { isTestFile } from '../../dev/lint/floors.mjs';

export interface SourceFile {
  /** From the project root, with forward slashes. */
  readonly path: string;
  readonly imports: readonly string[];
}

/** The files of the product, tests aside. */
export function productFiles(): readonly string[] {
  return filesUnder('src').filter((path) => path.endsWith('.ts') && !isTestFile(path));
}

export function filesUnder(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).split(sep).join('/'))
    .sort();
}

/** Every module that a file names, for values or for types alike. */
export function readImports(path: string): SourceFile {
  const { importedFiles } = ts.preProcessFile(readFileSync(path, 'utf8'), true, true);
  return { path, imports: importedFiles.map(({ fileName }) => fileName) };
}

export function isRelative(specifier: string): boolean {
  return specifier.startsWith('.');
}

export function resolveImport(from: string, specifier: string): string {
  return posix.join(posix.dirname(from), specifier);
}

export function parse(path: string): ts.SourceFile {
  return ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2023, true);
}

/** Every node of a file, in order of the text. */
export function nodesOf(root: ts.Node): readonly ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(root);
  return found;
}

export function placeOf(node: ts.Node): string {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  return `${file.fileName}:${String(line + 1)}`;
}
