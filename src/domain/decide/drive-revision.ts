import type { ErrorCode } from '../../api/errors.ts';
import type { ComponentProgress, PackageRevision, PackageRevisionStatus } from '../../api/package-revision.ts';
import { assertNever } from '../../lib/assert-never.ts';
import { formatTime } from '../../lib/time.ts';
import { classifyComponent, type ComponentState } from '../release/classify-component.ts';
import type { ComponentView } from '../release/component-view.ts';
import { deadlineOf, timeoutOf } from './deadline.ts';
import { act, type Action, type Decision, type Explanation, wait } from './decision.ts';
import { failureOf, waitingFor, wakeAt } from './explain.ts';
import { STEPS } from './steps.ts';
import { targetOf, viewsOf } from './views.ts';
import { pauseOf, type World } from './world.ts';

/** One component while the revision is walked: `view.progress` is the draft that will be recorded. */
interface Place {
  readonly view: ComponentView;
  readonly index: number;
  readonly state: ComponentState;
  readonly deadline: number | undefined;
}

interface Walk {
  readonly world: World;
  readonly revision: PackageRevision;
  readonly drafts: ComponentProgress[];
  readonly timeoutMs: number;
  changed: boolean;
}

/** The next step of a revision in progress: its components in order, each only after all before it are ready. */
export function driveRevision(world: World, revision: PackageRevision): Decision {
  const views = viewsOf(world, revision);
  const walk: Walk = {
    world,
    revision,
    drafts: views.map((view) => view.progress),
    timeoutMs: timeoutOf(world.package),
    changed: false,
  };
  return walkOn(walk, views);
}

/** Whenever one more component is ready, those before it are looked at again: all of them must be, at that moment. */
function walkOn(walk: Walk, views: readonly ComponentView[]): Decision {
  for (const [index, view] of views.entries()) {
    const found = visit(walk, view, index);
    if (found === 'one-more') return walkOn(walk, views);
    if (found !== 'ready') return found;
  }
  return commit(walk);
}

function visit(walk: Walk, view: ComponentView, index: number): Decision | 'ready' | 'one-more' {
  const place = locate(walk, view, index);
  if (place.view.progress.state === 'Ready' && isLaterStarted(walk, index)) return 'ready';
  const { step } = STEPS[place.state];
  switch (step) {
    case 'next':
      return 'ready';
    case 'mark-ready':
      draft(walk, index, markReady(walk, place));
      return 'one-more';
    case 'accept':
      draft(walk, index, accept(walk, place));
      return visit(walk, view, index);
    case 'note':
      draft(walk, index, note(place));
      return pause(walk, place);
    case 'rewait':
      draft(walk, index, rewait(walk, place));
      return pause(walk, place);
    case 'wait':
      return pause(walk, place);
    case 'fail':
      return fail(walk, place);
    case 'stop':
      return act({ kind: 'stop', target: targetOf(walk.revision, view.component) }, explain(walk, place));
    case 'unlock':
    case 'uninstall':
      return clear(walk, place, step);
    case 'install':
    case 'upgrade':
    case 'redrive':
    case 'retry':
      return deliver(walk, place, step);
    default:
      return assertNever(step, 'step');
  }
}

function locate(walk: Walk, view: ComponentView, index: number): Place {
  const progress = walk.drafts[index] ?? view.progress;
  const current = { ...view, progress };
  const deadline = deadlineOf(progress, { timeoutMs: walk.timeoutMs, watchingSince: walk.world.watchingSince });
  const adopt = walk.revision.spec.adopt ?? false;
  const state = classifyComponent(current, { now: walk.world.now, deadline, adopt });
  return { view: current, index, state, deadline };
}

/** A component that degrades while a later one is under way is waited for again only before the one after that. */
function isLaterStarted(walk: Walk, index: number): boolean {
  return walk.drafts.slice(index + 1).some((progress) => progress.state === 'Submitted');
}

function draft(walk: Walk, index: number, progress: ComponentProgress): void {
  walk.drafts[index] = progress;
  walk.changed = true;
}

function markReady(walk: Walk, { view }: Place): ComponentProgress {
  const { release, progress } = view;
  const { message: _waited, ...rest } = progress;
  const revision = release.state === 'present' ? { backendRevision: release.revision } : {};
  return { ...rest, ...revision, state: 'Ready', readyAt: formatTime(walk.world.now) };
}

function accept(walk: Walk, { view }: Place): ComponentProgress {
  const revision = view.knownRevision === undefined ? {} : { backendRevision: view.knownRevision };
  return { name: view.component.name, state: 'Submitted', attempt: 0, ...clockFrom(walk), ...revision };
}

function note({ view }: Place): ComponentProgress {
  const revision = view.release.state === 'present' ? { backendRevision: view.release.revision } : {};
  return { ...view.progress, ...revision, message: view.health.message };
}

