import type { Package } from '../../api/package.ts';
import { readValues } from '../../engine/values.ts';
import { at, isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import type { Cluster } from '../host.ts';
import { isSaid, maskValues } from './mask.ts';
import type { Member } from './package-scope.ts';
import type { Troubles } from './troubles.ts';

/** The values of one component at one revision. */
export interface ComponentValues {
  readonly component: string;
  readonly values: JsonObject;
  readonly leaves: readonly ValueLeaf[];
  /** All that the Package wants by now. */
  readonly wanted: JsonObject;
  /** What of that the revision did not record: it is still to come, or has failed. */
  readonly pending: readonly ValueLeaf[];
}

export type ValueOrigin = 'Package' | 'since changed' | 'platform' | 'kubepkg' | 'not in force';

export interface ValueLeaf {
  /** Keys joined by dots, those that have one themselves in quotes. */
  readonly path: string;
  readonly value: JsonValue;
  readonly from: ValueOrigin;
}

export interface ValuesQuery {
  readonly package: Package;
  readonly members: readonly Member[];
  readonly showSecrets: boolean;
}

/** What the revision recorded, chart defaults left out; those that may not be read are noted and left out. */
export async function recordedValues(
  { cluster, troubles }: { readonly cluster: Cluster; readonly troubles: Troubles },
  query: ValuesQuery,
): Promise<readonly ComponentValues[]> {
  const read = query.members.map(async (member) => {
    const { name } = member.component;
    const values = await troubles.attempt(`the values of component ${name}`, () =>
      readValues(cluster, member.component),
    );
    return values === undefined ? [] : [componentValues(query, member, values)];
  });
  return (await Promise.all(read)).flat();
}

function componentValues(query: ValuesQuery, { component, part }: Member, values: JsonObject): ComponentValues {
  const { name } = component;
  const said = saidBy(query.package, name);
  const wanted = isJsonObject(said) ? said : {};
  const view = (of: JsonObject, words: JsonValue | undefined): JsonObject =>
    query.showSecrets ? of : maskValues(of, words);
  const own = part === 'hooks' ? ownWords(values) : {};
  const shown = view(values, withOwn(wanted, own));
  const leaves = leavesOf({ values, shown, said }, '').map((leaf) => claimed(leaf, own));
  const wish = view(wanted, wanted);
  return { component: name, values: shown, leaves, wanted: wish, pending: pendingOf({ wanted, wish, values }) };
}

const OWN = 'kubepkg';

/** What kubepkg tells every hook (P14): versions, which anybody may read. */
function ownWords(values: JsonObject): JsonObject {
  const told = ['fromVersion', 'toVersion'].map((key) => [key, at(values, OWN, key)] as const);
  return Object.fromEntries(told.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value] as const] : [])));
}

function withOwn(said: JsonObject, own: JsonObject): JsonObject {
  if (Object.keys(own).length === 0) return said;
  const other = said[OWN];
  return { ...said, [OWN]: { ...(isJsonObject(other) ? other : {}), ...own } };
}

function claimed(leaf: ValueLeaf, own: JsonObject): ValueLeaf {
  return Object.keys(own).some((key) => leaf.path === `${OWN}.${key}`) ? { ...leaf, from: 'kubepkg' } : leaf;
}

interface Wish {
  readonly wanted: JsonObject;
  /** The same as it is shown. */
  readonly wish: JsonObject;
  readonly values: JsonObject;
}

function pendingOf({ wanted, wish, values }: Wish): readonly ValueLeaf[] {
  return leavesOf({ values: wanted, shown: wish, said: values }, '').flatMap((leaf) =>
    leaf.from === 'Package' ? [] : [{ ...leaf, from: 'not in force' as const }],
  );
}

/** What the Package says of a component now. */
function saidBy({ spec }: Package, component: string): JsonValue | undefined {
  // The API server keeps values as the JSON they came as.
  return at(spec.components, component, 'values') as JsonValue | undefined;
}

interface Branch {
  readonly values: JsonValue;
  readonly shown: JsonValue;
  readonly said: JsonValue | undefined;
}

function leavesOf({ values, shown, said }: Branch, path: string): readonly ValueLeaf[] {
  const isInner = isJsonObject(values) && Object.keys(values).length > 0;
  if (!isInner) return path === '' ? [] : [{ path, value: shown, from: originOf(values, said) }];
  return Object.keys(values).flatMap((key) => {
    const below = {
      values: values[key] ?? null,
      shown: isJsonObject(shown) ? (shown[key] ?? null) : shown,
      said: isJsonObject(said) ? said[key] : undefined,
    };
    return leavesOf(below, joinPath(path, key));
  });
}

export function joinPath(path: string, key: string): string {
  const part = /^[^.\s[\]"]+$/.test(key) ? key : JSON.stringify(key);
  return path === '' ? part : `${path}.${part}`;
}

function originOf(value: JsonValue, said: JsonValue | undefined): ValueOrigin {
  if (said === undefined) return 'platform';
  return isSaid(value, said) ? 'Package' : 'since changed';
}
