import { isOlder } from './conflicts.ts';

/** A package that is being removed. */
export interface LeavingPackage {
  readonly name: string;
  readonly createdAt: string | undefined;
  /** Packages that it requires. */
  readonly requires: readonly string[];
}

/**
 * P20: those that have to be gone before this one is taken away. Where packages that leave require each other in a
 * circle, the older one goes first, so that no two wait for each other.
 */
export function leavingDependents(name: string, leaving: readonly LeavingPackage[]): readonly string[] {
  const byName = new Map(leaving.map((each) => [each.name, each]));
  const own = byName.get(name);
  if (own === undefined) return [];
  const required = reachable(byName, own);
  return leaving
    .filter((other) => other.name !== name && other.requires.includes(name))
    .filter((other) => !required.has(other.name) || isOlder(other, own))
    .map((other) => other.name)
    .sort();
}

function reachable(byName: ReadonlyMap<string, LeavingPackage>, from: LeavingPackage): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [...from.requires];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    open.push(...(byName.get(name)?.requires ?? []));
  }
  return seen;
}