/** One fresh deadline, however often it flaps afterwards. */
function rewait(walk: Walk, { view }: Place): ComponentProgress {
  const { readyAt: _lost, ...rest } = view.progress;
  const rewaits = rest.rewaits ?? 0;
  const clock = rewaits === 0 ? clockFrom(walk) : {};
  return { ...rest, ...clock, state: 'Submitted', rewaits: rewaits + 1, message: view.health.message };
}

function clockFrom(walk: Walk): { startedAt: string; deadline: string } {
  const { now } = walk.world;
  return { startedAt: formatTime(now), deadline: formatTime(now + walk.timeoutMs) };
}

/** Makes way for the delivery; after a failure not before its pause is over. */
function clear(walk: Walk, place: Place, step: 'unlock' | 'uninstall'): Decision {
  const target = targetOf(walk.revision, place.view.component);
  const until = pauseOf(walk.world, target);
  if (until !== undefined) return wait(explain(walk, place), until);
  return act({ kind: step, target }, explain(walk, place));
}

function deliver(walk: Walk, place: Place, step: 'install' | 'upgrade' | 'redrive' | 'retry'): Decision {
  const { view, index } = place;
  const begun = view.progress.state === 'Submitted' && (view.progress.attempt ?? 0) > 0;
  const attempt = (view.progress.attempt ?? 0) + (step === 'redrive' ? 0 : 1);
  const mode = view.release.state === 'absent' ? 'install' : 'upgrade';
  if (step !== 'redrive') {
    // A retry goes on within the deadline that its first attempt began.
    const clock = begun ? {} : clockFrom(walk);
    const { message: _former, backendRevision: _stale, ...rest } = view.progress;
    draft(walk, index, { ...rest, ...clock, state: 'Submitted', attempt });
  }
  const action: Action = {
    kind: 'deliver',
    mode,
    revision: walk.revision.metadata.name,
    component: view.component.name,
    attempt,
    target: targetOf(walk.revision, view.component),
    ...(walk.changed ? { status: statusOf(walk) } : {}),
  };
  return act(action, explain(walk, place));
}

function pause(walk: Walk, place: Place): Decision {
  const explanation = explain(walk, place);
  if (!walk.changed) return wait(explanation, wakeAt(place.view, place.deadline, walk.world.now));
  return act(recordAction(walk, statusOf(walk, explanation.message)), explanation);
}

function fail(walk: Walk, place: Place): Decision {
  const { view, index } = place;
  const failure = failureOf(view, place.state, place.deadline);
  draft(walk, index, {
    ...view.progress,
    ...grantedTime(walk, view.progress),
    state: 'Failed',
    message: failure.message,
  });
  return failRevision(walk, { component: view.component.name, ...failure });
}

/** The deadline that it had in the end: only a timeout beyond it is a reason to try again. */
function grantedTime(walk: Walk, progress: ComponentProgress): { readonly deadline?: string } {
  const deadline = deadlineOf(progress, { timeoutMs: walk.timeoutMs, watchingSince: 0 });
  return deadline === undefined ? {} : { deadline: formatTime(deadline) };
}

function failRevision(
  walk: Walk,
  failure: { readonly component: string; readonly code: ErrorCode; readonly message: string },
): Decision {
  const message = `component ${failure.component} failed: ${failure.message}`;
  const status: PackageRevisionStatus = { ...statusOf(walk, message), phase: 'Failed', failure };
  // The verdict is the Package's once it is in the journal.
  return act(recordAction(walk, status), { reason: 'Progressing', message });
}

function commit(walk: Walk): Decision {
  const { version, revision } = walk.revision.spec;
  const { message: _waited, ...status } = statusOf(walk);
  const explanation: Explanation = {
    reason: 'Progressing',
    message: `revision ${String(revision)} (${version}): every component is ready`,
  };
  const applied: PackageRevisionStatus = { ...status, phase: 'Applied', appliedAt: formatTime(walk.world.now) };
  return act(recordAction(walk, applied), explanation);
}

function recordAction(walk: Walk, status: PackageRevisionStatus): Action {
  return { kind: 'record', revision: walk.revision.metadata.name, status };
}

function statusOf(walk: Walk, message?: string): PackageRevisionStatus {
  const { message: _former, ...rest } = walk.revision.status ?? {};
  const text = message === undefined ? {} : { message };
  return { ...rest, ...text, phase: 'Applying', components: [...walk.drafts] };
}

function explain(walk: Walk, place: Place): Explanation {
  const where = `${String(place.index + 1)} of ${String(walk.drafts.length)}`;
  return {
    reason: 'Progressing',
    message: waitingFor(place.view, { where, state: place.state, deadline: place.deadline }),
  };
}
