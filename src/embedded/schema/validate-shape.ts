import { isRecord } from '../../lib/json.ts';
import type { Schema } from '../model/schema.ts';
import { correlateItems } from './correlate.ts';
import { hasFormat, isCheckedFormat } from './formats.ts';
import { matchesPattern } from './patterns.ts';
import { sameJson } from '../model/same-json.ts';
import {
  FINE,
  general,
  longerThan,
  merged,
  missing,
  moreThan,
  notAllowed,
  problem,
  type ShapeResult,
  unfit,
  unfitType,
} from './shape-result.ts';
import { validateNumber } from './validate-number.ts';

export interface Shaped {
  readonly value: unknown;
  /** What was there before; mistakes of what has not changed are forgiven. Absent: a new value, or nothing to compare. */
  readonly old?: unknown;
  readonly path: string;
}

/** Types, required fields, limits, patterns and formats, in the order and words of kube-openapi's validation. */
export function validateShape(shaped: Shaped, schema: Schema): ShapeResult {
  if (shaped.old !== undefined && shaped.value === shaped.old) return FINE;
  const result = validateNew(shaped, schema);
  const isForgiven = result.causes.length > 0 && shaped.old !== undefined && sameJson(shaped.value, shaped.old);
  return isForgiven ? FINE : result;
}

function validateNew(shaped: Shaped, schema: Schema): ShapeResult {
  const { value, path } = shaped;
  const common = validateEnum(shaped, schema);
  if (value === null) return merged([validateNull(path, schema), common]);
  return merged([
    validateType(value, path, schema),
    validateCombinations(shaped, schema),
    ...(typeof value === 'string' ? [validateText(value, path, schema), validateFormat(value, path, schema)] : []),
    ...(typeof value === 'number' ? [validateNumber(value, path, schema)] : []),
    ...(Array.isArray(value) ? [validateList(value, shaped, schema)] : []),
    common,
    ...(isRecord(value) ? [validateMap(value, shaped, schema)] : []),
    FINE,
  ]);
}

function typesOf({ type, intOrString }: Schema): readonly string[] {
  if (intOrString === true) return ['integer', 'string'];
  return type === undefined ? [] : [type];
}

