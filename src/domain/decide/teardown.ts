import { FINALIZER } from '../../api/names.ts';
import { releaseOwnedCrds } from './crds.ts';
import { act, type Decision, wait } from './decision.ts';
import { tearDownSurroundings } from './surroundings.ts';
import { pastTargets, removeRelease } from './tidy.ts';
import { releaseKey, type World } from './world.ts';

/** P20: releases go in reverse order, each waited for; then the journal; the Package's own finalizer is the last thing to go. */
export function teardown(world: World): Decision {
  if (!(world.package.metadata.finalizers ?? []).includes(FINALIZER)) {
    return wait({ reason: 'Deleting', message: 'kubepkg has let go of the package' });
  }
  if (world.leavingDependents.length > 0) {
    const needed = world.leavingDependents.join(', ');
    return wait({ reason: 'Deleting', message: `packages that need it are removed first: ${needed}` });
  }
  const released = releaseOwnedCrds(world);
  if (released !== undefined) return { ...released, reason: 'Deleting' };
  for (const target of [...pastTargets(world), ...world.strays]) {
    const release = world.releases[releaseKey(target)];
    if (release === undefined) continue;
    const decision = removeRelease(world, release, target);
    if (decision !== undefined) return { ...withData(decision), reason: 'Deleting' };
  }
  const left = tearDownSurroundings(world);
  if (left !== undefined) return { ...left, reason: 'Deleting' };
  const held = world.revisions.findLast((revision) => (revision.metadata.finalizers ?? []).includes(FINALIZER));
  if (held !== undefined) {
    return act(
      { kind: 'release-revision', revision: held.metadata.name },
      { reason: 'Deleting', message: 'the revisions are being let go' },
    );
  }
  return act({ kind: 'release-finalizer' }, { reason: 'Deleting', message: 'everything is removed' });
}

/** What the charts themselves made of claims goes with them, as with helm. */
function withData(decision: Decision): Decision {
  if (decision.kind !== 'act' || decision.action.kind !== 'uninstall') return decision;
  return { ...decision, action: { ...decision.action, keepData: false } };
}
