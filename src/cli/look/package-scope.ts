import { KubepkgError } from '../../api/errors.ts';
import type { Package } from '../../api/package.ts';
import type { PackageRevision, RevisionComponent } from '../../api/package-revision.ts';
import { withAdditions } from '../../domain/release/additions.ts';
import { didYouMeanHint } from '../../lib/did-you-mean.ts';
import type { ReleaseTarget } from '../../ports/backend.ts';
import { packageNotFound } from '../change/find-packages.ts';
import { requireKinds } from '../cluster-kinds.ts';
import { type GlobalFlags, withCluster } from '../commands/context.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { CliHost, Cluster } from '../host.ts';
import { requirePackageName } from '../install/package-argument.ts';
import { asPackage, ownRevisions, PACKAGES, revisionsOf } from '../objects.ts';

/** A package with its revisions, oldest first. */
export interface PackageScope {
  readonly package: Package;
  readonly revisions: readonly PackageRevision[];
}

export interface ScopedCluster {
  readonly cluster: Cluster;
  readonly scope: PackageScope;
}

/** Runs something with a package that is in the cluster. */
export function withScope(
  host: CliHost,
  { name, flags }: { readonly name: string; readonly flags: GlobalFlags },
  use: (scoped: ScopedCluster) => Promise<ExitCode>,
): Promise<ExitCode> {
  requirePackageName(name);
  return withCluster(host, flags, async ({ cluster }) => use({ cluster, scope: await readScope(cluster, name) }));
}

/** Reads both, or says which package may have been meant. */
async function readScope(cluster: Cluster, name: string): Promise<PackageScope> {
  await requireKinds(cluster);
  const [pkg, revisions] = await Promise.all([cluster.read({ ...PACKAGES, name }), cluster.list(revisionsOf([name]))]);
  if (pkg === undefined) throw packageNotFound(name, (await cluster.list(PACKAGES)).items);
  return { package: asPackage(pkg), revisions: ownRevisions(asPackage(pkg), revisions.items) };
}

/** The revision of that number; without one, the newest, which is what is wanted now. */
export function requireRevision({ package: pkg, revisions }: PackageScope, number?: number): PackageRevision {
  const found = number === undefined ? revisions.at(-1) : revisions.find(({ spec }) => spec.revision === number);
  if (found !== undefined) return found;
  const { name } = pkg.metadata;
  if (revisions.length === 0) {
    throw new KubepkgError('NotFound', `package ${name} has no revision yet`, {
      hint: `see what it waits for: kubepkg status ${name}`,
    });
  }
  const numbers = revisions.map(({ spec }) => String(spec.revision)).join(', ');
  throw new KubepkgError('NotFound', `package ${name} has no revision ${String(number)}`, {
    hint: `kept are ${numbers}; more about them: kubepkg history ${name}`,
  });
}

export interface Member {
  readonly component: RevisionComponent;
  readonly isHook: boolean;
}

/** Hooks first, as they run. */
export function membersOf(revision: PackageRevision): readonly Member[] {
  const { spec } = withAdditions(revision);
  const hooks = (spec.hooks ?? []).map((component) => ({ component, isHook: true }));
  const components = (spec.components ?? []).map((component) => ({ component, isHook: false }));
  return [...hooks, ...components];
}

/** All of them, or the one of that name. */
export function chooseMembers(revision: PackageRevision, name?: string): readonly Member[] {
  const members = membersOf(revision);
  if (name === undefined) return members;
  const chosen = members.filter(({ component }) => component.name === name);
  if (chosen.length > 0) return chosen;
  const names = members.map(({ component }) => component.name);
  const { package: pkg, revision: number } = revision.spec;
  throw new KubepkgError('NotFound', `revision ${String(number)} of package ${pkg} has no component ${name}`, {
    hint: didYouMeanHint(name, names, `it has ${names.length === 0 ? 'none' : names.join(', ')}`),
  });
}

export function targetOf(pkg: string, { name, releaseName, namespace }: RevisionComponent): ReleaseTarget {
  return { package: pkg, component: name, releaseName, namespace };
}

/** The backend's number of what a revision delivered for a component; undefined: it has not delivered it. */
export function deliveryOf({ status }: PackageRevision, { component, isHook }: Member): number | undefined {
  const entries = isHook ? status?.hooks : status?.components;
  return entries?.find(({ name }) => name === component.name)?.backendRevision;
}
