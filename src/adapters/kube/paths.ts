import { KubepkgError } from '../../api/errors.ts';
import { nameOf, type ObjectRef } from '../../api/kube.ts';
import type { ServedKind } from '../../ports/cluster.ts';

const GROUP_VERSION = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\/)?[a-z0-9]+$/;

export type Query = Readonly<Record<string, string | undefined>>;

/** `/api/v1` or `/apis/GROUP/VERSION`. */
export function groupVersionPath(apiVersion: string): string {
  if (!GROUP_VERSION.test(apiVersion)) {
    throw new KubepkgError('ApiInvalid', `"${apiVersion}" is not an apiVersion`, {
      hint: 'write VERSION for the core group, otherwise GROUP/VERSION',
    });
  }
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/** Path of all objects of a kind, in one namespace or in all. */
export function collectionPath(apiVersion: string, served: ServedKind, namespace: string | undefined): string {
  const base = groupVersionPath(apiVersion);
  if (!served.namespaced || namespace === undefined) return `${base}/${served.plural}`;
  return `${base}/namespaces/${segment(namespace, 'a namespace')}/${served.plural}`;
}

export function objectPath(ref: ObjectRef, served: ServedKind, subresource?: string): string {
  if (served.namespaced) requireNamespace(ref);
  const path = `${collectionPath(ref.apiVersion, served, ref.namespace)}/${segment(ref.name, 'a name')}`;
  return subresource === undefined ? path : `${path}/${segment(subresource, 'a subresource')}`;
}

/** Path that an object is created at: its collection, or the subresource of an existing object. */
export function createPath(ref: ObjectRef, served: ServedKind, subresource?: string): string {
  if (subresource !== undefined) return objectPath(ref, served, subresource);
  if (served.namespaced) requireNamespace(ref);
  return collectionPath(ref.apiVersion, served, ref.namespace);
}

export function withQuery(path: string, query: Query): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`],
  );
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

function requireNamespace(ref: ObjectRef): void {
  if (ref.namespace !== undefined) return;
  throw new KubepkgError('ApiInvalid', `${nameOf(ref)} has no namespace`, {
    hint: `${ref.kind} is a namespaced kind: set metadata.namespace`,
  });
}

/** One path segment. What Kubernetes forbids in every name is refused, so that no name leads to another object. */
function segment(text: string, what: string): string {
  if (text === '' || text === '.' || text === '..' || /[/%]/.test(text)) {
    throw new KubepkgError('ApiInvalid', `${JSON.stringify(text)} cannot be ${what}`, {
      hint: 'it must not be empty, "." or "..", and must not contain "/" or "%"',
    });
  }
  return encodeURIComponent(text);
}
