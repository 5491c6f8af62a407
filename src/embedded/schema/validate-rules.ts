import { evaluateWith, type Outcome, type Program } from '../../lib/cel/cel.ts';
import { isRecord } from '../../lib/json.ts';
import { memoize } from '../../lib/memoize.ts';
import { sameJson } from '../model/same-json.ts';
import { duplicate, forbidden, invalid, invalidValue, required } from '../model/causes.ts';
import type { Schema, ValidationRule } from '../model/schema.ts';
import type { StatusCause } from '../model/status-error.ts';
import { celValueOf } from './cel-values.ts';
import { OLD_VALUE } from './compile-rule.ts';
import { correlateItems } from './correlate.ts';
import { childField, keyField } from './field-path.ts';

export interface Ruled {
  readonly value: unknown;
  /** What the rules know as `oldSelf`; undefined when there is nothing to compare with. */
  readonly old: unknown;
  readonly path: string;
  /** It, or what it is in, has not changed: its mistakes are forgiven, but for rules about the change. */
  readonly unchanged: boolean;
}

/** `x-kubernetes-validations`, from the outside to the inside, worded as the API server does. */
export function validateRules(ruled: Ruled, schema: Schema): readonly StatusCause[] {
  const { value } = ruled;
  if (value === null || value === undefined || !hasRules(schema)) return [];
  const own = (schema.validations ?? []).flatMap((rule) => judge(rule, ruled, schema));
  const all = (schema.constraints?.allOf ?? []).flatMap((one) => validateRules(ruled, one));
  if (Array.isArray(value)) return [...own, ...all, ...validateItems(value, ruled, schema)];
  return isRecord(value) ? [...own, ...all, ...validateFields(value, ruled, schema)] : [...own, ...all];
}

/** Custom kinds contain no circles. */
export const hasRules: (schema: Schema) => boolean = memoize((schema: Schema) => {
  if (schema.validations !== undefined) return true;
  const { properties, items, additionalProperties, constraints } = schema;
  const inner = [...(properties?.values() ?? []), items, additionalProperties, ...(constraints?.allOf ?? [])];
  return inner.some((one) => one !== undefined && hasRules(one));
});

function validateItems(list: readonly unknown[], ruled: Ruled, schema: Schema): readonly StatusCause[] {
  const { items } = schema;
  if (items === undefined) return [];
  const before = correlateItems(list, ruled.old, schema);
  return list.flatMap((value, index) => {
    return validateRules(inside(ruled, { value, old: before[index], path: `${ruled.path}[${String(index)}]` }), items);
  });
}

function validateFields(map: Readonly<Record<string, unknown>>, ruled: Ruled, schema: Schema): readonly StatusCause[] {
  const before = isRecord(ruled.old) ? ruled.old : {};
  return Object.entries(map).flatMap(([key, value]) => {
    const property = schema.properties?.get(key);
    const inner = property ?? schema.additionalProperties;
    if (inner === undefined) return [];
    const path = property === undefined ? keyField(ruled.path, key) : childField(ruled.path, key);
    return validateRules(inside(ruled, { value, old: before[key], path }), inner);
  });
}

function inside(outer: Ruled, { value, old, path }: Pick<Ruled, 'value' | 'old' | 'path'>): Ruled {
  const unchanged = outer.unchanged || (old !== undefined && sameJson(value, old));
  return { value, old, path, unchanged };
}

function judge(rule: ValidationRule, ruled: Ruled, schema: Schema): readonly StatusCause[] {
  const program = programOf(rule, ruled);
  if (program === undefined) return [];
  const outcome = run(program, ruled, schema);
  if (outcome.kind !== 'value') return failure(outcome, { rule, ruled, schema });
  const isForgiven = ruled.unchanged && rule.compiled?.usesOldSelf !== true;
  return outcome.value === true || isForgiven ? [] : [violation(rule, ruled, schema)];
}

/** What to run, if anything: rules about a change have nothing to say of what is new. */
function programOf({ compiled, optionalOldSelf }: ValidationRule, { old }: Ruled): Program | undefined {
  const isNew = old === undefined || old === null;
  if (optionalOldSelf === true && isNew) return compiled?.withoutOldSelf;
  return isNew && compiled?.usesOldSelf === true ? undefined : compiled?.program;
}

function run(program: Program, { value, old }: Ruled, schema: Schema): Outcome {
  return evaluateWith(program, (name) => {
    if (name === 'self') return celValueOf(value, schema);
    const isOld = (name === 'oldSelf' || name === OLD_VALUE) && old !== undefined && old !== null;
    return isOld ? celValueOf(old, schema) : undefined;
  });
}

/** A rule that cannot be evaluated on these values. */
function failure(
  outcome: Exclude<Outcome, { readonly kind: 'value' }>,
  { rule, ruled, schema }: { readonly rule: ValidationRule; readonly ruled: Ruled; readonly schema: Schema },
): readonly StatusCause[] {
  const why =
    outcome.kind === 'missing'
      ? `no such key: ${outcome.path.replace(/^.*[.[]/, '').replace(/]$/, '')}`
      : outcome.message.replace(/^(no such overload): .*/s, '$1');
  const about = (rule.message ?? rule.rule).trim();
  return [invalidValue(fieldOf(ruled.path), schema.type ?? '', `${why} evaluating rule: ${about}`)];
}

function violation(rule: ValidationRule, ruled: Ruled, schema: Schema): StatusCause {
  const { value, path } = ruled;
  const inner = (rule.fieldPath ?? '').replace(/^\./, '');
  const field = fieldOf(inner === '' ? path : childField(path, inner));
  const detail = messageOf(rule, ruled, schema);
  if (rule.reason === 'FieldValueForbidden') return forbidden(field, detail);
  if (rule.reason === 'FieldValueRequired') return required(field, detail);
  if (rule.reason === 'FieldValueDuplicate') return duplicate(field, value);
  return typeof value === 'object' ? invalid(field, detail) : invalidValue(field, value, detail);
}

function messageOf(rule: ValidationRule, ruled: Ruled, schema: Schema): string {
  const program = rule.compiled?.message;
  const outcome = program === undefined ? undefined : run(program, ruled, schema);
  const text = outcome?.kind === 'value' && typeof outcome.value === 'string' ? outcome.value.trim() : '';
  if (text !== '' && !text.includes('\n')) return text;
  return rule.message === undefined ? `failed rule: ${rule.rule.trim()}` : rule.message.trim();
}

function fieldOf(path: string): string {
  return path === '' ? '<nil>' : path;
}
