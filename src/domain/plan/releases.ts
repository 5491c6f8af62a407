import type { Action } from '../decide/decision.ts';
import { everyMember } from '../decide/views.ts';
import { releaseKey, type ReleaseView, type World } from '../decide/world.ts';
import type { HealthReport } from '../release/component-view.ts';
import type { PresentRelease, ReleaseTarget } from '../release/observation.ts';
import { attemptToken } from '../release/token.ts';

export const HEALTHY: HealthReport = { status: 'ready', message: 'every object is ready', notes: [] };
const UNOBSERVED: HealthReport = { status: 'unobserved', message: 'not read yet', notes: [] };

/** The attempt is delivered, and every object of the release ready. */
export function deliver(world: World, action: Extract<Action, { kind: 'deliver' }>): World {
  const { target, revision: name, component, attempt } = action;
  const revision = world.revisions.find(({ metadata }) => metadata.name === name);
  const member = revision === undefined ? undefined : everyMember(revision).find((each) => each.name === component);
  const token = attemptToken({
    packageUid: world.package.metadata.uid ?? '',
    revisionUid: revision?.metadata.uid ?? '',
    component,
    attempt,
  });
  return changed(world, target, (view) => delivered(view, { token, digest: member?.digest }));
}

export function delivered(
  { stop: _stopped, ...view }: ReleaseView,
  { token, digest }: { readonly token: string | undefined; readonly digest: string | undefined },
): ReleaseView {
  const { observation } = view;
  const former = observation.state === 'present' ? observation : undefined;
  const isOwn = former !== undefined && former.token === token && former.delivery !== 'delivered';
  const number = isOwn ? former.revision : (former?.revision ?? 0) + 1;
  const record: PresentRelease = {
    state: 'present',
    revision: number,
    token,
    digest,
    delivery: 'delivered',
    everDelivered: true,
    ...(former?.handBack === undefined ? {} : { handBack: former.handBack }),
    message: `release revision ${String(number)} is delivered`,
  };
  return { ...view, observation: record, delivery: { kind: 'accepted', token }, health: HEALTHY };
}

/** Nothing of the attempt goes on: a process that was stopped leaves its record as it was, a controller says that it failed. */
export function stop(world: World, target: ReleaseTarget): World {
  return changed(world, target, stopped(world.now));
}

export function stopped(now: number): (view: ReleaseView) => ReleaseView {
  return ({ stop: _asked, ...view }) => {
    const { observation, delivery } = view;
    const isPresent = observation.state === 'present';
    if (delivery.kind === 'running') {
      const token = isPresent ? observation.token : undefined;
      const message = 'it was stopped';
      return {
        ...view,
        delivery: { kind: 'failed', token, code: 'HelmKilled', message, retryAt: now, transient: true },
      };
    }
    return isPresent ? { ...view, observation: { ...observation, delivery: 'failed', goesOn: false } } : view;
  };
}

export function unlock(world: World, target: ReleaseTarget): World {
  return changed(world, target, (view) =>
    view.observation.state === 'present'
      ? { ...view, observation: { ...view.observation, delivery: 'failed' }, delivery: { kind: 'none' } }
      : view,
  );
}

export function replacePod(world: World, target: ReleaseTarget): World {
  return changed(world, target, (view) => ({ ...view, health: { ...view.health, keptPod: undefined } }));
}

export function handBack(world: World, target: ReleaseTarget): World {
  return changed(world, target, (view) => {
    if (view.observation.state !== 'present') return view;
    const { handBack: _given, ...observation } = view.observation;
    return { ...view, observation };
  });
}

/** It is gone, and so are its objects. */
export function uninstall(world: World, target: ReleaseTarget): World {
  return changed(world, target, gone);
}

export function gone({ target, backend, jobs }: ReleaseView): ReleaseView {
  const known = jobs === undefined ? {} : { jobs };
  return {
    target,
    backend,
    observation: { state: 'absent' },
    delivery: { kind: 'none' },
    health: UNOBSERVED,
    ...known,
  };
}

function changed(world: World, target: ReleaseTarget, change: (view: ReleaseView) => ReleaseView): World {
  const key = releaseKey(target);
  const view = world.releases[key];
  return view === undefined ? world : { ...world, releases: { ...world.releases, [key]: change(view) } };
}
