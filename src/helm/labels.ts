import { KubepkgError } from '../api/errors.ts';
import { LABEL } from '../api/names.ts';
import { sha256 } from '../lib/digest.ts';
import type { DesiredRelease } from '../ports/backend.ts';

const LABEL_VALUE = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const MAX_LENGTH = 63;
const SHA256_DIGEST = /^sha256:([a-f0-9]{64})$/;
const DIGEST_LABEL = /^sha256\.([A-Za-z0-9_-]{43})\.x$/;

/** A name as a label value: as it is where it fits, else cut, with a hash that keeps it apart from others. */
export function nameLabel(name: string): string {
  if (LABEL_VALUE.test(name)) return name;
  const head = name.replaceAll(/[^A-Za-z0-9._-]/g, '-').slice(0, MAX_LENGTH - 17);
  return `${head}-${sha256(name).slice(0, 16)}`.replace(/^[^A-Za-z0-9]+/, '');
}

/** A digest as a label value, from which `digestOfLabel` gives exactly the same digest again. */
export function digestLabel(digest: string): string {
  const hex = SHA256_DIGEST.exec(digest)?.[1];
  // 64 hex digits are one too many for a label; the ends must be letters or digits.
  if (hex !== undefined) return `sha256.${Buffer.from(hex, 'hex').toString('base64url')}.x`;
  return required('digest', digest);
}

export function digestOfLabel(label: string): string {
  const encoded = DIGEST_LABEL.exec(label)?.[1];
  return encoded === undefined ? label : `sha256:${Buffer.from(encoded, 'base64url').toString('hex')}`;
}

/** All labels of ours on a release record: every one is set every time, since helm carries older ones over. */
export function releaseLabels(release: DesiredRelease): Readonly<Record<string, string>> {
  return {
    [LABEL.package]: nameLabel(release.package),
    [LABEL.component]: nameLabel(release.component),
    [LABEL.attempt]: required('token', release.token),
    [LABEL.digest]: digestLabel(release.digest),
  };
}

function required(what: string, value: string): string {
  if (LABEL_VALUE.test(value)) return value;
  throw new KubepkgError('Internal', `${what} ${value} does not fit into a label`);
}
