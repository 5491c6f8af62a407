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
}

export type ValueOrigin = 'Package' | 'since changed' | 'platform';

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
  const read = query.members.map(async ({ component }) => {
    const { name } = component;
    const values = await troubles.attempt(`the values of component ${name}`, () => readValues(cluster, component));
    if (values === undefined) return [];
    const said = saidBy(query.package, name);
    const shown = query.showSecrets ? values : maskValues(values, said);
    return [{ component: name, values: shown, leaves: leavesOf({ values, shown, said }, '') }];
  });
  return (await Promise.all(read)).flat();
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
