import { type Library, overloadsNamed, TYPE_CONSTANTS } from './library.ts';
import type { Call, Comprehension, Conditional, Identifier, Index, Logic, MapLiteral, Node } from './nodes.ts';
import type { OptionalMap, Select } from './nodes.ts';
import { problem, type SyntaxProblem } from './source.ts';
import { aType, bindAll, BOOL, type CelType, describeType, DYN, INT, join, substitute, TYPE } from './types.ts';
import { type CelValue, typeNameOf } from './values.ts';

/** The types of the variables; a name that is not among them is refused. */
export type Variables = ReadonlyMap<string, CelType>;

/** What an expression may use. */
export interface Scope {
  readonly variables: Variables;
  readonly library: Library;
}

type Checked = CelType | SyntaxProblem;

/** The type of an expression, or the first place where types do not fit, as far as they are known. */
export function check(node: Node, scope: Scope): CelType | SyntaxProblem {
  switch (node.op) {
    case 'constant':
      return typeOfLiteral(node.value);
    case 'identifier':
      return checkName(node, scope);
    case 'select':
      return checkSelect(node, scope);
    case 'index':
      return checkIndex(node, scope);
    case 'call':
      return checkCall(node, scope);
    case 'comprehension':
      return checkMacro(node, scope);
    case 'optional-map':
      return checkOptionalMap(node, scope);
    case 'list':
    case 'map':
    case '&&':
    case '||':
    case '?:':
      return checkStructure(node, scope);
  }
}

function checkStructure(node: Extract<Node, { op: 'list' | 'map' | '&&' | '||' | '?:' }>, scope: Scope): Checked {
  switch (node.op) {
    case 'list': {
      const element = checkSame(node.items, scope);
      return isProblem(element) ? element : { name: 'list', element };
    }
    case 'map':
      return checkMap(node, scope);
    case '&&':
    case '||':
      return checkLogic(node, scope);
    case '?:':
      return checkConditional(node, scope);
  }
}

function isProblem(checked: Checked): checked is SyntaxProblem {
  return 'kind' in checked;
}

const LITERAL_TYPES: Readonly<Record<string, CelType>> = {
  null_type: { name: 'null' },
  bool: { name: 'bool' },
  string: { name: 'string' },
  int: { name: 'int' },
  uint: { name: 'uint' },
  double: { name: 'double' },
  bytes: { name: 'bytes' },
  type: { name: 'type' },
};

function typeOfLiteral(value: CelValue): CelType {
  return LITERAL_TYPES[typeNameOf(value)] ?? DYN.type;
}

function checkName({ name, start }: Identifier, scope: Scope): Checked {
  const type = scope.variables.get(name);
  if (type !== undefined) return type;
  return TYPE_CONSTANTS.has(name) ? TYPE.type : problem(start, `unknown name ${name}`);
}

function checkSelect(node: Select, scope: Scope): Checked {
  const operand = check(node.operand, scope);
  if (isProblem(operand)) return operand;
  const field = fieldType(operand);
  if (field === undefined) return problem(node.end - node.field.length, `${aType(operand)} has no fields`);
  if (node.mode === 'has') return BOOL.type;
  return wrapped(field, node.mode === 'optional' || operand.name === 'optional');
}

function wrapped(type: CelType, optional: boolean): CelType {
  return optional ? { name: 'optional', element: type } : type;
}

function fieldType(operand: CelType): CelType | undefined {
  if (operand.name === 'dyn') return operand;
  if (operand.name === 'optional') return fieldType(operand.element);
  return operand.name === 'map' ? operand.value : undefined;
}

function checkIndex(node: Index, scope: Scope): Checked {
  const operand = check(node.operand, scope);
  if (isProblem(operand)) return operand;
  const index = check(node.index, scope);
  if (isProblem(index)) return index;
  const item = itemType(operand, index);
  if (item === undefined) {
    return problem(node.index.start, `${aType(operand)} has no [${describeType(index)}]`);
  }
  return wrapped(item, node.mode === 'optional' || operand.name === 'optional');
}

function itemType(operand: CelType, index: CelType): CelType | undefined {
  if (operand.name === 'dyn') return operand;
  if (operand.name === 'optional') return itemType(operand.element, index);
  if (operand.name === 'list') return index.name === 'int' || index.name === 'dyn' ? operand.element : undefined;
  return operand.name === 'map' && join(operand.key, index) !== undefined ? operand.value : undefined;
}

function checkCall(node: Call, scope: Scope): Checked {
  const overloads = overloadsNamed(node.name, scope.library).filter(({ method }) => method === node.method);
  if (overloads.length === 0) return problem(node.at, `unknown function ${node.name}`);
  const types = isFormat(node) && scope.library.isKubernetes ? checkFormat(node, scope) : checkAll(node.args, scope);
  if ('kind' in types) return types;
  const results = overloads
    .filter(({ params }) => params.length === types.length)
    .flatMap(({ params, result }) => {
      const binding = bindAll(
        params.map(({ type }) => type),
        types,
      );
      return binding === undefined ? [] : [substitute(result, binding)];
    });
  const [first, ...others] = results;
  if (first === undefined) return problem(node.at, mismatchOf(node, types));
  return others.reduce((one: CelType, other) => join(one, other) ?? DYN.type, first);
}

function isFormat({ name, method }: Call): boolean {
  return name === 'format' && method;
}

/** What is formatted need not be of one type, where an API server checks it. */
function checkFormat({ args }: Call, scope: Scope): readonly CelType[] | SyntaxProblem {
  const [format, values] = args;
  if (format === undefined || values?.op !== 'list') return checkAll(args, scope);
  const types = checkAll([format, ...values.items], scope);
  return 'kind' in types ? types : [types[0] ?? DYN.type, { name: 'list', element: DYN.type }];
}

