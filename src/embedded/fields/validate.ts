import { isRecord } from '../../lib/json.ts';
import { memoizeLatest } from '../../lib/memoize.ts';
import type { JsonMap } from '../model/object.ts';
import { elementText, fieldElement, type PathElement, printElement } from './path-element.ts';
import type { ListShape, MapShape, Scalar, Type } from './type.ts';
import { formsFor, handleForm, itemElement } from './walk.ts';

export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** What a value may be besides. */
export interface Leniency {
  /** Items of one name may be there several times. */
  readonly repeated: boolean;
}

const STRICT: Leniency = { repeated: false };
/** For objects that are there. */
export const LENIENT: Leniency = { repeated: true };

/** What in a value does not suit its type. */
export function problemsOf(type: Type, value: unknown, leniency: Leniency = STRICT): readonly Problem[] {
  return handleForm<readonly Problem[]>(formsFor(type, value), {
    scalar: (scalar) => scalarProblems(scalar, value),
    list: (list) => listProblems(list, value, leniency),
    map: (map) => mapProblems(map, value, leniency),
  });
}

/** Whether an object that is there suits its type; items in it may be repeated. */
export function isSound(type: Type, object: JsonMap): boolean {
  const { map } = formsFor(type, object);
  if (map === undefined) return problemsOf(type, object, LENIENT).length === 0;
  return Object.entries(object).every(([name, value]) => {
    const field = map.declared(name) ?? map.other;
    if (field === undefined) return false;
    return isRecord(value) ? isSoundPart(value, field) : problemsOf(field, value, LENIENT).length === 0;
  });
}

/** Most of an object stays as it is from one write to the next. */
const isSoundPart = memoizeLatest((part: JsonMap, type: Type) => problemsOf(type, part, LENIENT).length === 0);

/** One problem on a line of its own, several below a heading. */
export function problemsText(problems: readonly Problem[]): string {
  const lines = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return lines.length === 1 ? lines.join('') : ['errors:', ...lines.map((line) => `  ${line}`)].join('\n');
}

const SCALARS: Readonly<
  Record<Scalar, { readonly types: readonly string[]; readonly message: (value: unknown) => string }>
> = {
  numeric: { types: ['number'], message: (value) => `expected numeric (int or float), got ${goType(value)}` },
  string: { types: ['string'], message: (value) => `expected string, got ${goSyntax(value)}` },
  boolean: { types: ['boolean'], message: (value) => `expected boolean, got ${goValue(value)}` },
  untyped: {
    types: ['number', 'string', 'boolean'],
    message: (value) => `expected any scalar, got ${goValue(value)}`,
  },
};

function scalarProblems(scalar: Scalar, value: unknown): readonly Problem[] {
  const { types, message } = SCALARS[scalar];
  return value === null || types.includes(typeof value) ? [] : [{ path: '', message: message(value) }];
}

function listProblems(list: ListShape, value: unknown, leniency: Leniency): readonly Problem[] {
  if (value === null) return [];
  if (!Array.isArray(value)) return [{ path: '', message: `expected list, got ${goValue(value)}` }];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    const named = list.atomic ? { element: { kind: 'index', index } as const } : itemElement(list, item);
    if (!('element' in named)) {
      problems.push({ path: '', message: `element ${String(index)}: ${named.problem}` });
      return problems;
    }
    const key = printElement(named.element);
    if (seen.has(key) && !leniency.repeated) {
      problems.push({ path: '', message: `duplicate entries for key ${elementText(named.element)}` });
    }
    seen.add(key);
    problems.push(...prefixed(named.element, problemsOf(list.item, item, leniency)));
  }
  return problems;
}

function mapProblems(map: MapShape, value: unknown, leniency: Leniency): readonly Problem[] {
  if (value === null) return [];
  if (!isRecord(value)) return [{ path: '', message: `expected map, got ${goValue(value)}` }];
  const problems: Problem[] = [];
  for (const [name, item] of Object.entries(value)) {
    const type = map.declared(name) ?? map.other;
    const element = fieldElement(name);
    if (type === undefined)
      return [...problems, { path: elementText(element), message: 'field not declared in schema' }];
    problems.push(...prefixed(element, problemsOf(type, item, leniency)));
  }
  return problems;
}

function prefixed(element: PathElement, problems: readonly Problem[]): readonly Problem[] {
  return problems.map(({ path, message }) => ({ path: `${elementText(element)}${path}`, message }));
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isRecord(value)) return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** A value as the API server's `%v` shows it. */
function goValue(value: unknown): string {
  return `&{${plainValue(value)}}`;
}

function plainValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(plainValue).join(' ')}]`;
  if (typeof value === 'string') return value;
  if (!isRecord(value)) return value === null ? '<nil>' : JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([name, item]) => `${name}:${plainValue(item)}`).join(' ')}]`;
}

function goSyntax(value: unknown): string {
  return `&value.valueUnstructured{Value:${syntaxOf(value)}}`;
}

function syntaxOf(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(syntaxOf).join(', ')}}`;
  if (!isRecord(value)) return value === null ? 'interface {}(nil)' : JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[string]interface {}{${entries.map(([name, item]) => `${JSON.stringify(name)}:${syntaxOf(item)}`).join(', ')}}`;
}
