import type { Package } from '../api/package.ts';
import type { Requirement } from '../api/package-source.ts';
import { type Declaration, findClash, goesFirst, type Standing } from '../domain/resolve/conflicts.ts';
import { type LeavingPackage, leavingDependents } from '../domain/resolve/leaving-dependents.ts';
import type { Journal } from './journal.ts';
import { declaredRequirements, findPackage, findSource, holdsSomething, indexProviders } from './package-facts.ts';

export interface Rival {
  readonly name: string;
  readonly message: string;
}

/** Packages beside which this one must not be installed, as long as they are there. */
export function conflictsOf(journal: Journal, pkg: Package): readonly Rival[] {
  const own = declarationOf(journal, pkg.metadata.name);
  const speaking = journal.sources().filter(({ spec }) => own.conflicts.length > 0 || spec.conflicts !== undefined);
  const names = new Set([...speaking.map(({ metadata }) => metadata.name), ...own.conflicts]);
  const rivals: Rival[] = [];
  for (const name of [...names].sort()) {
    const clash = findClash(own, declarationOf(journal, name));
    const other = clash === undefined ? undefined : findPackage(journal, name);
    if (clash === undefined || other === undefined) continue;
    if (!goesFirst(standingOf(journal, other), standingOf(journal, pkg))) continue;
    rivals.push({ name, message: `${clash}; remove one of the two` });
  }
  return rivals;
}

function declarationOf(journal: Journal, name: string): Declaration {
  const { provides = [], conflicts = [] } = findSource(journal, name)?.spec ?? {};
  return { name, provides, conflicts };
}

function standingOf(journal: Journal, pkg: Package): Standing {
  const { name, creationTimestamp: createdAt } = pkg.metadata;
  return { name, createdAt, holds: holdsSomething(journal, pkg) };
}

/** Packages that are being removed as well and must be gone before this one. */
export function leavingDependentsOf(journal: Journal, pkg: Package): readonly string[] {
  if (pkg.metadata.deletionTimestamp === undefined) return [];
  const providers = indexProviders(journal);
  const leaving = journal.packageNames().flatMap((name): readonly LeavingPackage[] => {
    const other = findPackage(journal, name);
    if (other?.metadata.deletionTimestamp === undefined) return [];
    const requires = recordedRequirements(journal, other).flatMap(({ package: wanted, capability = '' }) =>
      wanted === undefined ? providers(capability) : [wanted],
    );
    return [{ name, createdAt: other.metadata.creationTimestamp, requires }];
  });
  return leavingDependents(pkg.metadata.name, leaving);
}

/** As the newest revision has them; older revisions do not say. */
function recordedRequirements(journal: Journal, pkg: Package): readonly Requirement[] {
  return journal.revisions(pkg).at(-1)?.spec.requires ?? declaredRequirements(journal, pkg);
}
