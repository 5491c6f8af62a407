import { type Comparison, compare, without } from './compare.ts';
import { difference, type FieldSet, intersection, isEmptySet, pathsOf, union } from './field-set.ts';
import type { Managers, Ownership } from './managers.ts';
import { compareText, type Path } from './path-element.ts';
import { reconcile } from './reconcile.ts';
import { type Convert, inVersion, type Typed } from './versions.ts';

export interface Conflict {
  readonly owner: Ownership;
  readonly path: Path;
}

export interface Change {
  readonly before: Typed;
  readonly after: Typed;
  /** Fields that requests of this sort cannot set, and all below them. */
  readonly ignored: FieldSet;
  readonly convert: Convert | undefined;
}

export interface Shifted {
  readonly managers: Managers;
  readonly conflicts: readonly Conflict[];
  /** In the version of the change. */
  readonly comparison: Comparison;
}

/** Takes from all managers but one what a change touches. What others own and the change sets anew are conflicts. */
export function shiftOwnership(managers: Managers, self: string, change: Change): Shifted {
  const compared = comparer(change);
  const comparison = without(compare(change.before.type, change.before.value, change.after.value), change.ignored);
  const left = new Map<string, Ownership>();
  const conflicts: Conflict[] = [];
  for (const [key, owner] of [...managers].sort(([a], [b]) => compareText(a, b))) {
    const seen = owner.apiVersion === change.before.apiVersion ? comparison : compared(owner.apiVersion);
    if (key === self) left.set(key, owner);
    if (key === self || seen === undefined) continue;
    const lost = intersection(owner.fields, union(seen.modified, seen.added));
    conflicts.push(...pathsOf(lost).map((path) => ({ owner, path })));
    const isLeft = isEmptySet(lost) && isEmptySet(seen.removed);
    left.set(key, isLeft ? owner : { ...owner, fields: difference(difference(owner.fields, lost), seen.removed) });
  }
  return { managers: withoutEmpty(left), conflicts, comparison };
}

function comparer({ before, after, ignored, convert }: Change): (apiVersion: string) => Comparison | undefined {
  const known = new Map<string, Comparison | undefined>();
  return (apiVersion) => {
    if (!known.has(apiVersion)) known.set(apiVersion, compareIn(apiVersion));
    return known.get(apiVersion);
  };

  function compareIn(apiVersion: string): Comparison | undefined {
    const older = inVersion(before, apiVersion, convert);
    const newer = inVersion(after, apiVersion, convert);
    if (older === undefined || newer === undefined) return undefined;
    return without(compare(older.type, older.value, newer.value), ignored);
  }
}

function withoutEmpty(managers: Managers): Managers {
  return new Map([...managers].filter(([, { fields }]) => !isEmptySet(fields)));
}

/** What managers own by the schemas of today; what is owned in versions that are served no more is forgotten. */
export function reconcileAll(managers: Managers, live: Typed, convert: Convert | undefined): Managers {
  const reconciled = new Map<string, Ownership>();
  for (const [key, owner] of managers) {
    const seen = inVersion(live, owner.apiVersion, convert);
    if (seen !== undefined) reconciled.set(key, { ...owner, fields: reconcile(owner.fields, seen.type) });
  }
  return reconciled;
}
