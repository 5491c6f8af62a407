import { type Fault, fault, isFault, type Meter, missing, OUT_OF_BUDGET, type Result } from './faults.ts';
import { sortByKeys } from './kubernetes/lists.ts';
import { type Library, overloadsNamed, TYPE_CONSTANTS } from './library.ts';
import type { Call, Comprehension, Conditional, Identifier, Index, Logic, MapLiteral, Node } from './nodes.ts';
import type { OptionalMap, Select } from './nodes.ts';
import { type CelList, type CelValue, listOf, mapOf, NONE, some, typeNameOf } from './values.ts';

/** What an expression is evaluated in. */
export interface Surroundings {
  readonly library: Library;
  /** The text of the expression, for the paths of fields. */
  readonly expression: string;
  readonly variable: (name: string) => CelValue | undefined;
  readonly meter: Meter;
  /** Variables of the macros around. */
  readonly locals: ReadonlyMap<string, CelValue>;
}

export function run(node: Node, around: Surroundings): Result {
  around.meter.spend(1);
  if (around.meter.isEmpty()) return OUT_OF_BUDGET;
  switch (node.op) {
    case 'constant':
      return node.value;
    case 'identifier':
      return runName(node, around);
    case 'select':
      return runSelect(node, around);
    case 'index':
      return runIndex(node, around);
    case 'call':
      return runCall(node, around);
    case 'comprehension':
      return runMacro(node, around);
    case 'optional-map':
      return runOptionalMap(node, around);
    case 'list':
    case 'map':
    case '&&':
    case '||':
    case '?:':
      return runStructure(node, around);
  }
}

function runStructure(node: Extract<Node, { op: 'list' | 'map' | '&&' | '||' | '?:' }>, around: Surroundings): Result {
  switch (node.op) {
    case 'list': {
      const items = runAll(node.items, around);
      return 'kind' in items ? items : listOf(items);
    }
    case 'map':
      return runMap(node, around);
    case '&&':
    case '||':
      return runLogic(node, around);
    case '?:':
      return runConditional(node, around);
  }
}

/** All values, or the first fault. */
function runAll(nodes: readonly Node[], around: Surroundings): readonly CelValue[] | Fault {
  const values: CelValue[] = [];
  for (const node of nodes) {
    const result = run(node, around);
    if (isFault(result)) return result;
    values.push(result);
  }
  return values;
}

function noOverload(name: string, values: readonly CelValue[]): Fault {
  return fault(`no such overload: ${name}(${values.map(typeNameOf).join(', ')})`);
}

function runName({ name, rooted }: Identifier, around: Surroundings): Result {
  const local = rooted ? undefined : around.locals.get(name);
  return local === undefined ? rootOf(name, around) : local;
}

function rootOf(name: string, around: Surroundings): Result {
  const value = around.variable(name);
  return value === undefined ? (TYPE_CONSTANTS.get(name) ?? missing(name)) : value;
}

function runSelect(node: Select, around: Surroundings): Result {
  const operand = run(node.operand, around);
  if (isFault(operand)) return operand;
  const value = lookUp(operand, node.field);
  if (node.mode === 'has') return isFault(value) ? value : value !== undefined;
  return found(value, { node, around, operand });
}

function runIndex(node: Index, around: Surroundings): Result {
  const operand = run(node.operand, around);
  if (isFault(operand)) return operand;
  const index = run(node.index, around);
  if (isFault(index)) return index;
  return found(lookUp(operand, index), { node, around, operand });
}

interface Lookup {
  readonly node: Select | Index;
  readonly around: Surroundings;
  readonly operand: CelValue;
}

function found(value: Result | undefined, { node, around, operand }: Lookup): Result {
  if (isFault(value)) return value;
  if (node.mode === 'optional' || isOptional(operand)) return value === undefined ? NONE : some(value);
  if (value !== undefined) return value;
  const path = around.expression.slice(node.start, node.end);
  return typeNameOf(operand) === 'list' ? fault(`index out of bounds: ${path}`) : missing(path);
}

function isOptional(value: CelValue): value is Extract<CelValue, { kind: 'optional' }> {
  return typeof value === 'object' && value !== null && value.kind === 'optional';
}

