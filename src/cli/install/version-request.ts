import type { KubeObject } from '../../api/kube.ts';
import { LABEL } from '../../api/names.ts';
import type { Package } from '../../api/package.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import type { PackageSource, Requirement } from '../../api/package-source.ts';
import { type Parsed, parsePackage, parsePackageSource } from '../../api/parse.ts';
import { offerOf } from '../../domain/resolve/solve/offer.ts';
import type {
  AskedPackage,
  InstalledPackage,
  OfferedVersion,
  VersionRequest,
} from '../../domain/resolve/solve/request.ts';
import type { Planned } from './planned.ts';

/** Everything in the cluster that has a say in which versions are taken. */
export interface VersionFacts {
  readonly packages: readonly KubeObject[];
  readonly sources: readonly KubeObject[];
  /** Revisions of packages whose source is not at the version that runs any more. */
  readonly revisions: readonly PackageRevision[];
  /** Some repository may deliver what is not there yet. */
  readonly hasRepositories: boolean;
  readonly servedApis: readonly string[];
}

/** What is to be written. */
export interface WantedObjects {
  readonly sources: readonly Planned[];
  readonly packages: readonly Planned[];
  /** Constraints that are given this time, by package. */
  readonly constraints: ReadonlyMap<string, string>;
}

export function versionRequest(facts: VersionFacts, wanted: WantedObjects): VersionRequest {
  const before = byName(facts.sources.flatMap((object) => parsed(parsePackageSource(object))));
  const given = byName(wanted.sources.flatMap(({ after }) => parsed(parsePackageSource(after))));
  const sources = new Map([...before, ...given]);
  const packages = byName(remaining(facts.packages).flatMap((object) => parsed(parsePackage(object))));
  const offers = [...sources.values()].flatMap(offersOf);
  const afterwards = byName(wanted.packages.flatMap(({ after }) => parsed(parsePackage(after))));
  const request = {
    installed: [...packages.values()].map((pkg) => {
      const { name } = pkg.metadata;
      return installedPackage(pkg, { facts, after: afterwards.get(name) ?? pkg, source: before.get(name) });
    }),
    offers,
    asked: [...askedPackages(wanted, sources), ...affectedPackages(wanted, given, packages)],
    servedApis: facts.servedApis,
  };
  return facts.hasRepositories ? withoutUnknown(request) : request;
}

function byName<T extends Package | PackageSource>(objects: readonly T[]): ReadonlyMap<string, T> {
  return new Map(objects.map((object) => [object.metadata.name, object]));
}

/** What cannot be read has no say. */
function parsed<T>(result: Parsed<T>): readonly T[] {
  return result.ok ? [result.value] : [];
}

/** Nobody can count on what is on its way out. */
function remaining(packages: readonly KubeObject[]): readonly KubeObject[] {
  return packages.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

export function isFromRepository({ metadata }: PackageSource): boolean {
  return metadata.labels?.[LABEL.repository] !== undefined;
}

/** A repository may have other versions than the one that it delivered last. */
function offersOf(source: PackageSource): readonly OfferedVersion[] {
  const offer = offerOf(source);
  return isFromRepository(source) ? [offer, { ...offer, version: undefined, variants: [] }] : [offer];
}

interface Running {
  readonly facts: VersionFacts;
  /** As it will be. */
  readonly after: Package;
  /** As it is in the cluster. */
  readonly source: PackageSource | undefined;
}

function installedPackage(pkg: Package, { facts, after, source }: Running): InstalledPackage {
  const { spec, metadata, status } = pkg;
  const wishes = {
    constraint: after.spec.version,
    ignores: after.spec.ignoreDependencies ?? [],
    variant: spec.variant,
  };
  const known = { name: metadata.name, version: status?.version, ...wishes };
  if (source === undefined) return { ...known, requires: [], provides: [], conflicts: [] };
  const { provides, conflicts } = offerOf(source);
  return { ...known, provides, conflicts, ...whatRan(pkg, source, facts) };
}

/** As the source says it, where it is at the version that runs; else as the revision has it. */
function whatRan(
  { metadata, spec, status }: Package,
  source: PackageSource,
  { revisions }: VersionFacts,
): Pick<InstalledPackage, 'build' | 'requires'> {
  const { build, variants, version } = offerOf(source);
  const declared = variants.find(({ name }) => name === spec.variant)?.requires ?? [];
  if (version === status?.version) return { build, requires: declared };
  const ran = revisions.findLast((one) => isRevisionOf(one, metadata.name, status?.version));
  return { build: ran?.spec.build, requires: ran?.spec.requires ?? declared };
}

function isRevisionOf({ spec, status }: PackageRevision, name: string, version: string | undefined): boolean {
  return spec.package === name && spec.version === version && status?.phase === 'Applied';
}

function askedPackages(
  { packages, constraints }: WantedObjects,
  sources: ReadonlyMap<string, PackageSource>,
): readonly AskedPackage[] {
  return packages.flatMap(({ name, after }) => {
    const source = sources.get(name);
    const pkg = parsed(parsePackage(after))[0];
    // A repository has yet to say what it has.
    if (source === undefined || pkg === undefined) return [];
    const { variant, ignoreDependencies: ignores } = pkg.spec;
    return [{ name, constraint: constraints.get(name), variant, ignores, followsOffer: !isFromRepository(source) }];
  });
}

/** Whose source is given follows it, whoever named it. */
function affectedPackages(
  wanted: WantedObjects,
  given: ReadonlyMap<string, PackageSource>,
  packages: ReadonlyMap<string, Package>,
): readonly AskedPackage[] {
  return [...given.keys()]
    .filter((name) => packages.has(name) && !wanted.packages.some((one) => one.name === name))
    .map((name) => ({ name, followsOffer: true }));
}

/** Of what nobody has, a repository may have it: that is left to the operator. */
function withoutUnknown(request: VersionRequest): VersionRequest {
  const known = new Set([...request.offers, ...request.installed].flatMap(({ name, provides }) => [name, ...provides]));
  const heed = (requires: readonly Requirement[]): readonly Requirement[] =>
    requires.filter(({ package: name, capability = '' }) => known.has(name ?? capability));
  return {
    ...request,
    installed: request.installed.map((one) => ({ ...one, requires: heed(one.requires) })),
    offers: request.offers.map((one) => ({
      ...one,
      variants: one.variants.map((variant) => ({ ...variant, requires: heed(variant.requires) })),
    })),
  };
}
