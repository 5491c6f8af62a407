import { asArray, asString, isRecord } from '../../../lib/json.ts';
import { duplicate, invalidValue, notSupported, required } from '../../model/causes.ts';
import type { JsonMap } from '../../model/object.ts';
import type { StatusCause } from '../../model/status-error.ts';
import type { JudgeName } from '../../schema/names.ts';

export type Causes = readonly StatusCause[];

/** Validation comes after decoding, so that what is there has the right type. */
export function mapAt(value: unknown, name?: string): JsonMap {
  const inner = name === undefined ? value : isRecord(value) ? value[name] : undefined;
  return isRecord(inner) ? inner : {};
}

/** Of a scalar, or of what should be one. */
export function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

export function textOf(value: unknown): string {
  return asString(value) ?? '';
}

export function each(
  list: unknown,
  path: string,
  check: (item: JsonMap, path: string, index: number) => Causes,
): Causes {
  return asArray(list).flatMap((item, index) => check(mapAt(item), `${path}[${String(index)}]`, index));
}

/** What is absent is a matter of `need`. */
export function oneOf(value: unknown, path: string, supported: readonly string[]): Causes {
  return value === undefined || value === null || supported.includes(shown(value))
    ? []
    : [notSupported(path, value, supported)];
}

export function need(value: unknown, path: string, detail = ''): Causes {
  const isEmpty = value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
  return isEmpty ? [required(path, detail)] : [];
}

export function named(value: unknown, path: string, judge: JudgeName): Causes {
  return judge(textOf(value)).map((message) => invalidValue(path, textOf(value), message));
}

/** A name that must be there and fine. */
export function needName(value: unknown, path: string, judge: JudgeName): Causes {
  return textOf(value) === '' ? [required(path)] : named(value, path, judge);
}

export function atLeast(value: unknown, path: string, least: number): Causes {
  if (typeof value !== 'number' || value >= least) return [];
  return [invalidValue(path, value, `must be greater than or equal to ${String(least)}`)];
}

export function within(value: unknown, path: string, [least, most]: readonly [number, number]): Causes {
  if (typeof value !== 'number' || (value >= least && value <= most)) return [];
  return [invalidValue(path, value, `must be between ${String(least)} and ${String(most)}, inclusive`)];
}

export const PORTS: readonly [number, number] = [1, 65_535];

/** For the second and further ones of a kind. */
export function unique(values: readonly unknown[], pathOf: (index: number) => string): Causes {
  return values.flatMap((value, index) => {
    const isRepeated = value !== undefined && value !== '' && values.indexOf(value) < index;
    return isRepeated ? [duplicate(pathOf(index), value)] : [];
  });
}

/** Those of the names that the map has. */
export function present(map: JsonMap, names: readonly string[]): readonly string[] {
  return names.filter((name) => map[name] !== undefined && map[name] !== null);
}
