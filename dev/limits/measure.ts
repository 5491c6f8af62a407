import ts from 'typescript';

export interface Measure {
  readonly name: string;
  readonly place: string;
  readonly lines: number;
}

/** Every function of a file that has a body, with its length from first to last line. */
export function measureFunctions(path: string, text: string): readonly Measure[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const found: Measure[] = [];
  const visit = (node: ts.Node): void => {
    if (isFunctionWithBody(node)) found.push(measure(node, file));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function isFunctionWithBody(node: ts.Node): boolean {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
}

function measure(node: ts.Node, file: ts.SourceFile): Measure {
  const first = file.getLineAndCharacterOfPosition(node.getStart(file)).line;
  const last = file.getLineAndCharacterOfPosition(node.getEnd()).line;
  return { name: nameOf(node), place: `${file.fileName}:${String(first + 1)}`, lines: last - first + 1 };
}

function nameOf(node: ts.Node): string {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  if ('name' in node && isName(node.name)) return node.name.getText();
  const { parent } = node;
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : '(anonymous)';
}

function isName(value: unknown): value is ts.Node {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

export function longest(measures: readonly Measure[], count: number): readonly Measure[] {
  return [...measures].sort((a, b) => b.lines - a.lines || a.place.localeCompare(b.place)).slice(0, count);
}

/** The length that so many per cent of all do not exceed. */
export function percentile(measures: readonly Measure[], percent: number): number {
  const lengths = measures.map(({ lines }) => lines).sort((a, b) => a - b);
  return lengths[Math.max(0, Math.ceil((lengths.length * percent) / 100) - 1)] ?? 0;
}