function validateNull(path: string, schema: Schema): ShapeResult {
  const types = typesOf(schema);
  if (types.length === 0 || schema.nullable === true) return FINE;
  return problem(unfitType(path, types.join(','), 'null'));
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

function validateType(value: unknown, path: string, schema: Schema): ShapeResult {
  const types = typesOf(schema);
  if (types.length === 0) return FINE;
  const found = typeOf(value);
  if (found === 'integer' && types.includes('number')) return FINE;
  return types.includes(found) ? FINE : judgeWrongType(found, path, schema);
}

function judgeWrongType(found: string, path: string, schema: Schema): ShapeResult {
  const types = typesOf(schema);
  const format = formatOf(schema);
  if (format === undefined) return problem(unfitType(path, types.join(','), found));
  // Of a wrong type where there is a format, the format is told; but texts are judged by it alone.
  if (found !== 'string' && found !== 'array') return problem(unfitType(path, format, NUMBER_FORMATS[found] ?? ''));
  const isNumeric = types.includes('number') || types.includes('integer');
  return isNumeric ? problem(unfitType(path, types.join(','), found)) : FINE;
}

const NUMBER_FORMATS: Readonly<Record<string, string>> = { integer: 'int64', number: 'double' };

function formatOf({ type, format }: Schema): string | undefined {
  if (format === undefined) return undefined;
  if (type === 'integer') return ['int32', 'int64'].includes(format) ? format : undefined;
  if (type === 'number') return ['float', 'double'].includes(format) ? format : undefined;
  return isCheckedFormat(format) ? format : undefined;
}

function validateText(text: string, path: string, { constraints = {} }: Schema): ShapeResult {
  const { maxLength, minLength, pattern } = constraints;
  const length = Array.from(text).length;
  if (maxLength !== undefined && length > maxLength) return problem(longerThan(path, maxLength));
  if (minLength !== undefined && length < minLength) {
    return problem(unfit(path, text, `should be at least ${String(minLength)} chars long`));
  }
  if (pattern !== undefined && !matchesPattern(text, pattern)) {
    return problem(unfit(path, text, `should match '${pattern}'`));
  }
  return FINE;
}

function validateFormat(text: string, path: string, schema: Schema): ShapeResult {
  const format = formatOf(schema);
  if (format === undefined || hasFormat(text, format) !== false) return FINE;
  return problem(unfitType(path, format, text));
}

function validateEnum({ value, path }: Shaped, { constraints }: Schema): ShapeResult {
  const allowed = constraints?.enum;
  if (allowed === undefined || allowed.length === 0) return FINE;
  const fits = allowed.some((one) => sameJson(one, value));
  return fits ? FINE : problem(notAllowed(path, value, allowed));
}

function validateList(list: readonly unknown[], shaped: Shaped, schema: Schema): ShapeResult {
  const { path } = shaped;
  const { items, constraints = {} } = schema;
  const oldItems = correlateItems(list, shaped.old, schema);
  const results = list.map((value, index) => {
    if (items === undefined) return FINE;
    return validateShape({ value, old: oldItems[index], path: `${path}[${String(index)}]` }, items);
  });
  const { minItems, maxItems } = constraints;
  if (minItems !== undefined && list.length < minItems) {
    results.push(problem(unfit(path, list.length, `should have at least ${String(minItems)} items`)));
  }
  if (maxItems !== undefined && list.length > maxItems) results.push(problem(moreThan(path, list.length, maxItems)));
  return merged([...results, FINE]);
}

function validateMap(map: Readonly<Record<string, unknown>>, shaped: Shaped, schema: Schema): ShapeResult {
  const { path } = shaped;
  const old = isRecord(shaped.old) ? shaped.old : {};
  const child = (key: string): string => (path === '' ? key : `${path}.${key}`);
  const others = Object.entries(map).flatMap(([key, value]) => {
    const other = schema.properties?.has(key) === true ? undefined : schema.additionalProperties;
    return other === undefined ? [] : [validateShape({ value, old: old[key], path: child(key) }, other)];
  });
  const own = Array.from(schema.properties ?? [])
    .filter(([name]) => Object.hasOwn(map, name))
    .map(([name, property]) => validateShape({ value: map[name], old: old[name], path: child(name) }, property));
  const absent = (schema.required ?? []).filter((name) => !Object.hasOwn(map, name));
  return merged([
    validateSize(map, path, schema),
    ...others,
    ...own,
    problem(...absent.map((name) => missing(child(name)))),
  ]);
}

function validateSize(map: Readonly<Record<string, unknown>>, path: string, { constraints = {} }: Schema): ShapeResult {
  const { minProperties, maxProperties } = constraints;
  const count = Object.keys(map).length;
  const results: ShapeResult[] = [];
  if (minProperties !== undefined && count < minProperties) {
    results.push(problem(unfit(path, count, `should have at least ${String(minProperties)} properties`)));
  }
  if (maxProperties !== undefined && count > maxProperties) results.push(problem(moreThan(path, count, maxProperties)));
  return merged(results);
}

function validateCombinations(shaped: Shaped, { constraints = {} }: Schema): ShapeResult {
  const { anyOf = [], oneOf = [], allOf = [], not } = constraints;
  // What is inside a combination is compared with nothing older.
  const fresh = { value: shaped.value, path: shaped.path };
  const judge = (schemas: readonly Schema[]): readonly ShapeResult[] => schemas.map((one) => validateShape(fresh, one));
  const excluded = not !== undefined && validateShape(fresh, not).causes.length === 0;
  return merged([
    ...(anyOf.length === 0 ? [] : [judgeAny(judge(anyOf), shaped.path)]),
    ...(oneOf.length === 0 ? [] : [judgeOne(judge(oneOf), shaped.path)]),
    ...(allOf.length === 0 ? [] : [judgeAll(judge(allOf), shaped.path)]),
    ...(excluded ? [problem(general(`${JSON.stringify(shaped.path)} must not validate the schema (not)`))] : []),
    FINE,
  ]);
}

function judgeAny(results: readonly ShapeResult[], path: string): ShapeResult {
  const fit = results.find(isFine);
  if (fit !== undefined) return fit;
  return merged([problem(general(`${JSON.stringify(path)} must validate at least one schema (anyOf)`)), best(results)]);
}

function judgeOne(results: readonly ShapeResult[], path: string): ShapeResult {
  const fits = results.filter(isFine);
  if (fits.length === 1 && fits[0] !== undefined) return fits[0];
  const how = fits.length === 0 ? 'Found none valid' : `Found ${String(fits.length)} valid alternatives`;
  const mistake = problem(general(`${JSON.stringify(path)} must validate one and only one schema (oneOf). ${how}`));
  return fits.length === 0 ? merged([mistake, best(results)]) : mistake;
}

function judgeAll(results: readonly ShapeResult[], path: string): ShapeResult {
  const count = results.filter(isFine).length;
  if (count === results.length) return merged(results);
  const how = count === 0 ? '. None validated' : '';
  return merged([...results, problem(general(`${JSON.stringify(path)} must validate all the schemas (allOf)${how}`))]);
}

function isFine({ causes }: ShapeResult): boolean {
  return causes.length === 0;
}

/** The first of those that had the most in order. */
function best(results: readonly ShapeResult[]): ShapeResult {
  const most = Math.max(...results.map(({ matches }) => matches));
  return results.find(({ matches }) => matches === most) ?? FINE;
}
