import { check, type Variables } from './check.ts';
import { checkConstants } from './constants.ts';
import { run } from './evaluate.ts';
import { createMeter, isFault } from './faults.ts';
import { READINESS, type Library } from './library.ts';
import type { Node } from './nodes.ts';
import { parseCel } from './parse.ts';
import type { SyntaxProblem } from './source.ts';
import { aType, BOOL, type CelType } from './types.ts';
import { type CelValue, fromJson } from './values.ts';

/** An expression that can be evaluated any number of times. */
export interface Program {
  readonly expression: string;
  readonly root: Node;
  readonly library: Library;
}

export interface CelOptions {
  /**
   * The variables there can be, and their types; the result must then be a bool. Left out: nothing is known before it
   * is evaluated.
   */
  readonly variables: Variables;
  /** By default that of Flux. */
  readonly library?: Library;
  /** Instead of a bool. */
  readonly result?: CelType;
  /** Whether the result may be one whose type is not known. */
  readonly mayBeUnknown?: boolean;
}

export type Compilation =
  | { readonly kind: 'compiled'; readonly program: Program }
  /** `line:column: what is wrong`. */
  | { readonly kind: 'invalid'; readonly message: string };

export type Outcome =
  | { readonly kind: 'value'; readonly value: CelValue }
  /** It asks for a field that is not there, and that decides; `path` is the field as the expression writes it. */
  | { readonly kind: 'missing'; readonly path: string }
  | { readonly kind: 'error'; readonly message: string };

/** Enough for any look at one object; less than a tenth of a second. */
const BUDGET = 100_000;

export function compileCel(expression: string, options?: CelOptions): Compilation {
  const library = options?.library ?? READINESS;
  const root = parseCel(expression, library);
  if ('kind' in root) return invalid(expression, root);
  const wrong = (options && checkTypes(root, library, options)) ?? checkConstants(root, library);
  return wrong === undefined
    ? { kind: 'compiled', program: { expression, root, library } }
    : invalid(expression, wrong);
}

function checkTypes(root: Node, library: Library, options: CelOptions): SyntaxProblem | undefined {
  const { variables, result = BOOL.type, mayBeUnknown = false } = options;
  const type = check(root, { variables, library });
  if ('kind' in type) return type;
  if (type.name === result.name || (mayBeUnknown && type.name === 'dyn')) return undefined;
  return { kind: 'problem', at: root.start, message: wrongResult(type, result) };
}

function wrongResult(type: CelType, wanted: CelType): string {
  const found = type.name === 'dyn' ? 'of no known type; compare it, such as with == true' : aType(type);
  return `the result must be ${aType(wanted)}, and this is ${found}`;
}

function invalid(expression: string, { at, message }: SyntaxProblem): Compilation {
  const before = expression.slice(0, at);
  const line = before.split('\n').length;
  const column = Array.from(before.slice(before.lastIndexOf('\n') + 1)).length + 1;
  return { kind: 'invalid', message: `${String(line)}:${String(column)}: ${message}` };
}

function variableOf(variables: Readonly<Record<string, unknown>>, name: string): CelValue | undefined {
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  return value === undefined ? undefined : fromJson(value);
}

/** Evaluates on plain JSON; whole numbers are ints. Never throws, and never takes long. */
export function evaluate(program: Program, variables: Readonly<Record<string, unknown>>): Outcome {
  return evaluateWith(program, (name) => variableOf(variables, name));
}

/** The same on values whose types are known. */
export function evaluateWith(program: Program, variable: (name: string) => CelValue | undefined): Outcome {
  const result = run(program.root, {
    library: program.library,
    expression: program.expression,
    variable,
    meter: createMeter(BUDGET),
    locals: new Map(),
  });
  if (!isFault(result)) return { kind: 'value', value: result };
  if (result.reason === 'missing') return { kind: 'missing', path: result.message };
  return { kind: 'error', message: result.message };
}
