/** A fault that the simulation must find, whatever tests there are besides. */
export interface PlantedFault {
  /** Short and unique, kebab-case. */
  readonly id: string;
  /** What is broken, in a few words. */
  readonly what: string;
  readonly file: string;
  /** Exact text that occurs once in the file. */
  readonly search: string;
  readonly replace: string;
}

const classify = 'src/domain/release/classify-component.ts';
const drive = 'src/domain/decide/drive-revision.ts';
const decide = 'src/domain/decide/decide.ts';
const views = 'src/domain/decide/views.ts';
const tidy = 'src/domain/decide/tidy.ts';
const safety = 'src/domain/decide/safety.ts';
const walk = 'src/domain/decide/walk.ts';
const conditions = 'src/domain/readiness/conditions.ts';
const deliver = 'src/engine/deliver.ts';

export const PLANTED: readonly PlantedFault[] = [
  {
    id: 'token-check-dropped',
    what: 'a record counts for whatever attempt is awaited',
    file: classify,
    search: 'return release.token === view.token && (known',
    replace: 'return (known',
  },
  {
    id: 'token-taken-for-delivery',
    what: 'that the token is there counts as delivered',
    file: classify,
    search: "if (release.state !== 'present' || release.delivery !== 'delivered') return false;",
    replace: "if (release.state !== 'present') return false;",
  },
  {
    id: 'right-is-delivered-again',
    what: 'what a revision finds as it wants it is delivered nevertheless',
    file: classify,
    search: "return isInSync(view, release) ? 'inSync' : 'outOfSync';",
    replace: "return 'outOfSync';",
  },
  {
    id: 'generation-guard-dropped',
    what: 'a status counts whatever generation it is about',
    file: conditions,
    search: "return observed >= generation ? { kind: 'current' }",
    replace: "return observed >= 0 ? { kind: 'current' }",
  },
  {
    id: 'unknown-equals-true',
    what: 'a condition that is Unknown passes for True',
    file: conditions,
    search: 'entries.every((condition) => isCurrent(condition) && condition.status === status)',
    replace:
      "entries.every((condition) => isCurrent(condition) && (condition.status === status || condition.status === 'Unknown'))",
  },
  {
    id: 'stale-cache-believed',
    what: 'an old event of a watch undoes what is known already',
    file: 'src/engine/object-store.ts',
    search: 'return known?.uid === metadata.uid && isOlderVersion(',
    replace: 'return known === undefined && isOlderVersion(',
  },
  {
    id: 'old-evidence-believed',
    what: 'objects are not read anew after a delivery',
    file: 'src/engine/release-book.ts',
    search: "return (isOther && observation.delivery === 'delivered') ||",
    replace: 'return (isOther && observation.revision < 0) ||',
  },
  {
    id: 'not-read-is-ready',
    what: 'a component whose objects have not been read is ready',
    file: classify,
    search: "if (health.status === 'ready') return 'healthy';",
    replace: "if (health.status === 'ready' || health.status === 'unobserved') return 'healthy';",
  },
  {
    id: 'safety-of-the-target-used',
    what: 'whether going back is safe is asked of the old version',
    file: safety,
    search: 'revision.spec.rollbackSafe !== true && !isSameRelease(revision.spec, target)',
    replace: '(target as { rollbackSafe?: boolean }).rollbackSafe === false && !isSameRelease(revision.spec, target)',
  },
  {
    id: 'safety-of-skipped-versions-ignored',
    what: 'only the version that failed is asked whether going back is safe',
    file: safety,
    search: 'versionsOf(since.filter((revision) => isUnsafe(revision, target)))',
    replace: 'versionsOf([failed].filter((revision) => isUnsafe(revision, target)))',
  },
  {
    id: 'downgrade-is-never-refused',
    what: 'an older version may be asked for over an unsafe one',
    file: safety,
    search: 'isUnsafeVersion(revision, wanted) && isAbove(revision.spec)',
    replace: 'isUnsafeVersion(revision, wanted) && isAbove(revision.spec) && isAbove(wanted)',
  },
  {
    id: 'no-deadline',
    what: 'no wait is ever overdue',
    file: classify,
    search: 'overdue ? overdueState(view, state, context) : state',
    replace: 'state',
  },
  {
    id: 'deadline-starts-anew-with-every-look',
    what: 'the deadline is counted from the moment at which it is looked at',
    file: 'src/domain/decide/deadline.ts',
    search: 'const started = parseTime(since);',
    replace: 'const started = Math.max(context.watchingSince, parseTime(since)) + context.timeoutMs;',
  },
  {
    id: 'overrunning-is-not-stopped',
    what: 'a delivery that runs past its deadline goes on',
    file: 'src/domain/decide/steps.ts',
    search: "overrunning: { step: 'stop'",
    replace: "overrunning: { step: 'wait'",
  },
  {
    id: 'order-ignored',
    what: 'what is waited for does not hold the next ones back',
    file: drive,
    search: "if (found !== 'ready') return found;",
    replace: "if (found !== 'ready' && found.kind !== 'wait') return found;",
  },
  {
    id: 'degraded-is-good-enough',
    what: 'one that was ready and is no more holds nothing back',
    file: 'src/domain/decide/steps.ts',
    search: "step: 'rewait',",
    replace: "step: 'next',",
  },
  {
    id: 'accepted-counts-as-begun',
    what: 'what was right and has to be made again does not wait for those before it',
    file: drive,
    search: "progress.state === 'Submitted' && !isYetToBegin(walk",
    replace: "progress.state === 'Submitted' || isYetToBegin(walk",
  },
  {
    id: 'delivers-before-the-journal',
    what: 'the backend is asked before the journal says so',
    file: walk,
    search: 'return walk.changed ? { status: statusOf(walk) } : {};',
    replace:
      "return walk.changed && walk.drafts.components.every(({ state }) => state !== 'Submitted') ? { status: statusOf(walk) } : {};",
  },
  {
    id: 'hooks-last',
    what: 'hooks run after the components',
    file: drive,
    search:
      "return walkPart(walk, 'hooks') ?? passCrds(walk) ?? restorePart(walk) ?? walkPart(walk, 'components') ?? commit(walk);",
    replace:
      "return passCrds(walk) ?? restorePart(walk) ?? walkPart(walk, 'components') ?? walkPart(walk, 'hooks') ?? commit(walk);",
  },
  {
    id: 'hooks-on-every-change',
    what: 'hooks run also when the version stays the same',
    file: 'src/domain/decide/start-revision.ts',
    search: 'return isMoveTo(world, desired.version) ? desired.hooks : [];',
    replace: 'return lastApplied(world) === undefined ? [] : desired.hooks;',
  },
  {
    id: 'hooks-on-rollback',
    what: 'a rollback runs the hooks of what it restores',
    file: 'src/domain/decide/restoring-revision.ts',
    search: 'const { hooks: _past, fromVersion: _former, adopt: _once, ...spec } = target.spec;',
    replace:
      'const { hooks = [], adopt: _once, ...kept } = target.spec; const spec = { ...kept, hooks: hooks.map(({ valuesRef: _ref, valuesDigest: _digest, ...hook }) => hook) };',
  },
  {
    id: 'hook-is-run-again',
    what: 'a hook that was cut off runs once more, whatever became of its Job',
    file: classify,
    search: "case 'some':\n      return classifyDelivered(view, context);",
    replace: "case 'some':\n      return 'leftover';",
  },
  {
    id: 'removed-hook-is-run-again',
    what: 'a hook whose release somebody has deleted is run once more',
    file: drive,
    search: '      if (isFirstSeen(place.view)) draft(walk, place, noteSight(place));\n',
    replace: '',
  },
  {
    id: 'failed-hook-passes',
    what: 'a Job that failed counts as completed',
    file: 'src/domain/readiness/job.ts',
    search: 'if (failure !== undefined) {',
    replace: "if (failure !== undefined) return ready('ended');\n    if (failure !== undefined) {",
  },
  {
    id: 'started-hook-passes',
    what: 'a Job that runs counts as completed',
    file: 'src/domain/readiness/job.ts',
    search: "if (conditionHolds(object, 'Complete')) return ready('completed');",
    replace: "if (conditionHolds(object, 'Complete') || hasStarted(object)) return ready('completed');",
  },
  {
    id: 'hook-is-cut-off-by-a-newer-spec',
    what: 'a newer desired state does not wait for the hook that runs',
    file: decide,
    search: 'if (isRunning || isMigrating) return driveRevision',
    replace: 'if (isRunning || (isMigrating && world.now < 0)) return driveRevision',
  },
  {
    id: 'takes-over-while-it-delivers',
    what: 'a newer desired state does not wait for the delivery that runs',
    file: decide,
    search: 'if (isRunning || isMigrating) return driveRevision',
    replace: 'if ((isRunning && world.now < 0) || isMigrating) return driveRevision',
  },
  {
    id: 'two-revisions-at-once',
    what: 'a revision that is only recorded does not count as in progress',
    file: views,
    search: "return phase === 'Pending' || phase === 'Applying';",
    replace: "return phase === 'Applying';",
  },
  {
    id: 'foreign-is-upgraded',
    what: 'a release of somebody else is written over that came after the last look',
    file: deliver,
    search: 'if (!isTaken(observed, { adopt })) return undefined;',
    replace: 'return undefined;',
  },
  {
    id: 'dropped-is-forgotten',
    what: 'what a new version dropped is not removed',
    file: tidy,
    search: '.filter((target) => !kept.has(releaseKey(target)))',
    replace: '.filter((target) => kept.has(releaseKey(target)))',
  },
  {
    id: 'removal-takes-the-newest-only',
    what: 'a removal leaves the releases of superseded revisions',
    file: 'src/domain/decide/teardown.ts',
    search: 'removeFirst(world, [...pastTargets(world), ...world.strays])',
    replace: 'removeFirst(world, pastTargets({ ...world, revisions: world.revisions.slice(-1) }))',
  },
  {
    id: 'end-of-a-delivery-is-not-told',
    what: 'nobody is woken when a delivery ends',
    file: deliver,
    search: 'for (const pkg of [target.package, ...awaitedBy]) hands.wake(pkg);',
    replace: '',
  },
  {
    id: 'place-is-not-given-back',
    what: 'a delivery keeps its place in the pool for good',
    file: deliver,
    search: '      place.release();\n',
    replace: '',
  },
  {
    id: 'status-is-always-written',
    what: 'a status is written although it says the same',
    file: 'src/engine/engine.ts',
    search: 'if (stableJson(status) === stableJson(pkg.status ?? {})) return;',
    replace: '',
  },
  {
    id: 'values-in-the-journal',
    what: 'a revision records its values instead of their digest',
    file: 'src/domain/release/snapshot.ts',
    search: 'valuesDigest: digestOf(component.values),',
    replace: 'valuesDigest: JSON.stringify(component.values),',
  },
  {
    id: 'revisions-of-a-former-package',
    what: 'revisions that a former package of the name left are taken for its own',
    file: 'src/engine/journal.ts',
    search: 'metadata.ownerReferences?.some((owner) => owner.uid === uid)',
    replace: 'metadata.ownerReferences?.some((owner) => owner.name === name)',
  },
  {
    id: 'underway-taken-for-delivered',
    what: 'what a controller is still at work on counts as delivered',
    file: classify,
    search: "if (release.state !== 'present' || release.delivery !== 'delivered') return false;",
    replace:
      "if (release.state !== 'present' || (release.delivery !== 'delivered' && release.delivery !== 'underway')) return false;",
  },
  {
    id: 'former-failure-counts',
    what: 'the failure of an attempt before counts for the one that Flux has not begun yet',
    file: 'src/backends/flux/situation.ts',
    search: 'return isPlanned(facts) && failures > 0',
    replace: 'return failures > 0',
  },
  {
    id: 'former-ready-counts',
    what: 'Flux being ready with what was before counts',
    file: 'src/backends/flux/situation.ts',
    search: 'return facts.observed === facts.generation && isHandled(facts);',
    replace: 'return isHandled(facts) || facts.ready !== undefined;',
  },
  {
    id: 'any-sync-counts',
    what: 'a sync of something else by somebody else counts',
    file: 'src/backends/argocd/interpret.ts',
    search: '&& s.newest?.instruction === s.instructed;',
    replace: ';',
  },
  {
    id: 'going-on-is-not-stopped',
    what: 'a controller that would go on is left to it when its component fails',
    file: classify,
    search: "return outside === 'nothing' ? state : 'overrunning';",
    replace: 'return state;',
  },
  {
    id: 'stopping-is-never-given-up',
    what: 'a controller that does not listen is told to stop for ever',
    file: 'src/engine/deliveries.ts',
    search: 'this.#noteStop(past, request, outcome);',
    replace: '',
  },
  {
    id: 'takes-over-while-a-controller-works',
    what: 'a newer desired state does not wait for a controller that is at work',
    file: decide,
    search: 'return endOutside(world, current) ?? interrupt(',
    replace: 'return interrupt(',
  },
  {
    id: 'hand-back-forgotten',
    what: 'what was put aside for a delivery is never given back',
    file: tidy,
    search: '[removeDropped(world, applied), handBack(world, applied)]',
    replace: '[removeDropped(world, applied)]',
  },
  {
    id: 'suspended-counts-as-failed',
    what: 'what somebody has suspended fails at once',
    file: 'src/backends/flux/interpret.ts',
    search: "paused: { delivery: 'underway',",
    replace: "paused: { delivery: 'failed',",
  },
  {
    id: 'draining-counts-as-gone',
    what: 'what is going is not waited for',
    file: tidy,
    search: "if (observation.delivery === 'draining') {",
    replace: "if (observation.delivery === 'draining') return undefined;\n  if (observation.delivery === 'draining') {",
  },
  {
    id: 'failures-outside-are-not-learned',
    what: 'how an attempt failed that a controller carries out is not heard',
    file: 'src/engine/gather-releases.ts',
    search: '  learnFailure(sight, target, answer.observation);\n',
    replace: '',
  },
  {
    id: 'another-backend-takes-over',
    what: 'a package changes its backend while it has releases',
    file: 'src/domain/decide/start-revision.ts',
    search: 'standing === undefined || standing === desired.backend',
    replace: 'standing === undefined || standing !== undefined',
  },
];
