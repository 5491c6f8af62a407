import type { World } from '../domain/decide/world.ts';
import { platformValuesOf } from '../domain/resolve/platform-values.ts';
import { type CrdSight, viewCrds } from './crds.ts';
import { type NamespaceSight, surplusPrivileges } from './namespaces.ts';
import type { PlatformValues } from './platform-values.ts';

export interface Surroundings extends CrdSight, NamespaceSight {
  readonly platform: PlatformValues;
}

/** What a decision has to know of the cluster, apart from releases and other packages. */
export async function viewSurroundings(
  sight: Surroundings,
  world: World,
): Promise<Pick<World, 'crds' | 'surplusPrivileges' | 'platformTrouble'>> {
  return {
    crds: await viewCrds(sight, world),
    surplusPrivileges: surplusPrivileges(sight, world),
    platformTrouble: platformTrouble(sight, world.package.metadata.name),
  };
}

/** A package that takes none of the platform's values does not wait for them. */
function platformTrouble({ journal, platform }: Surroundings, pkg: string): string | undefined {
  const view = platform.view();
  const source = journal.source(pkg);
  if (view.kind !== 'missing' || source?.ok !== true) return undefined;
  return platformValuesOf(source.value, {}) === undefined ? undefined : view.message;
}
