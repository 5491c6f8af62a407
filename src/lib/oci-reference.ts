import { tagOfVersion } from './chart-tag.ts';

/** A repository of an OCI registry, with what is wanted of it. */
export interface OciReference {
  /** Host and port as written; the key of its credentials. */
  readonly host: string;
  readonly repository: string;
  readonly tag?: string | undefined;
  readonly digest?: string | undefined;
}

const HOST = /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[0-9a-fA-F:]+\])(?::\d{1,5})?$/;
const PATH_PART = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const REPOSITORY = new RegExp(`^${PATH_PART}(?:/${PATH_PART})*$`);
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

export const OCI_REFERENCE_FORM = 'oci://host/repository, then :tag or @sha256:digest';

export function isDigest(text: string): boolean {
  return DIGEST.test(text);
}

/** `oci://host/repository[:tag][@sha256:…]`, or the same without the scheme; else what is malformed about it. */
export function readOciReference(text: string): OciReference | { readonly problem: string } {
  const rest = text.replace(/^oci:\/\//, '');
  const slash = rest.indexOf('/');
  if (slash <= 0) return { problem: 'it names no repository' };
  const [named = '', digest, ...more] = rest.slice(slash + 1).split('@');
  const colon = named.indexOf(':');
  const tag = colon < 0 ? undefined : tagOfVersion(named.slice(colon + 1));
  const reference = {
    host: rest.slice(0, slash),
    repository: (colon < 0 ? named : named.slice(0, colon)).replace(/\/+$/, ''),
    tag,
    digest: more.length > 0 ? '' : digest,
  };
  const problem = problemOf(reference);
  return problem === undefined ? reference : { problem };
}

function problemOf({ host, repository, tag, digest }: OciReference): string | undefined {
  if (!HOST.test(host)) return 'the host is malformed';
  if (!REPOSITORY.test(repository)) {
    return 'a repository is made of lower-case letters, digits, and ".", "_" or "-" between them';
  }
  if (tag !== undefined && !TAG.test(tag)) return 'the tag is malformed';
  if (digest !== undefined && !isDigest(digest)) return 'the digest is not sha256: and 64 hexadecimal digits';
  return undefined;
}
