import type { PackageRevision, RevisionComponent } from '../../api/package-revision.ts';
import type { Decision } from '../decide/decision.ts';
import { everyMember, inProgress, lastApplied, membersOf, progressOf } from '../decide/views.ts';
import { releaseKey, type ReleaseView, type World } from '../decide/world.ts';
import { attemptToken } from '../release/token.ts';
import { delivered, gone, HEALTHY, stopped } from './releases.ts';

/**
 * The world once what goes on by itself has gone on well: what runs has ended, what was delivered is ready, what was
 * told to stop has stopped, what is going is gone, and a pause between two attempts is over. Undefined: somebody else
 * is waited for.
 */
export function passWait(world: World, decision: Extract<Decision, { kind: 'wait' | 'observe' }>): World | undefined {
  const releases = Object.values(world.releases).map((view) => [view, wentOn(world, view)] as const);
  if (releases.some(([before, after]) => before !== after)) {
    return { ...world, releases: Object.fromEntries(releases.map(([, view]) => [releaseKey(view.target), view])) };
  }
  return fetchedAnew(world, decision) ?? afterPause(world, decision);
}

/** The very same view: nothing of it goes on by itself. */
function wentOn(world: World, view: ReleaseView): ReleaseView {
  const member = memberOf(world, view);
  const { observation, delivery } = view;
  if (delivery.kind === 'running') return ended(view, member);
  if (member !== undefined && isOnItsWay(view, member)) return delivered(view, member);
  if (observation.state !== 'present') return view;
  if (observation.delivery === 'draining') return gone(view);
  if (view.stop !== undefined && view.stop.token === observation.token) return stopped(world.now)(view);
  return read(world, view, member);
}

/** A controller is at work on the attempt, or its record is about to be seen. */
function isOnItsWay({ observation, delivery, stop }: ReleaseView, { token, isNoted }: Member): boolean {
  if (token === undefined || isNoted || stop?.token === token) return false;
  const own = observation.state === 'present' && observation.token === token ? observation.delivery : undefined;
  if (own === 'underway') return true;
  return own !== 'delivered' && delivery.kind === 'accepted' && delivery.token === token;
}

/** What a process of ours does ends well: a delivery of the revision in progress, or else a removal. */
function ended(view: ReleaseView, member: Member | undefined): ReleaseView {
  return member?.isBegun === true ? delivered(view, member) : gone(view);
}

/** The objects of a release have been read; those that the revision in progress waits for are ready. */
function read(world: World, view: ReleaseView, member: Member | undefined): ReleaseView {
  const known = member?.isHook === true && view.jobs === undefined ? { ...view, jobs: 'never' as const } : view;
  const { status } = view.health;
  const isAwaited = member === undefined ? status === 'unobserved' && isInstalled(world, view) : status !== 'ready';
  return isAwaited ? { ...known, health: HEALTHY } : known;
}

function isInstalled(world: World, { target }: ReleaseView): boolean {
  const applied = lastApplied(world);
  return applied !== undefined && memberAt(applied, target) !== undefined;
}

interface Member {
  readonly token: string | undefined;
  readonly digest: string | undefined;
  readonly isBegun: boolean;
  /** Its record was seen: what became of it since is somebody's doing. */
  readonly isNoted: boolean;
  readonly isHook: boolean;
}

/** What the revision in progress has to do with a release. */
function memberOf(world: World, { target }: ReleaseView): Member | undefined {
  const current = inProgress(world);
  const component = current === undefined ? undefined : memberAt(current, target);
  if (current === undefined || component === undefined) return undefined;
  const isHook = membersOf(current, 'hooks').includes(component);
  const { state, attempt = 0, backendRevision } = progressOf(current, component.name, isHook ? 'hooks' : 'components');
  const token = attemptToken({
    packageUid: world.package.metadata.uid ?? '',
    revisionUid: current.metadata.uid ?? '',
    component: component.name,
    attempt,
  });
  const isBegun = state === 'Submitted' && attempt > 0;
  const isNoted = backendRevision !== undefined;
  return { isHook, isBegun, isNoted, digest: component.digest, token: attempt === 0 ? undefined : token };
}

function memberAt(revision: PackageRevision, target: ReleaseView['target']): RevisionComponent | undefined {
  return everyMember(revision).find((component) => releaseKey(component) === releaseKey(target));
}

/** The charts are on their way, or are tried again. */
function fetchedAnew(world: World, { kind, reason }: Decision): World | undefined {
  const { preparation } = world;
  if (kind !== 'wait' || (reason !== 'FetchFailed' && reason !== 'Progressing')) return undefined;
  if (preparation.kind === 'running') return { ...world, preparation: { kind: 'none' } };
  if (preparation.kind !== 'failed' || preparation.class !== 'transient' || reason !== 'FetchFailed') return undefined;
  return { ...world, preparation: { kind: 'none' }, now: Math.max(world.now, preparation.retryAt) };
}

/** A failure may pass: it is tried again then. */
function afterPause(world: World, decision: Decision): World | undefined {
  if (decision.kind !== 'wait' || decision.until === undefined || decision.until <= world.now) return undefined;
  const isPausing = Object.values(world.releases).some(
    ({ delivery }) => delivery.kind === 'failed' && delivery.retryAt > world.now,
  );
  return isPausing ? { ...world, now: decision.until } : undefined;
}
