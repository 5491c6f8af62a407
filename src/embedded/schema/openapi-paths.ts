import type { JsonMap } from '../model/object.ts';
import type { Resource, Verb } from '../model/resource.ts';

/** What the documents of both versions of OpenAPI tell of the requests: enough for clients to know what they may ask. */
export interface PathDialect {
  parameter(name: string, type: 'string' | 'boolean' | 'integer', place: 'query' | 'path'): JsonMap;
  answer(resource: Resource): JsonMap;
}

type Action = 'list' | 'post' | 'deletecollection' | 'get' | 'put' | 'patch' | 'delete';

const ON_COLLECTION: readonly (readonly [Verb, string, Action])[] = [
  ['list', 'get', 'list'],
  ['create', 'post', 'post'],
  ['deletecollection', 'delete', 'deletecollection'],
];

const ON_OBJECT: readonly (readonly [Verb, string, Action])[] = [
  ['get', 'get', 'get'],
  ['update', 'put', 'put'],
  ['patch', 'patch', 'patch'],
  ['delete', 'delete', 'delete'],
];

const WRITING = ['dryRun', 'fieldManager', 'fieldValidation'];

const QUERY: Readonly<Record<Action, readonly string[]>> = {
  list: ['continue', 'fieldSelector', 'labelSelector', 'limit', 'resourceVersion', 'resourceVersionMatch', 'watch'],
  post: WRITING,
  deletecollection: ['dryRun', 'fieldSelector', 'labelSelector', 'propagationPolicy'],
  get: [],
  put: WRITING,
  patch: [...WRITING, 'force'],
  delete: ['dryRun', 'gracePeriodSeconds', 'propagationPolicy'],
};

const TYPES: Readonly<Record<string, 'boolean' | 'integer'>> = {
  force: 'boolean',
  watch: 'boolean',
  limit: 'integer',
  gracePeriodSeconds: 'integer',
};

export function pathsOf(resources: readonly Resource[], dialect: PathDialect): JsonMap {
  return Object.fromEntries(resources.flatMap((resource) => pathsOfResource(resource, dialect)));
}

function pathsOfResource(resource: Resource, dialect: PathDialect): readonly (readonly [string, JsonMap])[] {
  const { group, version, plural, namespaced, subresources } = resource;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const collection = `${root}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}`;
  const object = `${collection}/{name}`;
  const own = namespaced ? ['namespace'] : [];
  const readAndWrite = ON_OBJECT.filter(([verb]) => verb !== 'delete');
  return [
    ...(namespaced && resource.verbs.includes('list')
      ? [[`${root}/${plural}`, item({ resource, dialect, own: [] }, ON_COLLECTION.slice(0, 1))] as const]
      : []),
    [collection, item({ resource, dialect, own }, ON_COLLECTION)] as const,
    [object, item({ resource, dialect, own: [...own, 'name'] }, ON_OBJECT)] as const,
    ...subresources
      .filter((name) => name === 'status' || name === 'scale')
      .map((name) => [`${object}/${name}`, item({ resource, dialect, own: [...own, 'name'] }, readAndWrite)] as const),
  ].filter(([, operations]) => Object.keys(operations).some((key) => key !== 'parameters'));
}

interface Place {
  readonly resource: Resource;
  readonly dialect: PathDialect;
  /** Parameters of the path. */
  readonly own: readonly string[];
}

function item({ resource, dialect, own }: Place, operations: readonly (readonly [Verb, string, Action])[]): JsonMap {
  const { group, version, kind } = resource;
  const served = operations.filter(([verb]) => resource.verbs.includes(verb));
  return {
    ...Object.fromEntries(
      served.map(([, method, action]) => [
        method,
        {
          parameters: QUERY[action].map((name) => dialect.parameter(name, TYPES[name] ?? 'string', 'query')),
          responses: { '200': { description: 'OK', ...dialect.answer(resource) } },
          'x-kubernetes-action': action,
          'x-kubernetes-group-version-kind': { group, version, kind },
        },
      ]),
    ),
    ...(own.length === 0 ? {} : { parameters: own.map((name) => dialect.parameter(name, 'string', 'path')) }),
  };
}
