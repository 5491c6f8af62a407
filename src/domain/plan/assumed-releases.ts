import type { PackageRevision, RevisionComponent } from '../../api/package-revision.ts';
import { everyMember, inProgress, membersOf, progressOf } from '../decide/views.ts';
import { releaseKey, type ReleaseView, type World } from '../decide/world.ts';
import { SEEN } from '../release/classify-component.ts';
import type { ReleaseObservation } from '../release/observation.ts';
import { attemptToken } from '../release/token.ts';

/** Releases that cannot be read are taken to be as the journal has them. */
export function withAssumedReleases(world: World, unreadable: ReadonlySet<string>): World {
  return withReleases(world, (key, view) =>
    unreadable.has(key) ? { ...view, observation: assumedAt(world, key) } : view,
  );
}

/**
 * What a revision in progress has begun, and nobody has ended, is being worked on by the operator, whose processes
 * cannot be seen from elsewhere.
 */
export function withOperatorAtWork(world: World): World {
  const current = inProgress(world);
  if (current === undefined) return world;
  const begun = new Map(everyMember(current).map((member) => [releaseKey(member), memberOf(world, current, member)]));
  return withReleases(world, (key, view) => {
    const member = begun.get(key);
    if (member?.isBegun !== true || !isOpen(view, member.token)) return view;
    const { now } = world;
    return { ...view, delivery: { kind: 'running', token: member.token, since: now, grantedUntil: now } };
  });
}

/** Neither delivered nor failed by that attempt, and no controller is at work on it. */
function isOpen({ observation, delivery }: ReleaseView, token: string): boolean {
  if (delivery.kind !== 'none' || observation.state === 'unknown' || observation.state === 'foreign') return false;
  if (observation.state === 'absent' || observation.token !== token) return true;
  return observation.delivery === 'pending';
}

function memberOf(world: World, revision: PackageRevision, member: RevisionComponent) {
  const part = membersOf(revision, 'hooks').includes(member) ? 'hooks' : 'components';
  const { state, attempt = 0, backendRevision = SEEN } = progressOf(revision, member.name, part);
  const isBegun = state === 'Submitted' && attempt > 0 && backendRevision === SEEN;
  return { isBegun, token: tokenOf(world, revision, { component: member.name, attempt }) };
}

function assumedAt(world: World, key: string): ReleaseObservation {
  for (const revision of world.revisions.toReversed()) {
    const member = everyMember(revision).find((each) => releaseKey(each) === key);
    if (member === undefined) continue;
    const part = membersOf(revision, 'hooks').includes(member) ? 'hooks' : 'components';
    const { backendRevision = SEEN, attempt = 0 } = progressOf(revision, member.name, part);
    if (backendRevision === SEEN) continue;
    return {
      state: 'present',
      revision: backendRevision,
      token: tokenOf(world, revision, { component: member.name, attempt }),
      digest: member.digest,
      delivery: 'delivered',
      everDelivered: true,
      message: `release revision ${String(backendRevision)}, by the journal`,
    };
  }
  return { state: 'absent' };
}

function tokenOf(
  world: World,
  revision: PackageRevision,
  attempt: { readonly component: string; readonly attempt: number },
): string {
  const packageUid = world.package.metadata.uid ?? '';
  return attemptToken({ packageUid, revisionUid: revision.metadata.uid ?? '', ...attempt });
}

function withReleases(world: World, change: (key: string, view: ReleaseView) => ReleaseView): World {
  const releases = Object.entries(world.releases).map(([key, view]) => [key, change(key, view)] as const);
  return { ...world, releases: Object.fromEntries(releases) };
}
