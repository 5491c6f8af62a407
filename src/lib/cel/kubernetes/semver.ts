import { compareVersions, parseVersion, type Version } from '../../semver/version.ts';
import { type Fault, fault, isFault, type Result } from '../faults.ts';
import { func, method, type Overload } from '../overload.ts';
import { BOOL, INT, opaque, STRING } from '../types.ts';
import { type CelOpaque, INT_MAX } from '../values.ts';

interface CelSemver extends CelOpaque {
  readonly type: 'kubernetes.Semver';
  readonly version: Version;
}

const SEMVER = opaque<CelSemver>('kubernetes.Semver');

/** Build metadata does not count. */
function keyOf({ major, minor, patch, prerelease }: Version): string {
  return `${major}.${minor}.${patch}-${prerelease}`;
}

/** Normalized, a leading `v` and leading zeros are dropped, and missing numbers are zero. */
function semverOf(text: string, normalized: boolean): CelSemver | Fault {
  const result = parseVersion(text, { strict: !normalized });
  if (result.kind === 'invalid') return fault(result.message);
  return { kind: 'opaque', type: 'kubernetes.Semver', key: keyOf(result.version), version: result.version };
}

/** Beyond an int Go lets it overflow. */
function number(digits: string): Result {
  const value = BigInt(digits);
  return value > INT_MAX ? fault('integer overflow') : value;
}

function compare(one: CelSemver, other: CelSemver): number {
  return compareVersions(one.version, other.version);
}

export const SEMVER_FUNCTIONS: readonly Overload[] = [
  func('semver', [[STRING], SEMVER], ([text]) => semverOf(text, false)),
  func('semver', [[STRING, BOOL], SEMVER], ([text, normalized]) => semverOf(text, normalized)),
  func('isSemver', [[STRING], BOOL], ([text]) => !isFault(semverOf(text, false))),
  func('isSemver', [[STRING, BOOL], BOOL], ([text, normalized]) => !isFault(semverOf(text, normalized))),
  method('major', [[SEMVER], INT], ([{ version }]) => number(version.major)),
  method('minor', [[SEMVER], INT], ([{ version }]) => number(version.minor)),
  method('patch', [[SEMVER], INT], ([{ version }]) => number(version.patch)),
  method('isGreaterThan', [[SEMVER, SEMVER], BOOL], ([one, other]) => compare(one, other) > 0),
  method('isLessThan', [[SEMVER, SEMVER], BOOL], ([one, other]) => compare(one, other) < 0),
  method('compareTo', [[SEMVER, SEMVER], INT], ([one, other]) => BigInt(compare(one, other))),
];
