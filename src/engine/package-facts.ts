import type { Package } from '../api/package.ts';
import type { PackageRevision } from '../api/package-revision.ts';
import { type PackageSource, type Requirement, UNVERSIONED } from '../api/package-source.ts';
import { isInProgress, lastApplied } from '../domain/decide/views.ts';
import { type CapabilityProvider, type RequiredPackage, requirementsOf } from '../domain/resolve/requirements.ts';
import type { Journal } from './journal.ts';

/** A Package that exists and can be read. */
export function findPackage(journal: Journal, name: string): Package | undefined {
  const parsed = journal.package(name);
  return parsed?.ok === true ? parsed.value : undefined;
}

export function findSource(journal: Journal, name: string): PackageSource | undefined {
  const parsed = journal.source(name);
  return parsed?.ok === true ? parsed.value : undefined;
}

/** How a package stands that another one requires. */
export function requiredPackage(journal: Journal, pkg: Package): RequiredPackage {
  const revisions = journal.revisions(pkg);
  return {
    available: hasCondition(pkg, 'Available', 'True'),
    inProgress: revisions.some((revision) => isInProgress(revision) || revision.status?.rollback?.state === 'Owed'),
    leaving: pkg.metadata.deletionTimestamp !== undefined,
    version: lastApplied({ revisions })?.spec.version,
  };
}

function hasCondition({ status }: Package, type: string, value: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === value) === true;
}

/** Whether something of it is installed, or being installed. */
export function holdsSomething(journal: Journal, pkg: Package): boolean {
  return journal.revisions(pkg).some((revision) => {
    const { appliedAt, components = [], hooks = [] } = revision.status ?? {};
    const isBegun = [...components, ...hooks].some(({ attempt = 0 }) => attempt > 0);
    return isInProgress(revision) || appliedAt !== undefined || isBegun;
  });
}

/** What a package would require for its next revision. */
export function declaredRequirements(journal: Journal, pkg: Package): readonly Requirement[] {
  const variants = findSource(journal, pkg.metadata.name)?.spec.variants ?? [];
  const variant = variants.find(({ name }) => name === pkg.spec.variant);
  return variant === undefined ? [] : requirementsOf(pkg, variant);
}

export type Providers = (capability: string) => readonly string[];

/** Packages that exist and whose sources provide a capability, sorted; every name is a capability of its own package. */
export function indexProviders(journal: Journal): Providers {
  let index: ReadonlyMap<string, readonly string[]> | undefined;
  return (capability) => {
    index ??= readProviders(journal);
    const named = findPackage(journal, capability) === undefined ? [] : [capability];
    return [...new Set([...named, ...(index.get(capability) ?? [])])].sort();
  };
}

function readProviders(journal: Journal): ReadonlyMap<string, readonly string[]> {
  const index = new Map<string, string[]>();
  for (const { metadata, spec } of journal.sources()) {
    if (spec.provides === undefined || findPackage(journal, metadata.name) === undefined) continue;
    for (const capability of spec.provides) {
      index.set(capability, [...(index.get(capability) ?? []), metadata.name]);
    }
  }
  return index;
}

export function describeProvider(journal: Journal, name: string): readonly CapabilityProvider[] {
  const pkg = findPackage(journal, name);
  if (pkg === undefined) return [];
  const applied = lastApplied({ revisions: journal.revisions(pkg) });
  const source = findSource(journal, name);
  const sourceVersion = source === undefined || isApplied(source, applied) ? undefined : labelOf(source);
  return [{ name, package: requiredPackage(journal, pkg), sourceVersion }];
}

/** A revision that the Go implementation wrote may have no build, and no version where there was none. */
function isApplied({ spec }: PackageSource, applied: PackageRevision | undefined): boolean {
  if (applied === undefined) return true;
  const version = applied.spec.version === '' ? UNVERSIONED : applied.spec.version;
  return version === (spec.version ?? UNVERSIONED) && (applied.spec.build ?? spec.build) === spec.build;
}

function labelOf({ spec }: PackageSource): string {
  return `version ${spec.version ?? UNVERSIONED}, build ${String(spec.build)}`;
}