/** Undefined: not there. What is no map and no list has no fields, and what is not there has none either. */
function lookUp(operand: CelValue, key: CelValue): Result | undefined {
  if (operand === null || typeof operand !== 'object') return undefined;
  if (operand.kind === 'optional') return operand.value === undefined ? undefined : lookUp(operand.value, key);
  if (operand.kind === 'map') return operand.get(key);
  return operand.kind === 'list' ? lookUpIndex(operand, key) : undefined;
}

function lookUpIndex(items: CelList, key: CelValue): Result | undefined {
  const number = typeof key === 'object' && key !== null && key.kind === 'uint' ? key.value : key;
  if (typeof number !== 'bigint' && !Number.isInteger(number)) return noOverload('[]', [items, key]);
  const index = Number(number);
  return index >= 0 && index < items.length ? items.at(index) : undefined;
}

function runCall(node: Call, around: Surroundings): Result {
  const args = runAll(node.args, around);
  if ('kind' in args) return args;
  around.meter.spend(args.reduce((sum: number, arg) => sum + bulkOf(arg), 0));
  if (around.meter.isEmpty()) return OUT_OF_BUDGET;
  const overload = overloadsNamed(node.name, around.library).find(
    ({ params }) => params.length === args.length && params.every((param, index) => param.is(args[index] ?? null)),
  );
  if (overload === undefined) return noOverload(node.name, args);
  const result = overload.run(args, around.meter);
  return around.meter.isEmpty() ? OUT_OF_BUDGET : result;
}

/** What handling a value costs beyond looking at it. */
function bulkOf(value: CelValue): number {
  if (typeof value === 'string') return value.length / 32;
  if (typeof value !== 'object' || value === null) return 0;
  if (value.kind === 'map') return value.size / 4;
  return value.kind === 'list' ? value.length / 4 : 0;
}

function runMap(node: MapLiteral, around: Surroundings): Result {
  const entries: (readonly [CelValue, CelValue])[] = [];
  for (const entry of node.entries) {
    const pair = runAll([entry.key, entry.value], around);
    if ('kind' in pair) return pair;
    const [key = null, value = null] = pair;
    if (!entry.optional) entries.push([key, value]);
    else if (!isOptional(value)) return fault('the value of an optional entry must be an optional');
    else if (value.value !== undefined) entries.push([key, value.value]);
  }
  return mapOf(entries) ?? NO_KEY;
}

/** One term that decides makes good any fault of the others, before or after it. */
function runLogic({ op, terms }: Logic, around: Surroundings): Result {
  const decisive = op === '||';
  let trouble: Result = !decisive;
  for (const term of terms) {
    const result = run(term, around);
    if (result === decisive || result === OUT_OF_BUDGET) return result;
    if (trouble === !decisive && result !== !decisive) trouble = isFault(result) ? result : noOverload(op, [result]);
  }
  return trouble;
}

function runConditional({ condition, consequent, alternate }: Conditional, around: Surroundings): Result {
  const result = run(condition, around);
  if (isFault(result)) return result;
  if (typeof result !== 'boolean') return noOverload('?:', [result]);
  return run(result ? consequent : alternate, around);
}

function runOptionalMap(node: OptionalMap, around: Surroundings): Result {
  const operand = run(node.operand, around);
  if (isFault(operand)) return operand;
  if (!isOptional(operand)) return noOverload('optMap', [operand]);
  if (operand.value === undefined) return NONE;
  const body = run(node.body, withLocal(around, node.variable, operand.value));
  return isFault(body) || node.flat ? body : some(body);
}

function withLocal(around: Surroundings, name: string, value: CelValue): Surroundings {
  return { ...around, locals: new Map([...around.locals, [name, value]]) };
}

function runMacro(node: Comprehension, around: Surroundings): Result {
  const range = run(node.range, around);
  if (isFault(range)) return range;
  const items = iterate(range, node, around.meter);
  if (items === undefined) return fault(`${typeNameOf(range)} cannot be gone through by ${node.macro}()`);
  return MACROS[node.macro]({ node, items, range, around });
}

interface Loop {
  readonly node: Comprehension;
  readonly range: CelValue;
  /** The items of a list, the keys of a map; with two variables, the indices of a list. */
  readonly items: CelList;
  readonly around: Surroundings;
}

/** What one round of a macro is evaluated in. */
function inRound({ node, range, around }: Loop, item: CelValue): Surroundings {
  const inside = withLocal(around, node.variable, item);
  const value = node.second === undefined ? undefined : lookUp(range, item);
  return node.second === undefined || value === undefined || isFault(value)
    ? inside
    : withLocal(inside, node.second, value);
}

