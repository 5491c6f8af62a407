import { earliest } from '../../lib/earliest.ts';
import { formatSeconds } from '../../lib/time.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { PackageRevision, RevisionComponent } from '../../api/package-revision.ts';
import type { ReleaseTarget } from '../release/observation.ts';
import { act, type Decision, type Explanation, wait } from './decision.ts';
import { endOfRun, stopOverrun } from './overrun.ts';
import { restoreNamespace, settleSurroundings } from './surroundings.ts';
import { componentsOf, everyMember, knownRevision, labelOf, targetOf } from './views.ts';
import { pauseOf, releaseKey, type ReleaseView, type World } from './world.ts';

/** Releases that some revision had, its hooks' too, newest revision first and each revision's in reverse order. */
export function pastTargets(world: World, membersIn: typeof everyMember = everyMember): readonly ReleaseTarget[] {
  const targets = new Map<string, ReleaseTarget>();
  for (const revision of [...world.revisions].reverse()) {
    for (const component of membersIn(revision).toReversed()) {
      const key = releaseKey(component);
      if (!targets.has(key)) targets.set(key, targetOf(revision, component));
    }
  }
  return [...targets.values()];
}

/** Every exit path settles: a record that a dead or stopped delivery left pending is closed. */
export function settle(world: World): Decision | undefined {
  for (const target of pastTargets(world)) {
    const release = world.releases[releaseKey(target)];
    if (release?.observation.state !== 'present' || release.observation.delivery !== 'pending') continue;
    if (release.delivery.kind === 'running') continue;
    const explanation = {
      reason: 'Progressing',
      message: `component ${target.component}: its interrupted delivery is being settled`,
    } as const;
    const until = pauseOf(world, target);
    return until === undefined ? act({ kind: 'unlock', target }, explanation) : wait(explanation, until);
  }
  return undefined;
}

/** An applied revision is only observed; what it left behind is put away, one thing at a time. */
export function tidy(world: World, applied: PackageRevision): Decision {
  const retiring = supersede(world, applied);
  if (retiring !== undefined) return retiring;
  const verdict = judge(world, applied);
  const left =
    settleSurroundings(world, applied) ?? putAway(world, applied) ?? restoreNamespace(world) ?? prune(world, applied);
  return left === undefined ? verdict : besides(verdict, left);
}

/** What is held for long keeps nothing else from being put away; a revision that still has something to remove is not forgotten. */
function putAway(world: World, applied: PackageRevision): Decision | undefined {
  const steps = [removeDropped(world, applied), handBack(world, applied)].filter((step) => step !== undefined);
  return steps.find(({ kind }) => kind === 'act') ?? steps[0];
}

/** That something is still being put away is said, and is no failure: the word on what is applied stands. */
function besides(verdict: Decision, step: Decision): Decision {
  // What stays is read first, so that there is a word on it.
  if (verdict.kind === 'observe') return verdict;
  const { reason } = verdict;
  const message = verdict.kind === 'converged' ? `${verdict.message}; ${step.message}` : verdict.message;
  if (step.kind === 'act') return act(step.action, { reason, message });
  const ends = [verdict, step].map((each) => (each.kind === 'wait' ? each.until : undefined));
  return { kind: 'wait', reason, message, until: earliest(...ends), besides: true };
}

function supersede(world: World, applied: PackageRevision): Decision | undefined {
  const older = world.revisions.find((revision) => revision.status?.phase === 'Applied' && revision !== applied);
  if (older === undefined) return undefined;
  const status = { ...older.status, phase: 'Superseded' as const };
  return act(
    { kind: 'record', revision: older.metadata.name, status },
    progressing(`${labelOf(applied)} is applied; the former revision is being retired`),
  );
}

function removeDropped(world: World, applied: PackageRevision): Decision | undefined {
  const kept = new Set(componentsOf(applied).map((component) => releaseKey(component)));
  return removeFirst(
    world,
    pastTargets(world).filter((target) => !kept.has(releaseKey(target))),
  );
}

/** The next step for the first that is not gone; what hangs is stopped. Undefined: all are gone. */
export function removeFirst(world: World, targets: readonly ReleaseTarget[]): Decision | undefined {
  for (const target of targets) {
    const release = world.releases[releaseKey(target)];
    if (release === undefined) continue;
    const decision = stopOverrun(world, release) ?? removeRelease(world, release, target);
    if (decision !== undefined) return decision;
  }
  return undefined;
}

/** What a user chose was put aside while revisions were in progress; what only failed attempts created may be left. */
function handBack(world: World, applied: PackageRevision): Decision | undefined {
  for (const component of componentsOf(applied)) {
    const target = targetOf(applied, component);
    const release = world.releases[releaseKey(target)];
    if (release?.observation.state !== 'present' || release.observation.handBack !== true) continue;
    const explanation = progressing(
      `component ${component.name}: what its deliveries put aside or left is put in order`,
    );
    const until = pauseOf(world, target);
    if (release.delivery.kind === 'running' || until !== undefined) return wait(explanation, until);
    return act({ kind: 'hand-back', target }, explanation);
  }
  return undefined;
}

