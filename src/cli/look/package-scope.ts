import { KubepkgError } from '../../api/errors.ts';
import type { Package } from '../../api/package.ts';
import type { ComponentProgress, PackageRevision, RevisionComponent } from '../../api/package-revision.ts';
import { membersOf, type Part, progressOf } from '../../domain/decide/views.ts';
import { withAdditions } from '../../domain/release/additions.ts';
import { didYouMeanHint } from '../../lib/did-you-mean.ts';
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
  readonly part: Part;
}

/** Hooks first, as they run. */
export function allMembers(revision: PackageRevision): readonly Member[] {
  const complete = withAdditions(revision);
  return (['hooks', 'components'] as const).flatMap((part) =>
    membersOf(complete, part).map((component) => ({ component, part })),
  );
}

/** All of them, or the one of that name. */
export function chooseMembers(revision: PackageRevision, name?: string): readonly Member[] {
  const members = allMembers(revision);
  if (name === undefined) return members;
  const chosen = members.filter(({ component }) => component.name === name);
  if (chosen.length > 0) return chosen;
  const names = members.map(({ component }) => component.name);
  const { package: pkg, revision: number } = revision.spec;
  throw new KubepkgError('NotFound', `revision ${String(number)} of package ${pkg} has no component ${name}`, {
    hint: didYouMeanHint(name, names, `it has ${names.length === 0 ? 'none' : names.join(', ')}`),
  });
}

/** How far a revision has come with a component. */
export function progressIn(revision: PackageRevision, { component, part }: Member): ComponentProgress {
  return progressOf(revision, component.name, part);
}
