import { ANNOTATION } from '../../api/names.ts';
import type { Package } from '../../api/package.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import type { PackageSource, Requirement } from '../../api/package-source.ts';
import { lastApplied } from '../../domain/decide/views.ts';
import { requiredName, requirementsOf } from '../../domain/resolve/requirements.ts';

/** A package as far as others depend on it, or it on them. */
export interface Installed {
  readonly package: Package;
  readonly source: PackageSource | undefined;
  /** Oldest first. */
  readonly revisions: readonly PackageRevision[];
}

/** Why a package cannot go: another one that stays needs it. */
export interface Need {
  readonly needed: string;
  readonly by: string;
  /** `package db, version >=2`, or a capability. */
  readonly what: string;
}

/** P20: what would be missing to those that stay. */
export function needsAgainst(leaving: ReadonlySet<string>, all: readonly Installed[]): readonly Need[] {
  return staying(leaving, all).flatMap((one) =>
    requirementsIn(one)
      .filter(({ optional }) => optional !== true)
      .flatMap((requirement) =>
        neededOf(requirement, { leaving, all }).map((needed) => needOf(needed, one, requirement)),
      ),
  );
}

interface Sight {
  readonly leaving: ReadonlySet<string>;
  readonly all: readonly Installed[];
}

/** Of a capability only the last providers are needed. */
function neededOf(requirement: Requirement, { leaving, all }: Sight): readonly string[] {
  const providers = providersOf(requirement, all);
  return providers.every((name) => leaving.has(name)) ? providers : [];
}

function needOf(needed: string, { package: pkg }: Installed, requirement: Requirement): Need {
  const version = requirement.version ?? '';
  const constraint = requirement.package === undefined || version === '' ? '' : `, version ${version}`;
  const kind = requirement.package === undefined ? 'capability' : 'package';
  return { needed, by: nameOf(pkg), what: `${kind} ${requiredName(requirement)}${constraint}` };
}

/** Packages that were only pulled in for others, and that nothing needs once those are gone. */
export function orphansAfter(leaving: ReadonlySet<string>, all: readonly Installed[]): readonly string[] {
  const going = new Set(leaving);
  const isNeeded = (name: string): boolean =>
    staying(going, all).some((one) =>
      requirementsIn(one).some((requirement) => providersOf(requirement, all).includes(name)),
    );
  for (let found = true; found; ) {
    const orphans = staying(going, all)
      .filter(({ package: pkg }) => pkg.metadata.annotations?.[ANNOTATION.dependency] !== undefined)
      .map(({ package: pkg }) => nameOf(pkg))
      .filter((name) => !isNeeded(name));
    for (const name of orphans) going.add(name);
    found = orphans.length > 0;
  }
  return [...going].filter((name) => !leaving.has(name)).sort();
}

function staying(leaving: ReadonlySet<string>, all: readonly Installed[]): readonly Installed[] {
  return all.filter(
    ({ package: { metadata } }) => !leaving.has(metadata.name) && metadata.deletionTimestamp === undefined,
  );
}

/** What runs may require something else than what is wanted next: both count. */
export function requirementsIn({ package: pkg, source, revisions }: Installed): readonly Requirement[] {
  const variant = source?.spec.variants?.find(({ name }) => name === pkg.spec.variant);
  const declared = variant === undefined ? [] : requirementsOf(pkg, variant);
  const ignored = new Set(pkg.spec.ignoreDependencies ?? []);
  const applied = (lastApplied({ revisions })?.spec.requires ?? []).filter((one) => !ignored.has(requiredName(one)));
  const all = new Map([...applied, ...declared].map((one) => [JSON.stringify(one), one]));
  return [...all.values()];
}

/** Packages that exist and meet a requirement, or could; sorted. Every name is a capability of its own package. */
export function providersOf(
  { package: name, capability = '' }: Requirement,
  all: readonly Installed[],
): readonly string[] {
  const provides = ({ package: pkg, source }: Installed): boolean =>
    name === undefined
      ? nameOf(pkg) === capability || (source?.spec.provides ?? []).includes(capability)
      : nameOf(pkg) === name;
  return all
    .filter((one) => one.package.metadata.deletionTimestamp === undefined && provides(one))
    .map(({ package: pkg }) => nameOf(pkg))
    .sort();
}

function nameOf({ metadata }: Package): string {
  return metadata.name;
}
