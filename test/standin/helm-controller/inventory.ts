import type { ObjectRef } from '../../../src/api/kube.ts';
import { asString, at, type JsonObject } from '../../../src/lib/json.ts';
import type { InventoryEntry } from './status.ts';

/** `status.inventory`: the objects of the manifest and the chart's own definitions [01, 18]. */
export function inventoryOf(
  refs: readonly ObjectRef[],
  crds: readonly JsonObject[],
): { readonly entries: readonly InventoryEntry[] } {
  const definitions = crds.map((crd) => ({
    apiVersion: asString(crd['apiVersion']) ?? '',
    kind: asString(crd['kind']) ?? '',
    name: asString(at(crd, 'metadata', 'name')) ?? '',
  }));
  return { entries: [...refs, ...definitions].map(entryOf) };
}

function entryOf({ apiVersion, kind, namespace = '', name }: ObjectRef): InventoryEntry {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  return { id: `${namespace}_${name.replaceAll(':', '__')}_${group}_${kind}`, v: apiVersion.slice(slash + 1) };
}
