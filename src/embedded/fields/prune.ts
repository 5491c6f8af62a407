import { difference, EMPTY_SET, type FieldSet, intersection, isEmptySet, union } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import type { Managers, Ownership } from './managers.ts';
import { mapOf } from './walk.ts';
import { withNamedFields } from './named-fields.ts';
import { removeFields } from './remove.ts';
import { type Convert, inVersion, type Typed } from './versions.ts';

export interface Pruning {
  readonly merged: Typed;
  /** With what the applier owns now. */
  readonly managers: Managers;
  /** What it applied last. */
  readonly last: Ownership | undefined;
  readonly convert: Convert | undefined;
}

/** Without the fields that the applier set last time and does not set now, unless somebody else owns them. */
export function prune(pruning: Pruning): Typed {
  const { merged, last, convert } = pruning;
  if (last === undefined || isEmptySet(last.fields)) return merged;
  const asLast = inVersion(merged, last.apiVersion, convert);
  if (asLast === undefined) return merged;
  const pruned = withoutFields(asLast, withNamedFields(last.fields, asLast.type));
  const owned = withOwned(asLast, pruned, pruning);
  const dangling = withDangling(asLast, owned, last);
  return inVersion(dangling, merged.apiVersion, convert) ?? merged;
}

function withoutFields(object: Typed, fields: FieldSet): Typed {
  return { ...object, value: mapOf(removeFields(object.type, object.value, fields)) ?? {} };
}

function withOwned(merged: Typed, pruned: Typed, { managers, convert }: Pruning): Typed {
  const owned = new Map<string, FieldSet>();
  for (const { apiVersion, fields } of managers.values()) {
    owned.set(apiVersion, union(owned.get(apiVersion) ?? EMPTY_SET, fields));
  }
  const first = merged.apiVersion;
  const order = [...owned.keys()].sort((a, b) => Number(b === first) - Number(a === first));
  return order.reduce((left, version) => ownedIn({ merged, pruned: left, version, convert }, owned), pruned);
}

interface OwnedIn {
  readonly merged: Typed;
  readonly pruned: Typed;
  readonly version: string;
  readonly convert: Convert | undefined;
}

function ownedIn({ merged, pruned, version, convert }: OwnedIn, owned: ReadonlyMap<string, FieldSet>): Typed {
  const whole = inVersion(merged, version, convert);
  const left = inVersion(pruned, version, convert);
  if (whole === undefined || left === undefined) return pruned;
  const { type } = whole;
  const there = withNamedFields(fieldsOf(type, whole.value), type);
  const kept = union(
    withNamedFields(fieldsOf(type, left.value), type),
    withNamedFields(owned.get(version) ?? EMPTY_SET, type),
  );
  return inVersion(withoutFields(whole, difference(there, kept)), merged.apiVersion, convert) ?? pruned;
}

/** What nobody owned goes only with what the applier owned. */
function withDangling(merged: Typed, pruned: Typed, last: Ownership): Typed {
  const { type } = merged;
  const there = withNamedFields(fieldsOf(type, merged.value), type);
  const kept = withNamedFields(fieldsOf(type, pruned.value), type);
  return withoutFields(merged, intersection(difference(there, kept), withNamedFields(last.fields, type)));
}
