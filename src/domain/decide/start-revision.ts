import { ANNOTATION } from '../../api/names.ts';
import { isTaken, type ReleaseObservation } from '../release/observation.ts';
import { snapshotOf } from '../release/snapshot.ts';
import type { DesiredComponent, DesiredPackage } from '../resolve/desired.ts';
import { withAcceptedValues } from '../resolve/platform-values.ts';
import { answerTo } from './answer.ts';
import { act, type Decision, wait } from './decision.ts';
import { memoryOf, nextNumber } from './restoring-revision.ts';
import { howToForce, isForced, isMoved, unsafeAbove, whyUnsafe } from './safety.ts';
import { surroundingsObstacle } from './surroundings.ts';
import { componentsOf, isMoveTo, labelOf, lastApplied } from './views.ts';
import { releaseKey, type World } from './world.ts';

/** Why a desired state cannot start now; undefined when it can. Nothing has been touched yet. */
export function startObstacle(world: World, desired: DesiredPackage): Decision | undefined {
  if (desired.isHalfWritten) return wait(halfWritten(desired));
  const unmet = world.unmetRequirements;
  if (unmet.length > 0) return wait({ reason: 'RequirementsNotMet', message: unmet.join('; ') });
  if (world.conflicts.length > 0) return wait({ reason: 'Conflict', message: world.conflicts.join('; ') });
  return (
    backendObstacle(world, desired) ??
    surroundingsObstacle(world, desired) ??
    wayBackObstacle(world, desired) ??
    hookObstacle(world, desired) ??
    ownershipObstacle(world, desired)
  );
}

function halfWritten({ package: name, version }: DesiredPackage): {
  readonly reason: 'Progressing';
  readonly message: string;
} {
  const message = `version ${version}: the change of Package ${name} that belongs to it has not come yet; give it again, or remove annotation ${ANNOTATION.awaitsGeneration} from the PackageSource`;
  return { reason: 'Progressing', message };
}

/** Its releases stay with the backend that has their records: another one would install beside them, or remove them. */
function backendObstacle(world: World, desired: DesiredPackage): Decision | undefined {
  const standing = world.revisions.findLast(({ spec }) => spec.backend !== undefined)?.spec.backend;
  if (standing === undefined || standing === desired.backend) return undefined;
  const message = `the package was installed by backend ${standing}, and spec.backend, or the operator's default, is ${desired.backend} now; a package stays with its backend until it is removed: set spec.backend to ${standing}`;
  return { kind: 'invalid', reason: 'InvalidConfiguration', message };
}

/** P11: editing the Package is no way around the safety of a version. */
function wayBackObstacle(world: World, desired: DesiredPackage): Decision | undefined {
  const unsafe = unsafeAbove(world, desired);
  if (unsafe.length === 0 || isForced(world, unsafe)) return undefined;
  const message = `version ${desired.version} is older than what has run, and ${whyUnsafe(world, unsafe)}; ${howToForce(unsafe)}`;
  return { kind: 'invalid', reason: 'InvalidConfiguration', message };
}

/** P13: hooks run when the package moves to another version, and what runs now is what they move it from. */
function hooksOf(world: World, desired: DesiredPackage): readonly DesiredComponent[] {
  return isMoveTo(world, desired.version) ? desired.hooks : [];
}

/** P15: a hook runs afresh, so its release goes before anything has succeeded; that of a component that runs must not. */
function hookObstacle(world: World, desired: DesiredPackage): Decision | undefined {
  const applied = lastApplied(world);
  const running = applied === undefined ? [] : componentsOf(applied);
  for (const hook of hooksOf(world, desired)) {
    const component = running.find((each) => releaseKey(each) === releaseKey(hook));
    if (applied === undefined || component === undefined) continue;
    const message = `hook ${hook.name} would take the place of component ${component.name}, release ${releaseKey(hook)}, which ${labelOf(applied)} runs and which would be removed before the hook has run; give the hook another releaseName`;
    return { kind: 'invalid', reason: 'InvalidConfiguration', message };
  }
  return undefined;
}

/** P21: found before anything is touched. */
function ownershipObstacle(world: World, desired: DesiredPackage): Decision | undefined {
  const hooks = hooksOf(world, desired);
  for (const component of [...hooks, ...desired.components]) {
    const adopt = isAdopting(world) && !hooks.includes(component);
    const obstacle = releaseObstacle(world, component, adopt);
    if (obstacle !== undefined) return obstacle;
  }
  return undefined;
}

