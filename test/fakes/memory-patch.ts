import { KubepkgError } from '../../src/api/errors.ts';
import { at, isRecord } from '../../src/lib/json.ts';
import { stableJson } from '../../src/lib/stable-json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** RFC 7386: null removes, maps merge, anything else is replaced. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    const next = value === null ? undefined : mergePatch(merged[key], value);
    if (next === undefined) Reflect.deleteProperty(merged, key);
    else merged[key] = next;
  }
  return merged;
}

/** As much of RFC 6902 as maps need. */
export function jsonPatch(target: unknown, patch: unknown): unknown {
  return (Array.isArray(patch) ? patch : []).reduce((value: unknown, operation: unknown) => {
    const path = String(at(operation, 'path')).slice(1).split('/').map(unescapePointer);
    const op = at(operation, 'op');
    if (op === 'test') return checked(value, path, at(operation, 'value'));
    return withField(value, path, op === 'remove' ? undefined : at(operation, 'value'));
  }, target);
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

function checked(value: unknown, path: readonly string[], wanted: unknown): unknown {
  if (stableJson({ is: at(value, ...path) }) === stableJson({ is: wanted })) return value;
  throw new KubepkgError('ApiInvalid', `the test of /${path.join('/')} does not hold`);
}

function withField(value: unknown, path: readonly string[], field: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return field;
  const copy: Record<string, unknown> = isRecord(value) ? { ...value } : {};
  const next = withField(copy[key], rest, field);
  if (next === undefined) Reflect.deleteProperty(copy, key);
  else copy[key] = next;
  return copy;
}

/** Server-side apply by one manager: sets what is configured, drops what that manager no longer configures. */
export function applyConfig(
  live: unknown,
  config: Fields,
  { former, force }: { readonly former: Fields; readonly force: boolean },
): unknown {
  if (!force) refuseConflict(live, config, former);
  return overlay(without(live, former), config);
}

function refuseConflict(live: unknown, config: unknown, former: unknown): void {
  if (!isRecord(config) || !isRecord(live)) return;
  for (const [key, value] of Object.entries(config)) {
    const [is, was] = [live[key], at(former, key)];
    if (isRecord(value)) refuseConflict(is, value, was);
    else if (is !== undefined && was === undefined && is !== value)
      throw new KubepkgError('ApiConflict', `.${key} belongs to another manager`);
  }
}

function without(value: unknown, former: unknown): unknown {
  if (!isRecord(value) || !isRecord(former)) return value;
  const kept = Object.entries(value).flatMap(([key, item]) => {
    if (!(key in former)) return [[key, item] as const];
    return isRecord(item) && isRecord(former[key]) ? [[key, without(item, former[key])] as const] : [];
  });
  return Object.fromEntries(kept);
}

function overlay(base: unknown, over: unknown): unknown {
  if (!isRecord(base) || !isRecord(over)) return over;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) merged[key] = key in base ? overlay(base[key], value) : value;
  return merged;
}
