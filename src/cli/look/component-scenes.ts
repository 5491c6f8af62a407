import type { PackageRevision } from '../../api/package-revision.ts';
import type { Part } from '../../domain/decide/views.ts';
import { type ObjectReport, judgeObjects } from './judge-objects.ts';
import { allMembers, type Member, type PackageScope, progressIn } from './package-scope.ts';
import { releaseQuery, type Sight } from './sight.ts';

/** The objects of one component, as they are now. */
export interface ComponentScene {
  readonly name: string;
  readonly part: Part;
  /** undefined: they could not be listed. */
  readonly objects: readonly ObjectReport[] | undefined;
}

/** The objects of the components that are not ready; of all that were delivered with `all`. */
export async function readScenes(
  sight: Sight,
  { package: pkg, revisions }: PackageScope,
  { all }: { readonly all: boolean },
): Promise<readonly ComponentScene[]> {
  const revision = revisions.at(-1);
  if (revision === undefined) return [];
  const conditions = pkg.status?.conditions ?? [];
  // The journal has them as ready, and one of them is no more.
  const isDegraded = conditions.some(({ type, reason }) => type === 'Ready' && reason === 'Degraded');
  const looked = allMembers(revision).filter((member) =>
    isLookedAt(progressIn(revision, member).state ?? 'Pending', all || isDegraded),
  );
  return Promise.all(looked.map((member) => readScene(sight, { revision, member, all })));
}

function isLookedAt(state: string, all: boolean): boolean {
  return state === 'Submitted' || state === 'Failed' || (all && state === 'Ready');
}

interface Looked {
  readonly revision: PackageRevision;
  readonly member: Member;
  readonly all: boolean;
}

async function readScene(sight: Sight, { revision, member, all }: Looked): Promise<ComponentScene> {
  const { component, part } = member;
  const inventory = await sight.troubles.attempt(`what belongs to component ${component.name}`, () =>
    sight.releases.inventory(releaseQuery(revision, component)),
  );
  const objects = inventory === undefined ? undefined : await judgeObjects(sight, member, { inventory, all });
  return { name: component.name, part, objects };
}
