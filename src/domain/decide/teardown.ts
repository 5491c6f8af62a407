import { FINALIZER } from '../../api/names.ts';
import { act, type Decision, wait } from './decision.ts';
import { pastTargets, removeRelease } from './tidy.ts';
import { releaseKey, type World } from './world.ts';

/** P20: releases go in reverse order, each waited for; then the journal; the Package's own finalizer is the last thing to go. */
export function teardown(world: World): Decision {
  if (!(world.package.metadata.finalizers ?? []).includes(FINALIZER)) {
    return wait({ reason: 'Deleting', message: 'kubepkg has let go of the package' });
  }
  for (const target of pastTargets(world)) {
    const release = world.releases[releaseKey(target)];
    if (release === undefined) continue;
    const decision = removeRelease(world, release, target);
    if (decision !== undefined) return { ...decision, reason: 'Deleting' };
  }
  const held = world.revisions.findLast((revision) => (revision.metadata.finalizers ?? []).includes(FINALIZER));
  if (held !== undefined) {
    return act(
      { kind: 'release-revision', revision: held.metadata.name },
      { reason: 'Deleting', message: 'the revisions are being let go' },
    );
  }
  return act({ kind: 'release-finalizer' }, { reason: 'Deleting', message: 'everything is removed' });
}
