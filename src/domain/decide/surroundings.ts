import { ANNOTATION } from '../../api/names.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import type { DesiredPackage } from '../resolve/desired.ts';
import { crdObstacle, deleteOwnedCrds, settleCrds } from './crds.ts';
import { act, type Decision, wait } from './decision.ts';
import type { World } from './world.ts';

/** On a revision: what it was told to take over is taken. */
export const ADOPTED = 'done';

/** What stands against a start, apart from other packages and releases. */
export function surroundingsObstacle(world: World, desired: DesiredPackage): Decision | undefined {
  const { platformTrouble: message } = world;
  return message === undefined ? crdObstacle(world, desired) : wait({ reason: 'RequirementsNotMet', message });
}

/** What an applied revision puts in order around its releases, one thing at a time. */
export function settleSurroundings(world: World, applied: PackageRevision): Decision | undefined {
  return settleCrds(world, applied) ?? endAdoption(applied);
}

/** What is left once the releases of a package that is being removed are gone. */
export function tearDownSurroundings(world: World): Decision | undefined {
  return deleteOwnedCrds(world) ?? restoreNamespace(world);
}

/** Existing things are taken over by exactly one revision: whoever asks again means the next one. */
function endAdoption({ metadata, spec }: PackageRevision): Decision | undefined {
  if (spec.adopt !== true || metadata.annotations?.[ANNOTATION.adopt] === ADOPTED) return undefined;
  return act(
    { kind: 'end-adoption', revision: metadata.name },
    { reason: 'Progressing', message: 'nothing more is taken over' },
  );
}

/** Once nothing that needed it is there any more. */
export function restoreNamespace({ surplusPrivileges = [] }: World): Decision | undefined {
  const [namespace] = surplusPrivileges;
  if (namespace === undefined) return undefined;
  return act(
    { kind: 'restore-namespace', namespace },
    { reason: 'Progressing', message: `namespace ${namespace} needs the privileged level no more` },
  );
}
