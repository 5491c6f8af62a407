import { KubepkgError } from '../../api/errors.ts';
import { tagOfVersion } from '../../lib/chart-tag.ts';
import { isDigest, OCI_REFERENCE_FORM, type OciReference, readOciReference } from '../../lib/oci-reference.ts';
import type { PublishedChartRef, TreeChartRef } from '../../ports/artifacts.ts';

export { isDigest, type OciReference };

const CHART_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const VERSION = /^v?\d+(?:\.\d+){0,2}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

export function isChartName(text: string): boolean {
  return CHART_NAME.test(text);
}

/** `oci://host/repository[:tag][@sha256:…]`, or the same without the scheme. */
export function parseOciReference(text: string): OciReference {
  const reference = readOciReference(text);
  if (!('problem' in reference)) return reference;
  // What stands before an "@" in a host may be a password.
  const shown = text.replace(/^((?:oci:\/\/)?)[^/]*@(?=[^/]*\/)/, '$1***@');
  throw new KubepkgError('ReferenceInvalid', `reference ${shown} is malformed: ${reference.problem}`, {
    hint: `write ${OCI_REFERENCE_FORM}`,
  });
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
