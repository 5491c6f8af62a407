import { type ApiAccess, callApi, mustCallApi } from '../controlplane/api-client.ts';

export interface CompactResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources?: readonly string[];
  readonly columns?: readonly Column[];
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly priority?: number;
}

export interface Group {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly { readonly version: string; readonly resources: readonly DiscoveredResource[] }[];
}

interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind: { readonly kind: string };
  readonly scope: 'Namespaced' | 'Cluster';
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

/** What the embedded API server can serve of a kind; the rest (exec, proxy, attach) needs a node. */
const SUBRESOURCES = ['status', 'scale', 'log', 'binding', 'eviction', 'finalize', 'token'];

/** There are no components whose health could be told. */
const LEFT_OUT = ['componentstatuses'];

export function pathOf(groupVersion: string): string {
  return groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`;
}

export async function readDiscovery(access: ApiAccess): Promise<readonly Group[]> {
  const answers = ['/api', '/apis'].map((path) => mustCallApi(access, { path, accept: AGGREGATED }));
  return (await Promise.all(answers)).flatMap((answer) => (answer as { readonly items: readonly Group[] }).items);
}

export function resourcesOf(groups: readonly Group[], groupVersion: string): readonly CompactResource[] {
  const [group, version] = groupVersion === 'v1' ? ['', 'v1'] : (groupVersion.split('/') as [string, string]);
  const versions = groups.find(({ metadata }) => (metadata.name ?? '') === group)?.versions ?? [];
  const resources = versions.find((served) => served.version === version)?.resources ?? [];
  if (resources.length === 0) throw new Error(`The API server does not serve ${groupVersion}.`);
  const served = resources.filter(({ resource }) => !LEFT_OUT.includes(resource));
  return served.map((resource) => compactResource(group, version, resource));
}

function compactResource(group: string, version: string, resource: DiscoveredResource): CompactResource {
  const served = (resource.subresources ?? []).map(({ subresource }) => subresource);
  const subresources = SUBRESOURCES.filter((name) => served.includes(name));
  return {
    group,
    version,
    kind: resource.responseKind.kind,
    plural: resource.resource,
    singular: resource.singularResource,
    namespaced: resource.scope === 'Namespaced',
    ...(resource.shortNames === undefined ? {} : { shortNames: resource.shortNames }),
    ...(resource.categories === undefined ? {} : { categories: resource.categories }),
    verbs: resource.verbs,
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

export async function readColumns(access: ApiAccess, resource: CompactResource): Promise<readonly Column[]> {
  const { group, version, plural } = resource;
  if (!resource.verbs.includes('list')) return [];
  const path = `${pathOf(group === '' ? version : `${group}/${version}`)}/${plural}`;
  const { status, body } = await callApi(access, { path, accept: TABLE });
  if (status !== 200) throw new Error(`${path} as a table was answered with ${String(status)}: ${body}`);
  const table = JSON.parse(body) as { readonly columnDefinitions: readonly Column[] };
  return table.columnDefinitions.map(({ name, type, format, priority }) => ({
    name,
    type,
    ...(format === undefined || format === '' ? {} : { format }),
    ...(priority === undefined || priority === 0 ? {} : { priority }),
  }));
}
