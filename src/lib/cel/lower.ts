import type { ASTNode, ASTOperator } from '@marcbachmann/cel-js';
import { isNamespaced, type Library } from './library.ts';
import type { Constant, Macro, MapEntry, Node, Span } from './nodes.ts';
import { problem, type Source, type SyntaxProblem } from './source.ts';
import { bytes, type CelValue, INT_MAX, INT_MIN, typeName, uint } from './values.ts';

type Ast<Op extends ASTOperator> = Extract<ASTNode, { readonly op: Op }>;

interface Place {
  readonly library: Library;
  readonly source: Source;
  /** Marks of optional entries that were found at the key of a map. */
  readonly keysFound: Set<number>;
  /** How deep below the root, as Flux's parser counts. */
  readonly depth: number;
  /** How many macros are around it that repeat it. */
  readonly loops: number;
}

/** A problem ends the reading of a tree from wherever in it it is found. */
class Refusal extends Error {
  readonly problem: SyntaxProblem;

  constructor(found: SyntaxProblem) {
    super(found.message);
    this.problem = found;
  }
}

const MOST_DEPTH = 150;
/** What `?:` counts beyond its own level. */
const CONDITIONAL_DEPTH = 5;

/** Turns the parser's tree into ours: macros expanded, what the rewriting had hidden put back. */
export function lower(ast: ASTNode, source: Source, library: Library): Node | SyntaxProblem {
  try {
    const keysFound = new Set<number>();
    const node = lowerNode(ast, { library, source, keysFound, depth: 0, loops: 0 });
    const stray = [...source.optionalKeys].find((key) => !keysFound.has(key));
    return stray === undefined ? node : problem(stray, 'an optional entry is understood only as {?key: value}');
  } catch (error) {
    if (error instanceof Refusal) return error.problem;
    throw error;
  }
}

function refuse(at: number, message: string): never {
  throw new Refusal(problem(at, message));
}

function lowerNode(ast: ASTNode, place: Place): Node {
  if (place.depth > MOST_DEPTH) refuse(ast.start, 'it is nested too deeply');
  const below = { ...place, depth: place.depth + 1 };
  switch (ast.op) {
    case 'value':
      return constantOf(ast);
    case 'id':
      return lowerName(ast, place.source);
    case '.':
    case '.?':
      return lowerSelect(ast, below);
    case '[]':
    case '[?]':
      return lowerIndex(ast, below);
    case 'call':
      return lowerCall(ast, below);
    case 'rcall':
      return lowerMethod(ast, below);
    case 'list':
    case 'map':
    case '?:':
      return lowerStructure(ast, below);
    case '&&':
    case '||':
      return lowerLogic(ast, below);
    case '!_':
    case '-_':
      return lowerUnary(ast, below);
    case '-':
    case '!=':
    case '*':
    case '/':
    case '%':
    case '+':
    case '<':
    case '<=':
    case '==':
    case '>':
    case '>=':
    case 'in':
      return callOf(ast, { name: ast.op, method: false, args: ast.args.map((arg) => lowerNode(arg, below)) }, below);
  }
}

function lowerStructure(ast: Ast<'list' | 'map' | '?:'>, place: Place): Node {
  const span = spanOf(ast);
  if (ast.op === 'list') return { ...span, op: 'list', items: ast.args.map((item) => lowerNode(item, place)) };
  if (ast.op === 'map') return { ...span, op: 'map', entries: ast.args.map((entry) => lowerEntry(entry, place)) };
  const inside = { ...place, depth: place.depth + CONDITIONAL_DEPTH };
  const [condition, consequent, alternate] = ast.args;
  return {
    ...span,
    op: '?:',
    condition: lowerNode(condition, inside),
    consequent: lowerNode(consequent, inside),
    alternate: lowerNode(alternate, inside),
  };
}

function lowerLogic(ast: Ast<'&&' | '||'>, place: Place): Node {
  return { ...spanOf(ast), op: ast.op, terms: termsOf(ast.op, ast).map((term) => lowerNode(term, place)) };
}

function spanOf({ start, end }: Span): Span {
  return { start, end };
}

interface CallParts {
  readonly name: string;
  readonly method: boolean;
  readonly args: readonly Node[];
}

