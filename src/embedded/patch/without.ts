import { isRecord } from '../../lib/json.ts';
import { PATCH } from './directives.ts';

/** A value that is set anew, without what was meant for merging; undefined where it was nothing else. */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isRecord(value)) return value;
  if (Object.hasOwn(value, PATCH)) return undefined;
  const kept = Object.entries(value).map(([key, item]) => [key, withoutDirectives(item)] as const);
  return Object.fromEntries(kept.filter(([, item]) => item !== undefined));
}

/** What is set anew has no fields that are null; items of lists may be. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutNulls(item)]));
}
