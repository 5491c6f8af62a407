import type { PackageRevision } from '../../api/package-revision.ts';
import type { ReleaseReader } from '../../compose/release-reader.ts';
import { type ObjectReport, judgeObjects, type JudgeSight } from './judge-objects.ts';
import { type Member, membersOf, type PackageScope, targetOf } from './package-scope.ts';

/** The objects of one component, as they are now. */
export interface ComponentScene {
  readonly name: string;
  readonly isHook: boolean;
  /** undefined: they could not be listed. */
  readonly objects: readonly ObjectReport[] | undefined;
}

export interface SceneSight extends JudgeSight {
  readonly releases: ReleaseReader;
}

/** The objects of the components that are not ready; of all that were delivered with `all`. */
export async function readScenes(
  sight: SceneSight,
  { package: pkg, revisions }: PackageScope,
  { all }: { readonly all: boolean },
): Promise<readonly ComponentScene[]> {
  const revision = revisions.at(-1);
  if (revision === undefined) return [];
  const conditions = pkg.status?.conditions ?? [];
  // The journal has them as ready, and one of them is no more.
  const isDegraded = conditions.some(({ type, reason }) => type === 'Ready' && reason === 'Degraded');
  const looked = membersOf(revision).filter((member) => isLookedAt(stateOf(revision, member), all || isDegraded));
  return Promise.all(looked.map((member) => readScene(sight, revision, member)));
}

function isLookedAt(state: string, all: boolean): boolean {
  return state === 'Submitted' || state === 'Failed' || (all && state === 'Ready');
}

function stateOf({ status }: PackageRevision, { component, isHook }: Member): string {
  const entries = isHook ? status?.hooks : status?.components;
  return entries?.find(({ name }) => name === component.name)?.state ?? 'Pending';
}

async function readScene(sight: SceneSight, revision: PackageRevision, member: Member): Promise<ComponentScene> {
  const { component, isHook } = member;
  const query = { backend: revision.spec.backend, target: targetOf(revision.spec.package, component) };
  const inventory = await sight.troubles.attempt(`what belongs to component ${component.name}`, () =>
    sight.releases.inventory(query),
  );
  const objects = inventory === undefined ? undefined : await judgeObjects(sight, member, inventory);
  return { name: component.name, isHook, objects };
}
