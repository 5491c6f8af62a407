import { asArray, asString, at, isRecord } from '../../lib/json.ts';
import { builtInResources, storedAs } from '../kinds/index.ts';
import type { ResourceName } from '../model/api.ts';
import type { JsonMap, StoredObject } from '../model/object.ts';
import { apiVersionOf, type Resource } from '../model/resource.ts';
import { applyDefaults, pruneUnknown, resourcesOfCrd } from '../schema/index.ts';
import { notServed } from './refusals.ts';
import { groupPlural } from './traits.ts';
import { convertObject } from './convert-object.ts';

/** A kind in all its versions: where its objects are kept, and in which version. */
export interface Storage {
  readonly key: string;
  readonly resource: Resource;
}

interface Watched {
  readonly key: string;
  readonly onEnd: () => void;
}

interface Definition {
  readonly resources: readonly Resource[];
  readonly storage: Storage;
  readonly selectableFields: ReadonlyMap<string, readonly string[]>;
}

/** What is served, and how its objects are kept. Built-in kinds stay; custom ones come and go with their definitions. */
export class Kinds {
  readonly #builtIn: readonly Resource[];
  readonly #served = new Map<string, Resource>();
  readonly #storages = new Map<string, Storage>();
  readonly #definitions = new Map<string, Definition>();
  readonly #watched = new Set<Watched>();
  /** Objects as other versions, or newer schemas, show them. */
  #views = new WeakMap<StoredObject, Map<Resource, StoredObject>>();

  constructor(builtIn: readonly Resource[] = builtInResources()) {
    this.#builtIn = builtIn;
    for (const resource of this.#builtIn) {
      this.#served.set(nameKey(resource), resource);
    }
    for (const resource of this.#builtIn) {
      const place = storedAs(resource);
      const key = groupPlural(place);
      this.#storages.set(key, { key, resource: this.find(place) ?? resource });
    }
  }

  all(): readonly Resource[] {
    return [...this.#served.values()];
  }

  find(name: ResourceName): Resource | undefined {
    return this.#served.get(nameKey(name));
  }

  require(name: ResourceName): Resource {
    const found = this.find(name);
    if (found === undefined) throw notServed();
    return found;
  }

  storageOf(resource: Resource): Storage {
    const key = storageKey(resource);
    return this.#storages.get(key) ?? { key, resource };
  }

  /** Each kind once, in the version in which it is kept. */
  storages(): readonly Storage[] {
    return [...this.#storages.values()];
  }

  selectableFields(resource: Resource): readonly string[] {
    return this.#definitions.get(groupPlural(resource))?.selectableFields.get(resource.version) ?? [];
  }

  /** Serves the kinds of a CustomResourceDefinition in place of those that it defined before. */
  define(crd: JsonMap): void {
    const resources = resourcesOfCrd(crd);
    const key = definitionKey(crd);
    this.#forget(key);
    const storing = storedVersion(crd);
    const first = resources.find(({ version }) => version === storing) ?? resources[0];
    if (first === undefined) {
      this.#endUnserved();
      return;
    }
    const storage: Storage = { key, resource: { ...first, version: storing } };
    this.#definitions.set(key, { resources, storage, selectableFields: selectableFieldsOf(crd) });
    this.#storages.set(key, storage);
    for (const resource of resources) this.#served.set(nameKey(resource), resource);
    this.#views = new WeakMap();
    this.#endUnserved();
  }

  undefine(key: string): void {
    this.#forget(key);
    this.#endUnserved();
  }

  /** Calls back once when this version of a kind is not served any more. */
  onUnserved(resource: Resource, onEnd: () => void): () => void {
    const watched = { key: nameKey(resource), onEnd };
    this.#watched.add(watched);
    return () => {
      this.#watched.delete(watched);
    };
  }

  #forget(key: string): void {
    const known = this.#definitions.get(key);
    if (known === undefined) return;
    for (const resource of known.resources) this.#served.delete(nameKey(resource));
    this.#definitions.delete(key);
    this.#storages.delete(key);
  }

  #endUnserved(): void {
    for (const watched of [...this.#watched]) {
      if (this.#served.has(watched.key)) continue;
      this.#watched.delete(watched);
      watched.onEnd();
    }
  }

  /** A stored object as one of the served versions shows it. */
  view(object: StoredObject, resource: Resource): StoredObject {
    if (!resource.custom && object.apiVersion === apiVersionOf(resource)) return object;
    const known = this.#views.get(object)?.get(resource);
    if (known !== undefined) return known;
    const view = viewOf(object, this.storageOf(resource).resource, resource);
    const views = this.#views.get(object) ?? new Map<Resource, StoredObject>();
    this.#views.set(object, views.set(resource, view));
    return view;
  }

  /** An object of a served version as it is kept. */
  stored(object: StoredObject, resource: Resource): StoredObject {
    return convertObject(object, this.storageOf(resource).resource) as StoredObject;
  }
}

export function definitionKey(crd: JsonMap): string {
  const group = asString(at(crd, 'spec', 'group')) ?? '';
  return groupPlural({ group, plural: asString(at(crd, 'spec', 'names', 'plural')) ?? '' });
}

/** Kinds that are one under two names are kept under one. */
function storageKey(resource: Resource): string {
  return groupPlural(resource.custom ? resource : storedAs(resource));
}

function nameKey({ group, version, plural }: ResourceName): string {
  return `${group}/${version}/${plural}`;
}

function storedVersion(crd: JsonMap): string {
  const version = asArray(at(crd, 'spec', 'versions')).find((candidate) => at(candidate, 'storage') === true);
  return asString(at(version, 'name')) ?? '';
}

function selectableFieldsOf(crd: JsonMap): ReadonlyMap<string, readonly string[]> {
  const versions = asArray(at(crd, 'spec', 'versions'));
  return new Map(
    versions.map((version) => [
      asString(at(version, 'name')) ?? '',
      asArray(at(version, 'selectableFields')).map((field) =>
        (asString(at(field, 'jsonPath')) ?? '').replace(/^\./, ''),
      ),
    ]),
  );
}

/** Custom objects are pruned and completed by the schema of the version that is kept, and of the one that shows them. */
function viewOf(object: StoredObject, kept: Resource, shown: Resource): StoredObject {
  const shaped = shapedBy(kept, object);
  // A conversion leaves the metadata as they are.
  const converted = convertObject(shaped, shown) as StoredObject;
  return kept.version === shown.version ? converted : shapedBy(shown, converted);
}

function shapedBy({ custom, schema }: Resource, object: StoredObject): StoredObject {
  if (!custom || schema === undefined) return object;
  const shaped = applyDefaults(pruneUnknown(object, schema), schema);
  // Neither touches metadata, apiVersion or kind.
  return isRecord(shaped) ? (shaped as StoredObject) : object;
}
