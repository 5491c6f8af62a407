import { ANNOTATION } from '../../api/names.ts';
import { snapshotOf } from '../release/snapshot.ts';
import type { DesiredPackage } from '../resolve/desired.ts';
import { act, type Decision, wait } from './decision.ts';
import { releaseKey, type World } from './world.ts';

/** Why a desired state cannot start now; undefined when it can. Nothing has been touched yet. */
export function startObstacle(world: World, desired: DesiredPackage): Decision | undefined {
  const unmet = world.unmetRequirements;
  if (unmet.length > 0) return wait({ reason: 'RequirementsNotMet', message: unmet.join('; ') });
  return hookObstacle(world, desired) ?? ownershipObstacle(world, desired);
}

function hookObstacle(world: World, desired: DesiredPackage): Decision | undefined {
  const applied = world.revisions.findLast((revision) => revision.status?.appliedAt !== undefined);
  const [hook] = desired.hooks;
  if (hook === undefined || applied === undefined || applied.spec.version === desired.version) return undefined;
  return {
    kind: 'invalid',
    reason: 'InvalidConfiguration',
    message: `component ${hook.name} is a PreUpgrade hook, which this version of kubepkg does not run; the upgrade from ${applied.spec.version} to ${desired.version} is not started`,
  };
}

/** P21: found before anything is touched. */
function ownershipObstacle(world: World, desired: DesiredPackage): Decision | undefined {
  if (isAdopting(world)) return undefined;
  for (const component of desired.components) {
    const observation = world.releases[releaseKey(component)]?.observation;
    if (observation?.state === 'unknown') {
      return { kind: 'observe', reason: 'Progressing', message: `component ${component.name}: ${observation.message}` };
    }
    if (observation?.state !== 'foreign') continue;
    return {
      kind: 'invalid',
      reason: 'InvalidConfiguration',
      message: `component ${component.name}: release ${releaseKey(component)} exists and ${observation.message}; choose another releaseName, or set annotation ${ANNOTATION.adopt}=true to take it over`,
    };
  }
  return undefined;
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
      return act({ kind: 'prepare', digest: desired.digest }, fetching(desired));
    case 'running':
      return wait(fetching(desired));
    case 'failed':
      return preparation.class === 'transient'
        ? wait({ reason: 'FetchFailed', message: `${preparation.message}; it is tried again` }, preparation.retryAt)
        : { kind: 'invalid', reason: 'InvalidConfiguration', message: preparation.message };
    case 'ready':
      return createRevision(world, desired, preparation.charts);
  }
}

function fetching(desired: DesiredPackage): { readonly reason: 'Progressing'; readonly message: string } {
  return { reason: 'Progressing', message: `version ${desired.version}: charts are being fetched and verified` };
}

function createRevision(
  world: World,
  desired: DesiredPackage,
  charts: Parameters<typeof snapshotOf>[1]['charts'],
): Decision {
  const number = 1 + Math.max(0, ...world.revisions.map((revision) => revision.spec.revision));
  const spec = snapshotOf(desired, {
    number,
    adopt: isAdopting(world),
    valuesNamespace: world.valuesNamespace,
    charts,
  });
  if (spec === undefined) return act({ kind: 'prepare', digest: desired.digest }, fetching(desired));
  const message = `revision ${String(number)} (${desired.version}) is starting`;
  return act({ kind: 'create-revision', digest: desired.digest, spec }, { reason: 'Progressing', message });
}
