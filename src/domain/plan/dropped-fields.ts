import type { KubeObject } from '../../api/kube.ts';
import { asString, at, isRecord } from '../../lib/json.ts';

/**
 * An object as it will be, without the fields that its chart had before and has no more: a trial by server-side apply
 * keeps those where another tool wrote them.
 */
export function withoutDropped(tried: KubeObject, former: KubeObject, wanted: KubeObject): KubeObject {
  return prune(tried, former, wanted) as KubeObject;
}

function prune(tried: unknown, former: unknown, wanted: unknown): unknown {
  if (Array.isArray(tried)) return pruneList(tried, former, wanted);
  if (!isRecord(tried) || !isRecord(former)) return tried;
  const kept = Object.entries(tried).flatMap(([key, value]) => {
    const isDropped = former[key] !== undefined && at(wanted, key) === undefined;
    return isDropped ? [] : [[key, prune(value, former[key], at(wanted, key))] as const];
  });
  return Object.fromEntries(kept);
}

/** Items are told apart by their names; a list of anything else is replaced as a whole by the trial. */
function pruneList(tried: readonly unknown[], former: unknown, wanted: unknown): unknown {
  const [past, next] = [byName(former), byName(wanted)];
  return tried.flatMap((item) => {
    const name = asString(at(item, 'name'));
    if (name === undefined) return [item];
    if (past.has(name) && !next.has(name)) return [];
    return [prune(item, past.get(name), next.get(name))];
  });
}

function byName(list: unknown): ReadonlyMap<string, unknown> {
  if (!Array.isArray(list)) return new Map();
  return new Map(
    list.flatMap((item: unknown) => {
      const name = asString(at(item, 'name'));
      return name === undefined ? [] : [[name, item] as const];
    }),
  );
}
