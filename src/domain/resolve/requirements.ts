import type { Requirement } from '../../api/package-source.ts';
import { versionSatisfies } from './check-version.ts';

/** What is known of another package, or of a capability, when a requirement on it is judged. */
export interface RequirementFacts {
  readonly requirement: Requirement;
  /** The required package, when it exists; for a capability: whether something ready provides it. */
  readonly package?: RequiredPackage;
  readonly provided?: boolean;
}

export interface RequiredPackage {
  readonly available: boolean;
  readonly inProgress: boolean;
  /** Version that was applied last; undefined when none was. */
  readonly version: string | undefined;
}

/** P3: a package is met by what is applied and works, never by what somebody wants it to be. Undefined: met. */
export function unmetRequirement(facts: RequirementFacts): string | undefined {
  const { requirement } = facts;
  if (requirement.capability !== undefined) {
    if (facts.provided === true || requirement.optional === true) return undefined;
    return `capability ${requirement.capability} is not provided by any ready package or by the API server`;
  }
  const name = requirement.package ?? '';
  if (facts.package === undefined) {
    return requirement.optional === true ? undefined : `package ${name} is not installed`;
  }
  return unmetPackage(name, requirement, facts.package);
}

function unmetPackage(name: string, requirement: Requirement, found: RequiredPackage): string | undefined {
  if (found.inProgress) return `package ${name} has a revision in progress`;
  if (found.version === undefined) return `package ${name} has not been applied yet`;
  if (!versionSatisfies(requirement.version, found.version)) {
    return `package ${name} is at ${found.version}, version ${requirement.version ?? ''} is required`;
  }
  return found.available ? undefined : `package ${name} is not available`;
}
