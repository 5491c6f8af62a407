import type { JsonMap } from '../model/object.ts';
import type { Resource, SubresourceName } from '../model/resource.ts';

interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly Resource[];
}

/** Groups in the order in which they were served first, with their versions, the preferred one first. */
function groupsOf(resources: readonly Resource[]): ReadonlyMap<string, readonly GroupVersion[]> {
  const groups = new Map<string, GroupVersion[]>();
  for (const resource of resources) {
    const versions = groups.get(resource.group) ?? [];
    groups.set(resource.group, versions);
    const index = versions.findIndex(({ version }) => version === resource.version);
    const known = versions[index];
    if (known === undefined) versions.push({ group: resource.group, version: resource.version, resources: [resource] });
    else versions[index] = { ...known, resources: [...known.resources, resource] };
  }
  for (const versions of groups.values()) versions.sort((a, b) => compareVersions(a.version, b.version));
  return groups;
}

/** `v2`, `v1`, `v2beta1`, `v1alpha1`, then others by name. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [rankOf(a), rankOf(b)];
  if (left === undefined || right === undefined) {
    if (left !== undefined || right !== undefined) return left === undefined ? 1 : -1;
    return a < b ? -1 : 1;
  }
  const at = left.findIndex((part, index) => part !== right[index]);
  return at < 0 ? 0 : (right[at] ?? 0) - (left[at] ?? 0);
}

function rankOf(version: string): readonly number[] | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return undefined;
  const [, major, stability, minor = '0'] = match;
  const level = stability === undefined ? 2 : stability === 'beta' ? 1 : 0;
  return [level, Number(major), Number(minor)];
}

export function coreVersions(address: string): JsonMap {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
  };
}

export function groupList(resources: readonly Resource[]): JsonMap {
  const groups = [...groupsOf(resources)].filter(([group]) => group !== '');
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groups.map(([group, versions]) => groupEntry(group, versions)),
  };
}

export function groupDocument(resources: readonly Resource[], group: string): JsonMap | undefined {
  const versions = groupsOf(resources).get(group);
  if (versions === undefined || group === '') return undefined;
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group, versions) };
}

function groupEntry(group: string, versions: readonly GroupVersion[]): JsonMap {
  const entries = versions.map(({ version }) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: entries, preferredVersion: entries[0] };
}

export function resourceList(resources: readonly Resource[], group: string, version: string): JsonMap | undefined {
  const own = resources.filter((resource) => resource.group === group && resource.version === version);
  if (own.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources: own.flatMap((resource) => [plainEntry(resource), ...subresourcesOf(resource).map(plainSubresource)]),
  };
}

function plainEntry(resource: Resource): JsonMap {
  return {
    name: resource.plural,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: resource.verbs,
    ...(resource.shortNames.length === 0 ? {} : { shortNames: resource.shortNames }),
    ...(resource.categories.length === 0 ? {} : { categories: resource.categories }),
  };
}

interface Subresource {
  readonly resource: Resource;
  readonly name: SubresourceName;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

const READ_WRITE = ['get', 'patch', 'update'];

/** Kinds that subresources speak of, where that is another kind. */
const KINDS: Readonly<Partial<Record<SubresourceName, Pick<Subresource, 'group' | 'version' | 'kind'>>>> = {
  scale: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  binding: { group: '', version: 'v1', kind: 'Binding' },
  eviction: { group: 'policy', version: 'v1', kind: 'Eviction' },
  token: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
};

const VERBS: Readonly<Partial<Record<SubresourceName, readonly string[]>>> = {
  log: ['get'],
  binding: ['create'],
  eviction: ['create'],
  token: ['create'],
  finalize: ['update'],
};

function subresourcesOf(resource: Resource): readonly Subresource[] {
  const { group, version, kind } = resource;
  // Those of custom kinds come as they are defined.
  const names = resource.custom ? resource.subresources : resource.subresources.toSorted();
  return names.map((name) => ({
    resource,
    name,
    ...{ group, version, kind, ...KINDS[name] },
    verbs: VERBS[name] ?? READ_WRITE,
  }));
}

function plainSubresource({ resource, name, group, version, kind, verbs }: Subresource): JsonMap {
  const isOwn = kind === resource.kind;
  return {
    name: `${resource.plural}/${name}`,
    singularName: '',
    namespaced: resource.namespaced,
    ...(isOwn ? {} : { group, version }),
    kind,
    verbs,
  };
}

/** Everything in one document: `application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`. */
export function aggregated(
  resources: readonly Resource[],
  options: { readonly core: boolean; readonly version: string },
): JsonMap {
  const groups = [...groupsOf(resources)].filter(([group]) => (group === '') === options.core);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${options.version}`,
    metadata: {},
    items: groups.map(([group, versions]) => ({
      metadata: group === '' ? { creationTimestamp: null } : { name: group, creationTimestamp: null },
      versions: versions.map((own) => ({
        version: own.version,
        resources: own.resources.map(aggregatedEntry),
        freshness: 'Current',
      })),
    })),
  };
}

function aggregatedEntry(resource: Resource): JsonMap {
  const { group, version, kind } = resource;
  const subresources = subresourcesOf(resource).map((own) => ({
    subresource: own.name,
    responseKind: { group: own.group, version: own.version, kind: own.kind },
    verbs: own.verbs,
  }));
  return {
    resource: resource.plural,
    responseKind: { group, version, kind },
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...(resource.shortNames.length === 0 ? {} : { shortNames: resource.shortNames }),
    ...(resource.categories.length === 0 ? {} : { categories: resource.categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}
