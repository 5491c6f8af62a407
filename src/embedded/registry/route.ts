/** What a path of the distribution API names. */
export type Route =
  | { readonly kind: 'base' }
  | { readonly kind: 'tags'; readonly name: string }
  | { readonly kind: 'manifest'; readonly name: string; readonly reference: string }
  | { readonly kind: 'blob'; readonly name: string; readonly digest: string }
  | { readonly kind: 'uploads'; readonly name: string }
  | { readonly kind: 'upload'; readonly name: string; readonly id: string };

const PART = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const NAME = new RegExp(`^${PART}(?:/${PART})*$`);
const NAME_LIMIT = 255;
const ENDS =
  /^\/v2\/(.+?)\/(?:(tags)\/list|(blobs)\/uploads\/?|blobs\/uploads\/([^/]+)|blobs\/([^/]+)|manifests\/([^/]+))$/;

export function isRepositoryName(name: string): boolean {
  return name.length <= NAME_LIMIT && NAME.test(name);
}

/** Undefined: nothing that is served. The repository's name may be one that is not allowed. */
export function parseRoute(path: string): Route | undefined {
  if (path === '/v2/' || path === '/v2') return { kind: 'base' };
  const match = ENDS.exec(path);
  if (match === null) return undefined;
  const [, name = '', tags, uploads, id, digest, reference = ''] = match;
  if (tags !== undefined) return { kind: 'tags', name };
  if (uploads !== undefined) return { kind: 'uploads', name };
  if (id !== undefined) return { kind: 'upload', name, id };
  return digest === undefined ? { kind: 'manifest', name, reference } : { kind: 'blob', name, digest };
}
