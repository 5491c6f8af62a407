import { crdRivals } from '../domain/decide/crds.ts';
import type { World } from '../domain/decide/world.ts';
import { apiVersionOf } from '../domain/resolve/requirements.ts';
import type { Journal } from './journal.ts';
import { declaredRequirements, findPackage, findSource, indexProviders } from './package-facts.ts';
import { isReady, mayStartOne, requiresOf } from './requirements.ts';
import { conflictsOf } from './rivals.ts';
import type { Interest } from './waiting.ts';

/** Whom a package has to hear of, for what stands against it at this moment; undefined: of nobody. */
export function interestOf(journal: Journal, world: World): Interest | undefined {
  const { package: pkg, unmetRequirements, conflicts, leavingDependents } = world;
  const isLeaving = pkg.metadata.deletionTimestamp !== undefined;
  const requires = isLeaving ? [] : requiresOf(world);
  const owners = crdRivals(world);
  if (requires.length + conflicts.length + leavingDependents.length + owners.length === 0) return undefined;
  const isBlocked = unmetRequirements.length > 0 && mayStartOne(world);
  const awaited = isBlocked ? requires : [];
  const capabilities = awaited.flatMap(({ capability }) => capability ?? []);
  const providers = indexProviders(journal);
  return {
    reported: new Set(requires.flatMap(({ package: name }) => name ?? [])),
    packages: new Set([
      ...awaited.flatMap(({ package: name }) => name ?? []),
      ...capabilities.flatMap((capability) => providers(capability)),
      ...(conflicts.length === 0 ? [] : conflictsOf(journal, pkg).map(({ name }) => name)),
      ...leavingDependents,
      ...owners,
    ]),
    capabilities: new Set(capabilities),
    groups: new Set(capabilities.flatMap((capability) => groupOf(apiVersionOf(capability)) ?? [])),
  };
}

/** The core group has no name. */
function groupOf(apiVersion: string | undefined): string | undefined {
  if (apiVersion === undefined) return undefined;
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

export function providedBy(journal: Journal, name: string): readonly string[] {
  return [name, ...(findSource(journal, name)?.spec.provides ?? [])];
}

/** What the status of a package says of one that it requires is not so any more. */
export function isReportStale(journal: Journal, name: string, changed: string): boolean {
  const pkg = findPackage(journal, name);
  if (pkg === undefined) return false;
  const ready = isReady(journal, declaredRequirements(journal, pkg), changed);
  return ready !== undefined && ready !== pkg.status?.dependencies?.[changed]?.ready;
}