/** Its name stands after the first argument where it is an operator between two or a method, else in front. */
function callOf(ast: Span, parts: CallParts, { source }: Place): Node {
  const [first, ...others] = parts.args;
  const isBetween = others.length > 0 && (parts.name === 'in' || !/^\w/.test(parts.name));
  const isInside = first !== undefined && (parts.method || isBetween);
  const at = isInside ? source.text.indexOf(parts.name, first.end) : ast.start;
  return { ...spanOf(ast), op: 'call', at: Math.max(at, ast.start), ...parts };
}

/** A chain of one operator is one node, however long it is. */
function termsOf(op: '&&' | '||', ast: ASTNode): readonly ASTNode[] {
  const terms: ASTNode[] = [];
  let rest = ast;
  while (rest.op === op) {
    const [left, right]: readonly [ASTNode, ASTNode] = rest.args;
    terms.unshift(right);
    rest = left;
  }
  return [rest, ...terms];
}

/** The minus of a literal belongs to it. */
function lowerUnary(ast: Ast<'!_' | '-_'>, place: Place): Node {
  const operand = ast.args;
  if (ast.op === '-_' && operand.op === 'value') {
    const { args: literal } = operand;
    if (literal === -INT_MIN) return { ...spanOf(ast), op: 'constant', value: INT_MIN };
    const { value } = constantOf(operand);
    if (typeof value === 'bigint' || typeof value === 'number')
      return { ...spanOf(ast), op: 'constant', value: -value };
  }
  return callOf(ast, { name: ast.op, method: false, args: [lowerNode(operand, place)] }, place);
}

function constantOf(ast: Ast<'value'>): Constant {
  return { ...spanOf(ast), op: 'constant', value: literalOf(ast) };
}

function literalOf({ args: literal, start }: Ast<'value'>): CelValue {
  if (typeof literal === 'bigint') {
    return literal > INT_MAX ? refuse(start, 'the number is too big for an int') : literal;
  }
  if (typeof literal === 'number') {
    return Number.isFinite(literal) ? literal : refuse(start, 'the number is too big for a double');
  }
  if (literal instanceof Uint8Array) return bytes(literal);
  return typeof literal === 'object' && literal !== null ? uint(literal.value) : literal;
}

function lowerName(ast: Ast<'id'>, source: Source): Node {
  return { ...spanOf(ast), op: 'identifier', name: ast.args, rooted: source.rootedNames.has(ast.start) };
}

function lowerSelect(ast: Ast<'.' | '.?'>, place: Place): Node {
  const path = place.source.text.slice(ast.start, ast.end);
  if (place.library.typePaths.has(path)) return { ...spanOf(ast), op: 'constant', value: typeName(path) };
  const [operand, name] = ast.args;
  const field = place.source.quotedNames.get(ast.pos) ?? name;
  const mode = ast.op === '.?' ? 'optional' : 'value';
  return { ...spanOf(ast), op: 'select', mode, operand: lowerNode(operand, place), field };
}

function lowerIndex(ast: Ast<'[]' | '[?]'>, place: Place): Node {
  const [operand, index] = ast.args;
  const mode = ast.op === '[?]' ? 'optional' : 'value';
  return { ...spanOf(ast), op: 'index', mode, operand: lowerNode(operand, place), index: lowerNode(index, place) };
}

function lowerEntry([key, value]: readonly [ASTNode, ASTNode], place: Place): MapEntry {
  const optional = place.source.optionalKeys.has(key.start);
  if (optional) place.keysFound.add(key.start);
  return { key: lowerNode(key, place), value: lowerNode(value, place), optional };
}

function lowerCall(ast: Ast<'call'>, place: Place): Node {
  const [name, args] = ast.args;
  const [first] = args;
  if (name === 'has' && first !== undefined && args.length === 1) return lowerHas(ast, first, place);
  if (args.length === 0) refuse(ast.start, `there is no function ${name}() without arguments`);
  return callOf(ast, { name, method: false, args: args.map((arg) => lowerNode(arg, place)) }, place);
}

function lowerHas(ast: Span, argument: ASTNode, place: Place): Node {
  if (argument.op !== '.') refuse(argument.start, 'has() wants a field, such as has(status.phase)');
  const select = lowerSelect(argument, place);
  if (select.op !== 'select') refuse(argument.start, 'has() wants a field, such as has(status.phase)');
  return { ...select, ...spanOf(ast), mode: 'has' };
}

