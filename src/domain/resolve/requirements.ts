import type { Package } from '../../api/package.ts';
import type { Requirement, SourceVariant } from '../../api/package-source.ts';
import { parseConstraint } from '../../lib/semver/constraint.ts';
import { versionSatisfies } from './check-version.ts';
import { type Unresolvable, unresolvable } from './desired.ts';

/** What is known of another package, or of a capability, when a requirement on it is judged. */
export interface RequirementFacts {
  readonly requirement: Requirement;
  /** The required package, when it exists. */
  readonly package?: RequiredPackage;
  /** Of a capability: the packages that exist and whose sources provide it, by name. */
  readonly providers?: readonly CapabilityProvider[];
  /** Of a capability that is an API. */
  readonly served?: ServedApi;
}

/** Whether the API server has an API, or why that is not known. */
export type ServedApi = boolean | { readonly unknown: string };

export interface RequiredPackage {
  readonly available: boolean;
  /** A revision is under way, or a rollback is owed. */
  readonly inProgress: boolean;
  /** It is being removed. */
  readonly leaving: boolean;
  /** Version that was applied last; undefined when none was. */
  readonly version: string | undefined;
}

export interface CapabilityProvider {
  readonly name: string;
  readonly package: RequiredPackage;
  /** Its source is at another version than the one that is applied: what that one provides is not known. */
  readonly sourceVersion: string | undefined;
}

const API_CAPABILITY = /^api:((?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\/)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)$/;

/** What a Package requires by its variant, without what it says to ignore. */
export function requirementsOf(pkg: Package, variant: SourceVariant): readonly Requirement[] {
  const ignored = new Set(pkg.spec.ignoreDependencies ?? []);
  const all = [
    ...(variant.dependsOn ?? []).map((name): Requirement => ({ package: name })),
    ...(variant.requires ?? []),
  ];
  return all.filter((requirement) => !ignored.has(requiredName(requirement)));
}

/** The package or capability that a requirement is about. */
export function requiredName({ package: name, capability }: Requirement): string {
  return name ?? capability ?? '';
}

/** `group/version`, or `v1`, of a capability that is an API; undefined: it is another one. */
export function apiVersionOf(capability: string | undefined): string | undefined {
  return API_CAPABILITY.exec(capability ?? '')?.[1];
}

/** A requirement that nothing could ever meet, because it cannot be read. */
export function findUnreadable(requires: readonly Requirement[]): Unresolvable | undefined {
  for (const requirement of requires) {
    const problem = requirement.package === undefined ? apiProblem(requirement) : constraintProblem(requirement);
    if (problem !== undefined) return unresolvable('InvalidConfiguration', problem);
  }
  return undefined;
}

function constraintProblem({ package: name = '', version = '' }: Requirement): string | undefined {
  if (version.trim() === '') return undefined;
  const parsed = parseConstraint(version);
  if (parsed.kind === 'constraint') return undefined;
  return `required package ${name}: version "${version}" is not a version constraint: ${parsed.message}`;
}

function apiProblem({ capability = '' }: Requirement): string | undefined {
  if (!capability.startsWith('api:') || apiVersionOf(capability) !== undefined) return undefined;
  return `required capability "${capability}" names no API: write api:GROUP/VERSION, or api:v1 for the core group`;
}

/**
 * P3: a package is met by what is applied and works, never by what somebody wants it to be. Undefined: met.
 * P4: an optional one that is absent is met. One that is present must be ready, in a version that satisfies the
 * constraint: "must be ready first" would mean little if it could be ready at a version that does not fit.
 */
export function unmetRequirement(facts: RequirementFacts): string | undefined {
  const { requirement } = facts;
  if (requirement.capability !== undefined) return unmetCapability(requirement.capability, facts);
  const name = requirement.package ?? '';
  if (facts.package === undefined) {
    return requirement.optional === true ? undefined : `package ${name} is not installed`;
  }
  return (
    notApplied(name, facts.package) ?? wrongVersion(name, requirement, facts.package) ?? broken(name, facts.package)
  );
}

function unmetCapability(capability: string, facts: RequirementFacts): string | undefined {
  const { requirement, providers = [] } = facts;
  const api = apiVersionOf(capability);
  const isMet =
    api === undefined ? providers.some((each) => notProviding(each, capability) === undefined) : facts.served === true;
  if (isMet || (requirement.optional === true && providers.length === 0)) return undefined;
  if (api !== undefined) return unservedApi(capability, facts);
  if (providers.length === 0) return `capability ${capability} is provided by no installed package`;
  const why = providers.flatMap((each) => notProviding(each, capability) ?? []);
  return `capability ${capability} is not provided: ${why.join(', ')}`;
}

function unservedApi(capability: string, { served, providers = [] }: RequirementFacts): string {
  if (typeof served === 'object') return `capability ${capability} could not be looked up: ${served.unknown}`;
  const names = providers.map(({ name }) => name).join(', ');
  const from = names === '' ? '' : `; it comes with package ${names}`;
  return `capability ${capability} is not served by the API server${from}`;
}

function notProviding(
  { name, package: found, sourceVersion }: CapabilityProvider,
  capability: string,
): string | undefined {
  const missing = notApplied(name, found) ?? broken(name, found);
  if (missing !== undefined || sourceVersion === undefined || capability === name) return missing;
  return `package ${name} has it at ${sourceVersion}, and is at ${found.version ?? ''}`;
}

function notApplied(name: string, found: RequiredPackage): string | undefined {
  if (found.leaving) return `package ${name} is being removed`;
  if (found.inProgress) return `package ${name} has a revision in progress`;
  return found.version === undefined ? `package ${name} has not been applied yet` : undefined;
}

function wrongVersion(name: string, { version }: Requirement, found: RequiredPackage): string | undefined {
  if (found.version === undefined || versionSatisfies(version, found.version)) return undefined;
  return `package ${name} is at ${found.version}, version ${version ?? ''} is required`;
}

function broken(name: string, found: RequiredPackage): string | undefined {
  return found.available ? undefined : `package ${name} is not available`;
}
