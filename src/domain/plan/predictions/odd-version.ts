import { UNVERSIONED } from '../../../api/package-source.ts';
import { parseVersion } from '../../../lib/semver/version.ts';
import type { Foreseen, PlanFacts } from './facts.ts';

/** What is wrong with the version of a source, which is taken all the same; undefined: nothing is. */
export function versionFault(version: string | undefined): string | undefined {
  const where = 'no constraint admits it, and none is newer or older than it';
  if (version === undefined || version === '' || version === UNVERSIONED) return `has no version: ${where}`;
  const isOrdered = parseVersion(version).kind === 'version';
  return isOrdered ? undefined : `has version ${version}, which is no semantic version: ${where}`;
}

export const VERSION_REMEDY = 'write one such as 1.2.3 in spec.version of the PackageSource';

/** A version that cannot be compared with another one. */
export function findOddVersion({ package: { name, version } }: PlanFacts): readonly Foreseen[] {
  const fault = version === undefined ? undefined : versionFault(version);
  return fault === undefined ? [] : [{ subject: `package ${name}`, message: fault, remedy: VERSION_REMEDY }];
}
