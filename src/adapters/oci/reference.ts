import { KubepkgError } from '../../api/errors.ts';
import { tagOfVersion } from '../../lib/chart-tag.ts';
import type { PublishedChartRef, TreeChartRef } from '../../ports/artifacts.ts';

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
const CHART_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const VERSION = /^v?\d+(?:\.\d+){0,2}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

export function isDigest(text: string): boolean {
  return DIGEST.test(text);
}

export function isChartName(text: string): boolean {
  return CHART_NAME.test(text);
}

/** `oci://host/repository[:tag][@sha256:…]`, or the same without the scheme. */
export function parseOciReference(text: string): OciReference {
  const rest = text.replace(/^oci:\/\//, '');
  const slash = rest.indexOf('/');
  if (slash <= 0) throw malformed(text, 'it names no repository');
  const [named = '', digest, ...more] = rest.slice(slash + 1).split('@');
  const colon = named.indexOf(':');
  const tag = colon < 0 ? undefined : tagOfVersion(named.slice(colon + 1));
  const reference = {
    host: rest.slice(0, slash),
    repository: (colon < 0 ? named : named.slice(0, colon)).replace(/\/+$/, ''),
    tag,
    digest: more.length > 0 ? '' : digest,
  };
  checkReference(text, reference);
  return reference;
}

function checkReference(text: string, reference: OciReference): void {
  if (!HOST.test(reference.host)) throw malformed(text, 'the host is malformed');
  if (!REPOSITORY.test(reference.repository)) {
    throw malformed(text, 'a repository is made of lower-case letters, digits, and ".", "_" or "-" between them');
  }
  if (reference.tag !== undefined && !TAG.test(reference.tag)) throw malformed(text, 'the tag is malformed');
  if (reference.digest !== undefined && !isDigest(reference.digest)) {
    throw malformed(text, 'the digest is not sha256: and 64 hexadecimal digits');
  }
}

/** The way every message and every report names it. */
export function formatOciReference(reference: OciReference): string {
  const tag = reference.tag === undefined ? '' : `:${reference.tag}`;
  const digest = reference.digest === undefined ? '' : `@${reference.digest}`;
  return `oci://${reference.host}/${reference.repository}${tag}${digest}`;
}

/** Name, exact version and digest of a published chart, before anything is asked of a registry. */
export function checkChartRef(ref: PublishedChartRef): void {
  const named = `chart ${ref.name} ${ref.version}`;
  if (ref.name.includes('/')) {
    throw new KubepkgError('ReferenceInvalid', `${named}: a chart name cannot contain "/"`, {
      hint: 'put everything before the last "/" into the repository',
    });
  }
  if (!isChartName(ref.name)) {
    throw new KubepkgError('ReferenceInvalid', `chart name ${JSON.stringify(ref.name)} is malformed`, {
      hint: 'use letters, digits, and ".", "_" or "-" between them',
    });
  }
  if (!VERSION.test(ref.version)) {
    throw new KubepkgError('ReferenceInvalid', `${named}: the version is not an exact one`, {
      hint: 'name one version such as 1.2.3 or 1.2.3+build, no range and no tag',
    });
  }
  if (ref.digest !== undefined && !isDigest(ref.digest)) {
    throw new KubepkgError('ReferenceInvalid', `${named}: the digest is malformed`, {
      hint: 'write sha256: and the 64 hexadecimal digits of the archive',
    });
  }
}

/** The digests of a chart in a tree, before a path or an address is made of them. */
export function checkTreeRef(ref: TreeChartRef): void {
  for (const digest of [ref.digest, ref.treeDigest]) {
    if (digest === undefined || isDigest(digest)) continue;
    throw new KubepkgError('ReferenceInvalid', `chart ${ref.path} of a tree: a recorded digest is malformed`, {
      hint: 'write sha256: and 64 hexadecimal digits, or leave it out',
    });
  }
}

/** Where an OCI registry keeps a chart. */
export function ociReferenceOf(ref: PublishedChartRef): OciReference {
  return parseOciReference(`${ref.repository.replace(/\/+$/, '')}/${ref.name}:${tagOfVersion(ref.version)}`);
}

function malformed(text: string, problem: string): KubepkgError {
  // What stands before an "@" in a host may be a password.
  const shown = text.replace(/^((?:oci:\/\/)?)[^/]*@(?=[^/]*\/)/, '$1***@');
  return new KubepkgError('ReferenceInvalid', `reference ${shown} is malformed: ${problem}`, {
    hint: 'write oci://host/repository, then :tag or @sha256:digest',
  });
}
