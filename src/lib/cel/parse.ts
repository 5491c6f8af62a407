import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js';
import type { Library } from './library.ts';
import { lower } from './lower.ts';
import type { Node } from './nodes.ts';
import { problem, readSource, type SyntaxProblem } from './source.ts';

const SYNTAX = new Environment({
  unlistedVariablesAreDyn: true,
  enableOptionalTypes: true,
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 3000, maxListElements: 1000, maxMapEntries: 1000 },
});

/** The tree of an expression, or what is wrong with its text. */
export function parseCel(expression: string, library: Library): Node | SyntaxProblem {
  const most = library.limits.characters;
  if (expression.length > most) {
    return problem(0, `it has ${String(expression.length)} characters; at most ${String(most)} are read`);
  }
  const source = readSource(expression);
  if ('kind' in source) return source;
  const ast = parseText(source.text);
  return 'kind' in ast ? ast : lower(ast, source, library);
}

function parseText(text: string): ASTNode | SyntaxProblem {
  try {
    return SYNTAX.parse(text).ast;
  } catch (error) {
    if (error instanceof ParseError) return problem(error.range?.start ?? 0, error.summary);
    throw error;
  }
}
