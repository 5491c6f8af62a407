import { overloadsNamed, TYPE_CONSTANTS } from './library.ts';
import type { Call, Comprehension, Conditional, Identifier, Index, Logic, MapLiteral, Node } from './nodes.ts';
import type { OptionalMap, Select } from './nodes.ts';
import { problem, type SyntaxProblem } from './source.ts';
import { aType, bindAll, BOOL, type CelType, describeType, DYN, join, substitute, TYPE } from './types.ts';
import { type CelValue, typeNameOf } from './values.ts';

/** The types of the variables; a name that is not among them is refused. */
export type Variables = ReadonlyMap<string, CelType>;

type Checked = CelType | SyntaxProblem;

/** The type of an expression, or the first place where types do not fit, as far as they are known. */
export function check(node: Node, variables: Variables): CelType | SyntaxProblem {
  switch (node.op) {
    case 'constant':
      return typeOfLiteral(node.value);
    case 'identifier':
      return checkName(node, variables);
    case 'select':
      return checkSelect(node, variables);
    case 'index':
      return checkIndex(node, variables);
    case 'call':
      return checkCall(node, variables);
    case 'comprehension':
      return checkMacro(node, variables);
    case 'optional-map':
      return checkOptionalMap(node, variables);
    case 'list':
    case 'map':
    case '&&':
    case '||':
    case '?:':
      return checkStructure(node, variables);
  }
}

function checkStructure(
  node: Extract<Node, { op: 'list' | 'map' | '&&' | '||' | '?:' }>,
  variables: Variables,
): Checked {
  switch (node.op) {
    case 'list': {
      const element = checkSame(node.items, variables);
      return isProblem(element) ? element : { name: 'list', element };
    }
    case 'map':
      return checkMap(node, variables);
    case '&&':
    case '||':
      return checkLogic(node, variables);
    case '?:':
      return checkConditional(node, variables);
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

function checkName({ name, start }: Identifier, variables: Variables): Checked {
  const type = variables.get(name);
  if (type !== undefined) return type;
  return TYPE_CONSTANTS.has(name) ? TYPE.type : problem(start, `unknown name ${name}`);
}

function checkSelect(node: Select, variables: Variables): Checked {
  const operand = check(node.operand, variables);
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

function checkIndex(node: Index, variables: Variables): Checked {
  const operand = check(node.operand, variables);
  if (isProblem(operand)) return operand;
  const index = check(node.index, variables);
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

function checkCall(node: Call, variables: Variables): Checked {
  const overloads = overloadsNamed(node.name).filter(({ method }) => method === node.method);
  if (overloads.length === 0) return problem(node.at, `unknown function ${node.name}`);
  const types = checkAll(node.args, variables);
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

function mismatchOf({ name, method }: Call, types: readonly CelType[]): string {
  const names = types.map(describeType);
  const [receiver = '', ...rest] = names;
  if (!/^\w/.test(name) || name === 'in') return `${name.replace('_', '')} cannot be applied to ${names.join(' and ')}`;
  return `${name}() cannot be applied to ${method ? `${receiver}.(${rest.join(', ')})` : `(${names.join(', ')})`}`;
}

function checkAll(nodes: readonly Node[], variables: Variables): readonly CelType[] | SyntaxProblem {
  const types: CelType[] = [];
  for (const node of nodes) {
    const type = check(node, variables);
    if (isProblem(type)) return type;
    types.push(type);
  }
  return types;
}

/** The one type that all nodes have; `dyn` where there are none. */
function checkSame(nodes: readonly Node[], variables: Variables): Checked {
  let common: CelType | undefined;
  for (const node of nodes) {
    const type = check(node, variables);
    if (isProblem(type)) return type;
    const joined = common === undefined ? type : join(common, type);
    if (joined === undefined) {
      return problem(node.start, `${aType(type)} stands beside ${aType(common ?? type)}`);
    }
    common = joined;
  }
  return common ?? DYN.type;
}

function checkMap({ entries }: MapLiteral, variables: Variables): Checked {
  const key = checkSame(
    entries.map((entry) => entry.key),
    variables,
  );
  if (isProblem(key)) return key;
  const plain = checkSame(
    entries.filter((entry) => !entry.optional).map((entry) => entry.value),
    variables,
  );
  if (isProblem(plain)) return plain;
  const optionals = entries.filter((entry) => entry.optional).map((entry) => entry.value);
  for (const value of optionals) {
    const type = check(value, variables);
    if (isProblem(type)) return type;
    if (type.name !== 'optional' && type.name !== 'dyn') return problem(value.start, 'the value must be an optional');
  }
  return { name: 'map', key, value: optionals.length > 0 ? DYN.type : plain };
}

function checkBool(node: Node, variables: Variables): Checked {
  const type = check(node, variables);
  if (isProblem(type) || type.name === 'bool' || type.name === 'dyn') return type;
  return problem(node.start, `a bool is wanted here, and this is ${aType(type)}`);
}

function checkLogic({ terms }: Logic, variables: Variables): Checked {
  for (const term of terms) {
    const type = checkBool(term, variables);
    if (isProblem(type)) return type;
  }
  return BOOL.type;
}

function checkConditional({ condition, consequent, alternate }: Conditional, variables: Variables): Checked {
  const type = checkBool(condition, variables);
  return isProblem(type) ? type : checkSame([consequent, alternate], variables);
}

function checkMacro(node: Comprehension, variables: Variables): Checked {
  const range = check(node.range, variables);
  if (isProblem(range)) return range;
  const item = rangeItem(range);
  if (item === undefined) return problem(node.range.start, `${aType(range)} cannot be gone through`);
  const inside = new Map([...variables, [node.variable, item] as const]);
  const filter = node.filter === undefined ? BOOL.type : checkBool(node.filter, inside);
  if (isProblem(filter)) return filter;
  if (node.macro === 'map') {
    const element = check(node.step, inside);
    return isProblem(element) ? element : { name: 'list', element };
  }
  const step = checkBool(node.step, inside);
  if (isProblem(step)) return step;
  return node.macro === 'filter' ? { name: 'list', element: item } : BOOL.type;
}

function rangeItem(range: CelType): CelType | undefined {
  if (range.name === 'dyn') return range;
  if (range.name === 'map') return range.key;
  return range.name === 'list' ? range.element : undefined;
}

function checkOptionalMap(node: OptionalMap, variables: Variables): Checked {
  const operand = check(node.operand, variables);
  if (isProblem(operand)) return operand;
  if (operand.name !== 'optional' && operand.name !== 'dyn') {
    return problem(node.operand.start, `optMap() wants an optional, and this is ${aType(operand)}`);
  }
  const item = operand.name === 'optional' ? operand.element : operand;
  const body = check(node.body, new Map([...variables, [node.variable, item] as const]));
  if (isProblem(body) || !node.flat) return isProblem(body) ? body : { name: 'optional', element: body };
  if (body.name === 'optional' || body.name === 'dyn') return body;
  return problem(node.body.start, `optFlatMap() wants an optional, and this is ${aType(body)}`);
}
