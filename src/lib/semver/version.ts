/**
 * A semantic version as Masterminds/semver v3 reads it. Numbers are unsigned 64-bit, kept as decimal text without
 * leading zeros: exact, and still plain JSON.
 */
export interface Version {
  readonly major: string;
  readonly minor: string;
  readonly patch: string;
  /** Without the dash; empty for a release. */
  readonly prerelease: string;
  /** Build metadata without the plus; never compared. */
  readonly metadata: string;
}

export type VersionResult =
  | { readonly kind: 'version'; readonly version: Version }
  | { readonly kind: 'invalid'; readonly message: string };

export type Comparison = -1 | 0 | 1;

const MAX_BYTES = 256;

const IDENTIFIERS = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const SUFFIX = `(?:-(?<prerelease>${IDENTIFIERS}))?(?:\\+(?<metadata>${IDENTIFIERS}))?`;
const STRICT = new RegExp(`^(?<major>0|[1-9][0-9]*)\\.(?<minor>0|[1-9][0-9]*)\\.(?<patch>0|[1-9][0-9]*)${SUFFIX}$`);
const LOOSE = new RegExp(`^v?(?<major>[0-9]+)(?:\\.(?<minor>[0-9]+))?(?:\\.(?<patch>[0-9]+))?${SUFFIX}$`);

/** Loosely (the default) a leading `v`, leading zeros, and a missing minor or patch are accepted. */
export function parseVersion(text: string, options: { readonly strict?: boolean } = {}): VersionResult {
  if (byteLength(text) > MAX_BYTES) return invalid(`a version has at most ${String(MAX_BYTES)} bytes`);
  const groups = (options.strict === true ? STRICT : LOOSE).exec(text)?.groups;
  if (groups === undefined) return invalid(`${JSON.stringify(text)} is not a semantic version`);
  const { prerelease = '', metadata = '' } = groups;
  if (/(?:^|\.)0[0-9]+(?:\.|$)/.test(prerelease)) {
    return invalid(`${JSON.stringify(text)} has a pre-release number that starts with zero`);
  }
  const release = releaseOf(groups);
  if (release === undefined) return invalid(`${JSON.stringify(text)} has a number that is too large`);
  return { kind: 'version', version: { ...release, prerelease, metadata } };
}

function releaseOf(groups: Readonly<Record<string, string>>): Pick<Version, 'major' | 'minor' | 'patch'> | undefined {
  const [major, minor, patch] = [groups.major, groups.minor, groups.patch].map((part = '0') => decimal(part));
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  return { major, minor, patch };
}

function invalid(message: string): VersionResult {
  return { kind: 'invalid', message };
}

/** Precedence; build metadata does not count. */
export function compareVersions(a: Version, b: Version): Comparison {
  const release =
    compareDecimals(a.major, b.major) || compareDecimals(a.minor, b.minor) || compareDecimals(a.patch, b.patch);
  return release || comparePrereleases(a.prerelease, b.prerelease);
}

/** Compares decimal texts without leading zeros. */
export function compareDecimals(a: string, b: string): Comparison {
  return a.length === b.length ? compareText(a, b) : compareText(a.length, b.length);
}

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function comparePrereleases(a: string, b: string): Comparison {
  if (a === b) return 0;
  if (a === '') return 1;
  if (b === '') return -1;
  const left = a.split('.');
  const right = b.split('.');
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const order = compareIdentifiers(left[index], right[index]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareIdentifiers(a: string | undefined, b: string | undefined): Comparison {
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  const left = decimal(a);
  const right = decimal(b);
  if (left !== undefined && right !== undefined) return compareDecimals(left, right);
  if (left !== undefined) return -1;
  if (right !== undefined) return 1;
  return compareText(a, b);
}

const MAX_UINT64 = '18446744073709551615';

/** Undefined for what is no number of 64 bits. */
function decimal(text: string): string | undefined {
  if (!/^[0-9]+$/.test(text)) return undefined;
  const digits = text.replace(/^0+(?=[0-9])/, '');
  return compareDecimals(digits, MAX_UINT64) > 0 ? undefined : digits;
}

function compareText<T extends string | number>(a: T, b: T): Comparison {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
