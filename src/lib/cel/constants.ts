import { run } from './evaluate.ts';
import { createMeter, isFault } from './faults.ts';
import { checkPattern } from './functions/texts.ts';
import { type Library, overloadsNamed } from './library.ts';
import { type Call, childrenOf, type Node } from './nodes.ts';
import { problem, type SyntaxProblem } from './source.ts';

const CONVERSIONS = new Set(['bool', 'bytes', 'double', 'duration', 'int', 'string', 'timestamp', 'uint']);

/** Those whose second argument is a pattern. */
const PATTERN_FUNCTIONS = new Set(['matches', 'find', 'findAll']);

/** More than any pattern that was written by hand needs. */
const PATTERN_BUDGET = 20_000;

/** What can be seen to fail whatever the object is: a conversion or a pattern that is constant and cannot work. */
export function checkConstants(node: Node, library: Library): SyntaxProblem | undefined {
  for (const child of childrenOf(node)) {
    const found = checkConstants(child, library);
    if (found !== undefined) return found;
  }
  return node.op === 'call' ? checkCall(node, library) : undefined;
}

function checkCall(node: Call, library: Library): SyntaxProblem | undefined {
  const overloads = overloadsNamed(node.name, library);
  if (overloads.length > 0 && !overloads.some(({ params }) => params.length === node.args.length)) {
    return problem(node.at, `${node.name}() does not take ${String(node.args.length)} arguments`);
  }
  if (PATTERN_FUNCTIONS.has(node.name)) return checkMatches(node);
  return CONVERSIONS.has(node.name) && !node.method ? checkConversion(node, library) : undefined;
}

function checkMatches({ args }: Call): SyntaxProblem | undefined {
  const [, pattern] = args;
  if (pattern?.op !== 'constant' || typeof pattern.value !== 'string') return undefined;
  const result = checkPattern(pattern.value, createMeter(PATTERN_BUDGET));
  return isFault(result) ? problem(pattern.start, result.message) : undefined;
}

function checkConversion(node: Call, library: Library): SyntaxProblem | undefined {
  if (!node.args.every((arg) => arg.op === 'constant')) return undefined;
  const meter = createMeter(PATTERN_BUDGET);
  const result = run(node, {
    library,
    expression: '',
    variable: () => undefined,
    meter,
    locals: new Map(),
  });
  return isFault(result) ? problem(node.start, result.message) : undefined;
}