function mismatchOf({ name, method }: Call, types: readonly CelType[]): string {
  const names = types.map(describeType);
  const [receiver = '', ...rest] = names;
  if (!/^\w/.test(name) || name === 'in') return `${name.replace('_', '')} cannot be applied to ${names.join(' and ')}`;
  return `${name}() cannot be applied to ${method ? `${receiver}.(${rest.join(', ')})` : `(${names.join(', ')})`}`;
}

function checkAll(nodes: readonly Node[], scope: Scope): readonly CelType[] | SyntaxProblem {
  const types: CelType[] = [];
  for (const node of nodes) {
    const type = check(node, scope);
    if (isProblem(type)) return type;
    types.push(type);
  }
  return types;
}

/** The one type that all nodes have; `dyn` where there are none. */
function checkSame(nodes: readonly Node[], scope: Scope): Checked {
  let common: CelType | undefined;
  for (const node of nodes) {
    const type = check(node, scope);
    if (isProblem(type)) return type;
    const joined = common === undefined ? type : join(common, type);
    if (joined === undefined) {
      return problem(node.start, `${aType(type)} stands beside ${aType(common ?? type)}`);
    }
    common = joined;
  }
  return common ?? DYN.type;
}

function checkMap({ entries }: MapLiteral, scope: Scope): Checked {
  const key = checkSame(
    entries.map((entry) => entry.key),
    scope,
  );
  if (isProblem(key)) return key;
  const plain = checkSame(
    entries.filter((entry) => !entry.optional).map((entry) => entry.value),
    scope,
  );
  if (isProblem(plain)) return plain;
  const optionals = entries.filter((entry) => entry.optional).map((entry) => entry.value);
  for (const value of optionals) {
    const type = check(value, scope);
    if (isProblem(type)) return type;
    if (type.name !== 'optional' && type.name !== 'dyn') return problem(value.start, 'the value must be an optional');
  }
  return { name: 'map', key, value: optionals.length > 0 ? DYN.type : plain };
}

function checkBool(node: Node, scope: Scope): Checked {
  const type = check(node, scope);
  if (isProblem(type) || type.name === 'bool' || type.name === 'dyn') return type;
  return problem(node.start, `a bool is wanted here, and this is ${aType(type)}`);
}

function checkLogic({ terms }: Logic, scope: Scope): Checked {
  for (const term of terms) {
    const type = checkBool(term, scope);
    if (isProblem(type)) return type;
  }
  return BOOL.type;
}

function checkConditional({ condition, consequent, alternate }: Conditional, scope: Scope): Checked {
  const type = checkBool(condition, scope);
  return isProblem(type) ? type : checkSame([consequent, alternate], scope);
}

function checkMacro(node: Comprehension, scope: Scope): Checked {
  const range = check(node.range, scope);
  if (isProblem(range)) return range;
  const item = rangeItem(range);
  if (item === undefined) return problem(node.range.start, `${aType(range)} cannot be gone through`);
  const inside = insideMacro(node, range, scope);
  const filter = node.filter === undefined ? BOOL.type : checkBool(node.filter, inside);
  if (isProblem(filter)) return filter;
  const step = MACROS_OF_VALUES.has(node.macro) ? check(node.step, inside) : checkBool(node.step, inside);
  return isProblem(step) ? step : resultOfMacro(node, [item, step]);
}

/** Those whose step gives any value, and not a bool. */
const MACROS_OF_VALUES = new Set<string>(['map', 'sortBy', 'transformMap', 'transformMapEntry']);

function resultOfMacro({ macro, step }: Comprehension, [item, value]: readonly [CelType, CelType]): Checked {
  if (macro === 'map') return { name: 'list', element: value };
  if (macro === 'filter' || macro === 'sortBy') return { name: 'list', element: item };
  if (macro === 'transformMap') return { name: 'map', key: DYN.type, value };
  if (macro !== 'transformMapEntry') return BOOL.type;
  return value.name === 'map' || value.name === 'dyn'
    ? value
    : problem(step.start, `transformMapEntry() wants a map, and this is ${aType(value)}`);
}

function insideMacro(node: Comprehension, range: CelType, scope: Scope): Scope {
  if (node.second === undefined) return withVariable(scope, node.variable, rangeItem(range) ?? DYN.type);
  const [key, value] = keyAndValue(range);
  return withVariable(withVariable(scope, node.variable, key), node.second, value);
}

function keyAndValue(range: CelType): readonly [key: CelType, value: CelType] {
  if (range.name === 'map') return [range.key, range.value];
  return range.name === 'list' ? [INT.type, range.element] : [DYN.type, DYN.type];
}

function withVariable({ library, variables }: Scope, name: string, type: CelType): Scope {
  return { library, variables: new Map([...variables, [name, type] as const]) };
}

function rangeItem(range: CelType): CelType | undefined {
  if (range.name === 'dyn') return range;
  if (range.name === 'map') return range.key;
  return range.name === 'list' ? range.element : undefined;
}

function checkOptionalMap(node: OptionalMap, scope: Scope): Checked {
  const operand = check(node.operand, scope);
  if (isProblem(operand)) return operand;
  if (operand.name !== 'optional' && operand.name !== 'dyn') {
    return problem(node.operand.start, `optMap() wants an optional, and this is ${aType(operand)}`);
  }
  const item = operand.name === 'optional' ? operand.element : operand;
  const body = check(node.body, withVariable(scope, node.variable, item));
  if (isProblem(body) || !node.flat) return isProblem(body) ? body : { name: 'optional', element: body };
  if (body.name === 'optional' || body.name === 'dyn') return body;
  return problem(node.body.start, `optFlatMap() wants an optional, and this is ${aType(body)}`);
}
