import type { Target } from '../model/api.ts';
import type { SubresourceName } from '../model/resource.ts';

/** What a path of the API names; whether it is served is another question. */
export type Route =
  | { readonly type: 'object'; readonly target: Target }
  | { readonly type: 'core-versions' }
  | { readonly type: 'groups' }
  | { readonly type: 'group'; readonly group: string }
  | { readonly type: 'group-version'; readonly group: string; readonly version: string }
  | { readonly type: 'other'; readonly path: string };

/** Of these, the second part is a part of the namespace and not a kind in it. */
const OF_NAMESPACE: readonly string[] = ['status', 'finalize'];

export function routeOf(path: string): Route {
  const [root, ...parts] = path
    .replace(/^\/+|\/+$/g, '')
    .split('/')
    .map(decodeSegment);
  if (root === 'api') return coreRoute(parts);
  if (root === 'apis') return groupRoute(parts);
  return { type: 'other', path };
}

function coreRoute([version, ...rest]: readonly string[]): Route {
  if (version === undefined) return { type: 'core-versions' };
  if (rest.length === 0) return { type: 'group-version', group: '', version };
  return objectRoute({ group: '', version }, rest);
}

function groupRoute([group, version, ...rest]: readonly string[]): Route {
  if (group === undefined) return { type: 'groups' };
  if (version === undefined) return { type: 'group', group };
  if (rest.length === 0) return { type: 'group-version', group, version };
  return objectRoute({ group, version }, rest);
}

function objectRoute(place: { readonly group: string; readonly version: string }, parts: readonly string[]): Route {
  const [first, second, third] = parts;
  if (first === 'namespaces' && second !== undefined && third !== undefined && !OF_NAMESPACE.includes(third)) {
    return { type: 'object', target: { ...targetOf(place, parts.slice(2)), namespace: second } };
  }
  return { type: 'object', target: targetOf(place, parts) };
}

function targetOf(place: { readonly group: string; readonly version: string }, parts: readonly string[]): Target {
  const [plural = '', name, ...rest] = parts;
  const subresource = rest.length === 0 ? undefined : rest.join('/');
  // Whether the kind has such a subresource is seen when it is served.
  return { ...place, plural, name, subresource: subresource as SubresourceName | undefined };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return segment;
    throw error;
  }
}