/** One step of removing a release; undefined when it is gone, or not ours. */
export function removeRelease(world: World, release: ReleaseView, target: ReleaseTarget): Decision | undefined {
  const explanation = progressing(`component ${target.component} is being removed`);
  const { observation, delivery } = release;
  if (delivery.kind === 'running') {
    const held =
      observation.state === 'present' && observation.delivery === 'removing' ? `: ${observation.message}` : '';
    const message = `${explanation.message} since ${formatSeconds(delivery.since)}${held}`;
    return wait({ ...explanation, message }, endOfRun(world, release));
  }
  if (observation.state === 'unknown') return wait({ ...explanation, message: observation.message });
  if (observation.state !== 'present') return undefined;
  if (observation.delivery === 'draining') {
    return wait({ ...explanation, message: `${explanation.message}: ${observation.message}` });
  }
  const until = pauseOf(world, target);
  if (until !== undefined && delivery.kind === 'failed') {
    return wait(
      { ...explanation, message: `removal of component ${target.component} is retried: ${delivery.message}` },
      until,
    );
  }
  return act({ kind: 'uninstall', target, keepData: true }, explanation);
}

/** Bounded history: nothing newer than the last applied revision goes, nor the failure that a rollback answers to. */
function prune(world: World, applied: PackageRevision): Decision | undefined {
  const limit = world.package.spec.revisionHistoryLimit;
  const excess = world.revisions.length - limit;
  if (excess <= 0) return undefined;
  const { restoredFrom, revision: number } = applied.spec;
  const isAnswered = ({ spec, status }: PackageRevision): boolean =>
    spec.revision === number - 1 && status?.rollback !== undefined && status.rollback.to === restoredFrom;
  const oldest = world.revisions.find((revision) => revision.spec.revision < number && !isAnswered(revision));
  if (oldest === undefined) return undefined;
  return act({ kind: 'prune', revision: oldest.metadata.name }, progressing('the history is being cut'));
}

function judge(world: World, applied: PackageRevision): Decision {
  const label = labelOf(applied);
  const releases = componentsOf(applied).map((component) => ({
    component,
    release: world.releases[releaseKey(component)],
  }));
  const unread = releases.find(({ release }) => release === undefined || isUnread(release));
  if (unread !== undefined) {
    return { kind: 'observe', ...progressing(`${label} is applied; component ${unread.component.name} is being read`) };
  }
  const displaced = releases.find(({ component, release }) => isDisplaced(world, component, release));
  if (displaced !== undefined) {
    const what = `release ${releaseKey(displaced.component)} was changed by someone else`;
    const message = `${label} is applied; component ${displaced.component.name}: ${what}; a new value in annotation ${ANNOTATION.retry} puts it back`;
    return wait({ reason: 'Degraded', message });
  }
  const broken = releases.find(({ release }) => release !== undefined && !isHealthy(release));
  if (broken?.release !== undefined) {
    return wait({
      reason: 'Degraded',
      message: `${label} is applied; component ${broken.component.name}: ${troubleOf(broken.release)}`,
    });
  }
  const notes = world.resolution?.kind === 'resolved' ? world.resolution.desired.notes : [];
  const remarks = releases.flatMap(({ release }) => (release === undefined ? [] : remarksOn(release)));
  const message = [`${label} is applied and healthy`, ...notes, ...remarks].join('; ');
  return { kind: 'converged', reason: 'ReconciliationSucceeded', message };
}

function remarksOn({ observation, health }: ReleaseView): readonly string[] {
  const note = observation.state === 'present' ? observation.note : undefined;
  return note === undefined ? health.notes : [note, ...health.notes];
}

/** Its newest record is not the one that the journal knows. */
function isDisplaced(world: World, component: RevisionComponent, release: ReleaseView | undefined): boolean {
  const known = knownRevision(world, component);
  return release?.observation.state === 'present' && known !== undefined && release.observation.revision !== known;
}

export function isUnread({ observation, health }: ReleaseView): boolean {
  if (observation.state === 'unknown') return true;
  if (observation.state !== 'present' || health.status !== 'unobserved') return false;
  // What was delivered last may work while something newer goes over it.
  const isUnderWay = observation.delivery === 'pending' || observation.delivery === 'underway';
  return observation.delivery === 'delivered' || (isUnderWay && observation.everDelivered);
}

function isHealthy({ observation, health }: ReleaseView): boolean {
  return observation.state === 'present' && observation.delivery === 'delivered' && health.status === 'ready';
}

export function troubleOf({ observation, health, target }: ReleaseView): string {
  const name = `release ${releaseKey(target)}`;
  if (observation.state === 'absent') return `${name} was removed by someone else`;
  if (observation.state !== 'present') return `${name}: ${observation.message}`;
  return observation.delivery === 'delivered' ? health.message : `${name}: ${observation.message}`;
}

function progressing(message: string): Explanation {
  return { reason: 'Progressing', message };
}
