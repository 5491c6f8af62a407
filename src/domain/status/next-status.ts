import { earliest } from '../../lib/earliest.ts';
import type { Condition } from '../../api/kube.ts';
import type { PackageStatus } from '../../api/package.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { componentsOf, inProgress, lastApplied } from '../decide/views.ts';
import type { Decision } from '../decide/decision.ts';
import { isUnread, pastTargets, troubleOf } from '../decide/tidy.ts';
import { releaseKey, type ReleaseView, type World } from '../decide/world.ts';
import { type Aspect, conditionOf, type ConditionContext } from './conditions.ts';

/** Entries of `status.history`; the Go implementation's constant. */
const HISTORY_LENGTH = 10;

/** The whole status of a Package while a decision stands. The only author of its conditions. */
export function nextStatus(world: World, decision: Decision): PackageStatus {
  const { metadata, status = {} } = world.package;
  // Until it is taken over, what the former operator said stands: it tells which generation that one had seen.
  if (decision.kind === 'act' && decision.action.kind === 'take-over') return status;
  const previous = status.conditions ?? [];
  const context: ConditionContext = { previous, generation: metadata.generation, now: world.now };
  const applied = lastApplied(world);
  const current = inProgress(world) ?? world.revisions.at(-1);
  const { observedGeneration: _former, observedSourceGeneration: _seen, conditions: _old, ...kept } = status;
  return {
    ...kept,
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    ...(world.sourceGeneration === undefined ? {} : { observedSourceGeneration: world.sourceGeneration }),
    conditions: conditionsOf(world, decision, context),
    dependencies: world.dependencies,
    history: historyOf(world.revisions),
    ...(applied === undefined ? {} : { version: applied.spec.version }),
    ...(current === undefined ? {} : { currentRevision: current.spec.revision }),
  };
}

/** All of a status but the messages of its conditions. */
export function wordless({ conditions = [], ...rest }: PackageStatus): unknown {
  return { ...rest, conditions: conditions.map(({ message: _words, ...condition }) => condition) };
}

function conditionsOf(world: World, decision: Decision, context: ConditionContext): Condition[] {
  const available = availability(world);
  const kept = context.previous.find((condition) => condition.type === 'Available');
  return [
    ...readyOf(decision, context),
    ...(available === undefined ? keep(kept) : [conditionOf(available, context)]),
    ...abnormal(decision, context),
  ];
}

function keep(condition: Condition | undefined): Condition[] {
  return condition === undefined ? [] : [condition];
}

function readyOf(decision: Decision, context: ConditionContext): Condition[] {
  const former = context.previous.find((condition) => condition.type === 'Ready');
  if (decision.kind === 'observe' && former?.observedGeneration === context.generation) return keep(former);
  const status = isReady(decision) ? 'True' : 'False';
  return [conditionOf({ type: 'Ready', status, reason: decision.reason, message: decision.message }, context)];
}

/** Applied and healthy, also while what the former version left is still being put away. */
function isReady({ kind, reason }: Decision): boolean {
  const isGoingOn = kind === 'wait' || kind === 'act';
  return kind === 'converged' || (isGoingOn && (reason === 'ReconciliationSucceeded' || reason === 'RolledBack'));
}

/** Reconciling and Stalled are abnormal-true: absent when all is well, as kstatus expects. */
function abnormal(decision: Decision, context: ConditionContext): Condition[] {
  if (decision.kind === 'observe') {
    return context.previous.filter((condition) => condition.type === 'Reconciling' || condition.type === 'Stalled');
  }
  const type = abnormalType(decision);
  if (type === undefined) return [];
  return [conditionOf({ type, status: 'True', reason: decision.reason, message: decision.message }, context)];
}

function abnormalType(decision: Decision): 'Reconciling' | 'Stalled' | undefined {
  switch (decision.kind) {
    case 'converged':
    case 'observe':
      return undefined;
    case 'stalled':
    case 'invalid':
      return 'Stalled';
    case 'act':
    case 'wait':
      break;
  }
  if (decision.reason === 'PackageSourceNotFound') return 'Stalled';
  const resting = decision.reason === 'Suspended' || decision.reason === 'Degraded';
  return resting ? undefined : 'Reconciling';
}

/** Undefined while something has not been read yet. Judged on what is installed, whatever revision it is from. */
function availability(world: World): Aspect | undefined {
  const installed = installedReleases(world);
  if (installed === undefined) return undefined;
  if (installed.length === 0 && lastApplied(world) === undefined) {
    return { type: 'Available', status: 'False', reason: 'NotInstalled', message: 'no component is installed' };
  }
  const broken = installed.find((release) => !isWorking(release));
  if (broken === undefined) {
    return {
      type: 'Available',
      status: 'True',
      reason: 'ComponentsHealthy',
      message: 'every installed component is healthy',
    };
  }
  const message = `component ${broken.target.component}: ${troubleOf(broken)}`;
  return { type: 'Available', status: 'False', reason: 'ComponentNotHealthy', message };
}

/** What was delivered last works, also while something newer is being delivered over it. */
function isWorking({ observation, health }: ReleaseView): boolean {
  if (observation.state !== 'present' || !observation.everDelivered) return false;
  return ['delivered', 'pending', 'underway'].includes(observation.delivery) && health.status === 'ready';
}

function installedReleases(world: World): readonly ReleaseView[] | undefined {
  const applied = world.revisions.findLast((revision) => revision.status?.phase === 'Applied');
  const expected = new Set((applied?.spec.components ?? []).map((component) => releaseKey(component)));
  const installed: ReleaseView[] = [];
  for (const target of pastTargets(world, componentsOf)) {
    const key = releaseKey(target);
    const release = world.releases[key];
    if (release === undefined || isUnread(release)) return undefined;
    if (expected.has(key) || isInstalled(release)) installed.push(release);
  }
  return installed;
}

/** Something that is installed could not be read, so that nothing new can be said of what works. */
export function isSomethingUnread(world: World): boolean {
  return installedReleases(world) === undefined;
}

/** When what is said of something installed may come to count, without an event (milliseconds since the epoch). */
export function nextWordAt(world: World): number | undefined {
  const moments = (installedReleases(world) ?? []).map(({ health }) => health.until ?? 0);
  return earliest(...moments.filter((until) => until > world.now));
}

/** What is being removed is not installed any more. */
function isInstalled({ observation }: ReleaseView): boolean {
  return observation.state === 'present' && observation.delivery !== 'removing' && observation.delivery !== 'draining';
}

function historyOf(revisions: readonly PackageRevision[]): NonNullable<PackageStatus['history']> {
  const newestFirst = [...revisions].reverse().slice(0, HISTORY_LENGTH);
  return newestFirst.map(({ spec, status }) => ({
    revision: spec.revision,
    version: spec.version,
    phase: status?.phase ?? 'Pending',
  }));
}