function lowerMethod(ast: Ast<'rcall'>, place: Place): Node {
  const [name, receiver, args] = ast.args;
  const namespaced = receiver.op === 'id' ? `${receiver.args}.${name}` : '';
  if (isNamespaced(namespaced, place.library)) {
    return callOf(ast, { name: namespaced, method: false, args: args.map((arg) => lowerNode(arg, place)) }, place);
  }
  const macro = macroOf(ast, place);
  if (macro !== undefined) return macro;
  const lowered = [receiver, ...args].map((arg) => lowerNode(arg, place));
  return callOf(ast, { name, method: true, args: lowered }, place);
}

function macroOf(ast: Ast<'rcall'>, place: Place): Node | undefined {
  const [name, operand, args] = ast.args;
  const signature = `${name}/${String(args.length)}`;
  const macro = macroNamed(signature, place);
  if (macro === undefined) return undefined;
  const count = TWO_VARIABLES.has(signature) ? 2 : 1;
  const [variable = '', second] = args.slice(0, count).map((arg) => nameIn(arg, name));
  const [first, body = first] = args.slice(count);
  if (body === undefined) return undefined;
  const names = second === undefined ? { variable } : { variable, second };
  const filtered = first === undefined || first === body ? { body } : { body, filter: first };
  return macro({ ast, operand, ...names, ...filtered, place });
}

function macroNamed(signature: string, { library }: Place): ((call: MacroCall) => Node) | undefined {
  return MACROS.get(signature) ?? (library.isKubernetes ? KUBERNETES_MACROS.get(signature) : undefined);
}

function nameIn(variable: ASTNode, macro: string): string {
  return variable.op === 'id'
    ? variable.args
    : refuse(variable.start, `the first argument of ${macro}() must be a simple name`);
}

interface MacroCall {
  readonly ast: Span;
  readonly operand: ASTNode;
  readonly variable: string;
  readonly second?: string;
  readonly body: ASTNode;
  /** Only of a `map` with three arguments, and the like. */
  readonly filter?: ASTNode;
  readonly place: Place;
}

const MACROS: ReadonlyMap<string, (call: MacroCall) => Node> = new Map([
  ['all/2', repeating('all')],
  ['exists/2', repeating('exists')],
  ['exists_one/2', repeating('exists_one')],
  ['map/2', repeating('map')],
  ['map/3', repeating('map')],
  ['filter/2', repeating('filter')],
  ['optMap/2', mapping(false)],
  ['optFlatMap/2', mapping(true)],
]);

const KUBERNETES_MACROS: typeof MACROS = new Map([
  ['existsOne/2', repeating('exists_one')],
  ['sortBy/2', repeating('sortBy')],
  ['all/3', repeating('all')],
  ['exists/3', repeating('exists')],
  ['exists_one/3', repeating('exists_one')],
  ['existsOne/3', repeating('exists_one')],
  ['transformList/3', repeating('map')],
  ['transformList/4', repeating('map')],
  ['transformMap/3', repeating('transformMap')],
  ['transformMap/4', repeating('transformMap')],
  ['transformMapEntry/3', repeating('transformMapEntry')],
  ['transformMapEntry/4', repeating('transformMapEntry')],
]);

/** Those whose first two arguments are names. */
const TWO_VARIABLES = new Set([...KUBERNETES_MACROS.keys()].filter((signature) => !signature.endsWith('/2')));

function repeating(macro: Macro): (call: MacroCall) => Node {
  return ({ ast, operand, variable, second, body, filter, place }) => {
    const inside = { ...place, loops: place.loops + 1 };
    const most = place.library.limits.loops;
    if (inside.loops > most) {
      refuse(
        ast.start,
        `more than ${String(most)} of all, exists, exists_one, map and filter, one inside the other, cost too much`,
      );
    }
    const range = lowerNode(operand, place);
    const step = lowerNode(body, inside);
    const names = second === undefined ? { variable } : { variable, second };
    const repeated = { ...spanOf(ast), op: 'comprehension', macro, range, ...names, step } as const;
    return filter === undefined ? repeated : { ...repeated, filter: lowerNode(filter, inside) };
  };
}

function mapping(flat: boolean): (call: MacroCall) => Node {
  return ({ ast, operand, variable, body, place }) => ({
    ...spanOf(ast),
    op: 'optional-map',
    flat,
    operand: lowerNode(operand, place),
    variable,
    body: lowerNode(body, place),
  });
}