function releaseObstacle(world: World, component: DesiredComponent, adopt: boolean): Decision | undefined {
  const observation = world.releases[releaseKey(component)]?.observation;
  if (observation?.state === 'unknown') return unreadObstacle(component, observation, adopt);
  if (observation?.state !== 'foreign' || !isTaken(observation, { adopt })) return undefined;
  const remedy =
    observation.otherPackage === undefined
      ? `set annotation ${ANNOTATION.adopt}=true to take it over`
      : `remove it from package ${observation.otherPackage}`;
  return {
    kind: 'invalid',
    unwatched: true,
    reason: 'InvalidConfiguration',
    message: `component ${component.name}: release ${releaseKey(component)} exists and ${observation.message}; choose another releaseName, or ${remedy}`,
  };
}

/** What another package is at work on ends, and who waits for it hears of that; anything else is looked at again soon. */
function unreadObstacle(
  { name }: DesiredComponent,
  { message, heldFor }: Extract<ReleaseObservation, { state: 'unknown' }>,
  adopt: boolean,
): Decision | undefined {
  const explanation = { reason: 'Progressing', message: `component ${name}: ${message}` } as const;
  if (heldFor !== undefined) return wait(explanation);
  return adopt ? undefined : { kind: 'observe', ...explanation };
}

function isAdopting(world: World): boolean {
  return world.package.metadata.annotations?.[ANNOTATION.adopt] === 'true';
}

/** The first step of a new revision: charts are fetched and verified before anything is written. */
export function startRevision(world: World, desired: DesiredPackage): Decision {
  const obstacle = startObstacle(world, desired);
  if (obstacle !== undefined) return obstacle;
  const { preparation } = world;
  switch (preparation.kind) {
    case 'none':
      return prepare(world, desired);
    case 'running':
      return wait(fetching(desired));
    case 'failed':
      return preparation.class === 'transient'
        ? wait(
            { reason: reasonOf(preparation), message: `${preparation.message}; it is tried again` },
            preparation.retryAt,
          )
        : { kind: 'invalid', reason: 'InvalidConfiguration', message: preparation.message };
    case 'ready':
      return createRevision(world, desired, preparation.charts);
  }
}

/** What is missing in the cluster is for its owner to mend, and is seen when it is. */
function reasonOf({ code }: Extract<World['preparation'], { kind: 'failed' }>): 'FetchFailed' | 'InvalidConfiguration' {
  return code === 'BackendUnavailable' ? 'InvalidConfiguration' : 'FetchFailed';
}

function fetching(desired: DesiredPackage): { readonly reason: 'Progressing'; readonly message: string } {
  return { reason: 'Progressing', message: `version ${desired.version}: charts are being fetched and verified` };
}

function prepare(world: World, desired: DesiredPackage): Decision {
  const hooks = hooksOf(world, desired).length > 0;
  return act({ kind: 'prepare', digest: desired.digest, hooks }, fetching(desired));
}

function createRevision(
  world: World,
  desired: DesiredPackage,
  charts: Parameters<typeof snapshotOf>[1]['charts'],
): Decision {
  const number = nextNumber(world);
  const applied = lastApplied(world);
  const accepted = withAcceptedValues(desired, (name) => charts[name]?.valuesKeys);
  const spec = snapshotOf(accepted, {
    number,
    adopt: isAdopting(world),
    valuesNamespace: world.valuesNamespace,
    charts,
    hooks: hooksOf(world, accepted),
    fromVersion: applied?.spec.version,
  });
  if (spec === undefined) return prepare(world, desired);
  const isAway = applied !== undefined && isMoved({ spec }, applied);
  const message = `revision ${String(number)} (${desired.version}) is starting`;
  return act(
    {
      kind: 'create-revision',
      spec: isAway ? { ...spec, rollbackSafe: false } : spec,
      annotations: {
        ...answerTo(world, desired),
        ...memoryOf(world),
        ...forceOf(world, desired),
      },
    },
    { reason: 'Progressing', message },
  );
}

/** That a way back was forced is used up by the revision that it lets start. */
function forceOf(world: World, desired: DesiredPackage): Record<string, string> {
  const force = world.package.metadata.annotations?.[ANNOTATION.forceRollback];
  const isUsed = force !== undefined && unsafeAbove(world, desired).length > 0;
  return isUsed ? { [ANNOTATION.forceRollback]: force } : {};
}