/** What a macro goes through, one by one: what is never reached costs nothing. */
function iterate(range: CelValue, { second }: Comprehension, meter: Meter): CelList | undefined {
  if (typeof range !== 'object' || range === null) return undefined;
  if (range.kind === 'list') return second === undefined ? range : { ...range, at: (index) => BigInt(index) };
  if (range.kind !== 'map') return undefined;
  const keys = range.keys();
  meter.spend(keys.length / 4);
  return listOf(keys);
}

function* each(items: CelList): Generator<CelValue> {
  for (let index = 0; index < items.length; index += 1) yield items.at(index);
}

type MacroRun = (loop: Loop) => Result;

const MACROS: Readonly<Record<Comprehension['macro'], MacroRun>> = {
  all: quantify('&&'),
  exists: quantify('||'),
  exists_one: runExistsOne,
  filter: runFilter,
  map: runMapMacro,
  sortBy: runSortBy,
  transformMap: runTransformMap,
  transformMapEntry: runTransformEntries,
};

/** As a chain of the operator over all items. */
function quantify(op: '&&' | '||'): MacroRun {
  const decisive = op === '||';
  return (loop) => {
    let trouble: Result = !decisive;
    for (const item of each(loop.items)) {
      const result = run(loop.node.step, inRound(loop, item));
      if (result === decisive || result === OUT_OF_BUDGET) return result;
      if (trouble === !decisive && result !== !decisive) trouble = isFault(result) ? result : noOverload(op, [result]);
    }
    return trouble;
  };
}

function runExistsOne(loop: Loop): Result {
  const held = select(loop);
  return 'kind' in held ? held : held.length === 1;
}

function runFilter(loop: Loop): Result {
  const held = select(loop);
  return 'kind' in held ? held : listOf(held);
}

type Entry = readonly [item: CelValue, value: CelValue];

/** Every item that is wanted, with the value of the step; or the first fault. */
function transform(loop: Loop): readonly Entry[] | Fault {
  const { filter, step } = loop.node;
  const entries: Entry[] = [];
  for (const item of each(loop.items)) {
    const inside = inRound(loop, item);
    const wanted = filter === undefined ? true : run(filter, inside);
    if (typeof wanted !== 'boolean') return isFault(wanted) ? wanted : noOverload('?:', [wanted]);
    if (!wanted) continue;
    const value = run(step, inside);
    if (isFault(value)) return value;
    entries.push([item, value]);
  }
  return entries;
}

function runMapMacro(loop: Loop): Result {
  const entries = transform(loop);
  return 'kind' in entries ? entries : listOf(entries.map(([, value]) => value));
}

function runSortBy(loop: Loop): Result {
  const entries = transform(loop);
  if ('kind' in entries) return entries;
  const [items, keys] = [entries.map(([item]) => item), entries.map(([, key]) => key)];
  return sortByKeys(items, keys, loop.around.meter);
}

const NO_KEY = fault('only texts, whole numbers and bools can be keys of a map');

function runTransformMap(loop: Loop): Result {
  const entries = transform(loop);
  return 'kind' in entries ? entries : (mapOf(entries) ?? NO_KEY);
}

function runTransformEntries(loop: Loop): Result {
  const entries = transform(loop);
  if ('kind' in entries) return entries;
  const all: Entry[] = [];
  for (const [, value] of entries) {
    if (typeof value !== 'object' || value === null || value.kind !== 'map')
      return noOverload('transformMapEntry', [value]);
    all.push(...value.keys().map((key) => [key, value.get(key) ?? null] as const));
  }
  const merged = mapOf(all) ?? NO_KEY;
  const isRepeated = !isFault(merged) && merged.size < all.length;
  return isRepeated ? fault('insert failed: a key is there already') : merged;
}

/** The items for which the condition is true, or the first fault. */
function select(loop: Loop): readonly CelValue[] | Fault {
  const held: CelValue[] = [];
  for (const item of each(loop.items)) {
    const result = run(loop.node.step, inRound(loop, item));
    if (isFault(result)) return result;
    if (typeof result !== 'boolean') return fault(`no such overload: ?:(${typeNameOf(result)})`);
    if (result) held.push(item);
  }
  return held;
}
