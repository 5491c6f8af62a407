import { UNVERSIONED } from '../../api/package-source.ts';
import { parseConstraint, satisfies } from '../../lib/semver/constraint.ts';
import { parseVersion } from '../../lib/semver/version.ts';
import { type Unresolvable, unresolvable } from './desired.ts';

/** Whether a version satisfies a constraint; a version that is none satisfies only the empty constraint. */
export function versionSatisfies(constraint: string | undefined, version: string): boolean {
  return checkVersion(constraint, version) === undefined;
}

/** Why a source's version cannot be taken under a Package's constraint; undefined when it can. */
export function checkVersion(constraint: string | undefined, version: string): Unresolvable | undefined {
  if (constraint === undefined || constraint.trim() === '') return undefined;
  const parsed = parseConstraint(constraint);
  if (parsed.kind === 'invalid') {
    return unresolvable(
      'VersionMismatch',
      `spec.version "${constraint}" is not a version constraint: ${parsed.message}`,
    );
  }
  const candidate = parseVersion(version);
  if (version !== UNVERSIONED && candidate.kind === 'version' && satisfies(candidate.version, parsed.constraint))
    return undefined;
  const what =
    version === UNVERSIONED ? 'the PackageSource has no version' : `the PackageSource has version ${version}`;
  return unresolvable('VersionMismatch', `${what}, which does not satisfy spec.version "${constraint}"`);
}
