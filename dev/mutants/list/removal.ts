import type { Mutant } from '../mutant.ts';

const tidy = 'src/domain/decide/tidy.ts';
const tidyTest = 'src/domain/decide/tidy.test.ts';
const teardown = 'src/domain/decide/teardown.ts';
const overrun = 'src/domain/decide/overrun.ts';
const movesScenario = 'test/scenario/decide/moves.test.ts';
const transactionTest = 'src/engine/transaction.test.ts';
const removalScenario = 'test/scenario/decide/removal.test.ts';
const decideScenario = 'test/scenario/decide/decide.test.ts';
const execute = 'src/engine/execute.ts';
const executeTest = 'src/engine/execute.test.ts';
const releaseBook = 'src/engine/release-book.ts';
const leavingTest = 'src/engine/leaving.test.ts';

/** Faults in what goes, in which order, and what stays. */
export const REMOVAL: readonly Mutant[] = [
  {
    id: 'removal-draining-is-ignored',
    promise: 'P20',
    file: tidy,
    search: "if (observation.delivery === 'draining') {",
    replace: "if (observation.delivery === 'draining') return undefined;\n  if (observation.delivery === 'draining') {",
    killedBy: { file: tidyTest, test: 'P20 a release that has to go is waited for while its objects go' },
  },
  {
    id: 'removal-of-dependents-is-not-awaited',
    promise: 'P20',
    file: teardown,
    search: 'if (world.leavingDependents.length > 0) {',
    replace: 'if (world.leavingDependents.length < 0) {',
    killedBy: {
      file: 'src/engine/requirements.test.ts',
      test: 'what stands between packages P20 packages that are removed together go in reverse: what requires another is gone before it, whichever was removed first',
    },
  },
  {
    id: 'removal-leaves-what-no-revision-knows',
    promise: 'P20',
    file: teardown,
    search: '[...pastTargets(world), ...world.strays]',
    replace: 'pastTargets(world)',
    killedBy: {
      file: transactionTest,
      test: 'an upgrade is a transaction P20 I13 a release that no revision knows goes with its package',
    },
  },
  {
    id: 'removal-does-not-list-by-label',
    promise: 'I13',
    file: 'src/engine/gather-releases.ts',
    search: '(await sight.deps.backends.get(backend)?.releasesOf(name)) ?? []',
    replace: '[] as readonly ReleaseTarget[]',
    killedBy: {
      file: transactionTest,
      test: 'an upgrade is a transaction P20 I13 a release that no revision knows goes with its package',
    },
  },
  {
    id: 'removal-newest-revision-only',
    promise: 'P20',
    file: tidy,
    search: 'for (const revision of [...world.revisions].reverse()) {\n    for (const component of membersIn',
    replace: 'for (const revision of world.revisions.slice(-1)) {\n    for (const component of membersIn',
    killedBy: {
      file: tidyTest,
      test: 'an applied revision P20 forgets no revision while something of it is still there',
    },
  },
  {
    id: 'removal-crds-are-released-last',
    promise: 'P20',
    file: teardown,
    search: "if (released !== undefined) return { ...released, reason: 'Deleting' };",
    replace: '',
    killedBy: {
      file: 'src/engine/crds.test.ts',
      test: 'the CRDs of a package P20 of a package that is removed are released and kept before its releases go',
    },
  },
  {
    id: 'removal-does-not-look-whether-it-can-see',
    promise: 'P20',
    file: tidy,
    search: "if (observation.state === 'unknown') return wait({ ...explanation, message: observation.message });",
    replace: '',
    killedBy: {
      file: removalScenario,
      test: 'P20 a package that is removed waits while it cannot see whether a release is there',
    },
  },
  {
    id: 'removal-lets-the-package-go-before-its-revisions',
    promise: 'P20',
    file: teardown,
    search: 'if (held !== undefined) {',
    replace: 'if (held === null) {',
    killedBy: {
      file: removalScenario,
      test: 'P20 a package that is removed lets the revisions go after the releases and before the Package',
    },
  },
  {
    id: 'removal-is-tried-again-without-a-pause',
    promise: 'P20',
    file: tidy,
    search: "if (until !== undefined && delivery.kind === 'failed') {",
    replace: "if (until === null && delivery.kind === 'failed') {",
    killedBy: {
      file: removalScenario,
      test: 'P20 a package that is removed keeps its finalizer until the last release is gone, however often a removal fails',
    },
  },
  {
    id: 'removal-dropped-components-stay',
    promise: 'P20',
    file: tidy,
    search: '.filter((target) => !kept.has(releaseKey(target)))',
    replace: '.filter((target) => kept.has(releaseKey(target)))',
    killedBy: {
      file: decideScenario,
      test: 'a package through its life P1 installs in the order of dependsOn, ties in order of declaration',
    },
  },
  {
    id: 'removal-that-hangs-is-a-failure-of-the-revision',
    promise: 'P20',
    file: tidy,
    search: 'return left === undefined ? verdict : besides(verdict, left);',
    replace: 'return left ?? verdict;',
    killedBy: {
      file: 'test/scenario/decide/moves.test.ts',
      test: 'a component that has another place dropped, whose removal hangs, leaves the upgrade applied and Ready',
    },
  },
  {
    id: 'removal-takes-other-finalizers-too',
    promise: 'P20',
    file: execute,
    search: '(known) => known.filter((finalizer) => finalizer !== FINALIZER)',
    replace: '() => []',
    killedBy: { file: executeTest, test: 'the execution of an action on the Package P20 takes away ours alone' },
  },
  {
    id: 'removal-prunes-whatever-has-the-name',
    promise: 'P20',
    file: execute,
    search: "verb: 'delete', ref, uid });",
    replace: "verb: 'delete', ref });",
    killedBy: {
      file: executeTest,
      test: 'the execution of an action on revisions I6 prunes one only while it is the one that was looked at',
    },
  },
  {
    id: 'removal-of-a-namespace',
    promise: 'P20',
    file: 'src/engine/namespaces.ts',
    search: "const annotations = { [ANNOTATION.helmKeep]: 'keep' };",
    replace: 'const annotations = {};',
    killedBy: {
      file: 'src/engine/namespaces.test.ts',
      test: 'ensureNamespace the namespace of a component P20 is made where there is none, and never deleted with a release',
    },
  },
  {
    id: 'removal-circle-waits-for-ever',
    promise: 'P20',
    file: 'src/domain/resolve/leaving-dependents.ts',
    search: 'isOlder(other, own)',
    replace: 'isOlder(own, other)',
    killedBy: {
      file: 'src/domain/resolve/leaving-dependents.test.ts',
      test: 'P20 packages that leave together in a circle the older goes first',
    },
  },
  {
    id: 'removal-a-leaving-release-is-judged',
    promise: 'P20',
    file: releaseBook,
    search: 'if (isLeaving(observation)) {\n',
    replace: 'if (isLeaving(observation) && observation.revision < 0) {\n',
    killedBy: { file: leavingTest, test: 'P20 a release that is draining is unobserved, and says what it waits for' },
  },
  {
    id: 'removal-what-went-is-not-news',
    promise: 'P20',
    file: releaseBook,
    search: 'return leaving !== undefined && countGone(this.#deps.tracker, leaving.refs) !== leaving.gone;',
    replace: 'return false;',
    killedBy: {
      file: leavingTest,
      test: 'P20 a release that is draining is looked at again as soon as one of its objects is gone, and its package is woken',
    },
  },
  {
    id: 'removal-follows-what-is-gone',
    promise: 'P20',
    file: 'src/engine/leaving.ts',
    search: 'return refs.filter((_ref, index) => present[index] === true);',
    replace: 'return refs;',
    killedBy: {
      file: leavingTest,
      test: 'P20 a release that is draining is followed by what is still there, and by nothing else',
    },
  },
  {
    id: 'removal-is-not-told',
    promise: 'P20',
    file: 'src/engine/announcer.ts',
    search: 'if (blocked !== undefined && blocked.message !== former?.blocked) this.#tell(about, [blocked]);',
    replace: '',
    killedBy: {
      file: 'src/engine/announcer.test.ts',
      test: 'the engine tells of every transition P20 of a removal that is held up, once for each thing that holds it',
    },
  },
  {
    id: 'removal-history-loses-the-newest',
    promise: 'P19',
    file: tidy,
    search: 'const oldest = world.revisions.find(',
    replace: 'const oldest = world.revisions.findLast(',
    killedBy: { file: tidyTest, test: 'an applied revision P19 lets the oldest of its history go first' },
  },
  {
    id: 'removal-history-is-not-bounded',
    promise: 'P19',
    file: tidy,
    search: 'if (excess <= 0) return undefined;',
    replace: 'if (excess <= 99) return undefined;',
    killedBy: {
      file: decideScenario,
      test: 'a package through its life history is bounded and keeps the applied revision',
    },
  },
  {
    id: 'removal-begun-takes-the-word-on-what-is-applied',
    promise: 'P20',
    file: tidy,
    search: "if (step.kind === 'act') return act(step.action, { reason, message });",
    replace: "if (step.kind === 'act') return step;",
    killedBy: {
      file: tidyTest,
      test: 'an applied revision is healthy while it removes what an older one had',
    },
  },
  {
    id: 'removal-before-what-stays-is-read',
    promise: 'P20',
    file: tidy,
    search: "if (verdict.kind === 'observe') return verdict;",
    replace: "if (verdict.kind === 'observe') return step;",
    killedBy: {
      file: tidyTest,
      test: 'an applied revision is read first, and the last word on it stands, while it removes what an older one had',
    },
  },
  {
    id: 'removal-history-is-cut-while-something-is-left',
    promise: 'P20',
    file: tidy,
    search: 'settleSurroundings(world, applied) ?? putAway(world, applied) ??',
    replace: 'settleSurroundings(world, applied) ?? prune(world, applied) ?? putAway(world, applied) ??',
    killedBy: {
      file: tidyTest,
      test: 'an applied revision P20 forgets no revision while something of it is still there',
    },
  },
  {
    id: 'removal-runs-without-an-end',
    promise: 'P9',
    file: overrun,
    search: 'if (end === undefined || world.now < end) return undefined;',
    replace: 'if (end === undefined || world.now > 0) return undefined;',
    killedBy: {
      file: removalScenario,
      test: 'P20 a package that is removed P9 stops a removal that has had the time of a component',
    },
  },
  {
    id: 'removal-time-is-shortened',
    promise: 'P9',
    file: overrun,
    search: 'Math.max(delivery.grantedUntil, delivery.since + timeoutOf(pkg))',
    replace: 'delivery.since + timeoutOf(pkg)',
    killedBy: {
      file: removalScenario,
      test: 'P20 a package that is removed P9 gives a removal the time that it had when it was begun',
    },
  },
  {
    id: 'removal-cuts-off-a-job',
    promise: 'P20',
    file: teardown,
    search: ' || isMigrating(view);',
    replace: ';',
    killedBy: { file: removalScenario, test: 'P20 a package that is removed P16 lets the Job of a hook end first' },
  },
  {
    id: 'removal-leaves-controllers-at-work',
    promise: 'P20',
    file: teardown,
    search: "if (!isBeingDelivered(view) && outside === 'nothing') return undefined;",
    replace: 'if (!isBeingDelivered(view)) return undefined;',
    killedBy: { file: removalScenario, test: 'waits for a controller that is at work on a component' },
  },
  {
    id: 'removal-does-not-await-that-a-stop-is-seen',
    promise: 'P20',
    file: teardown,
    search: "if (outside === 'stopping') return",
    replace: "if (outside === 'stopping') return undefined; else if (world.now < 0) return",
    killedBy: { file: removalScenario, test: 'waits for a controller that was told to stop' },
  },
  {
    id: 'removal-cuts-off-the-job-of-a-hook-that-was-cut-off',
    promise: 'P16',
    file: teardown,
    search: '!(isBegun || isDelivered(view))',
    replace: '!isDelivered(view)',
    killedBy: { file: removalScenario, test: 'P16 lets the Job of a hook end whose delivery was cut off' },
  },
  {
    id: 'removal-forgets-the-suspension-of-a-hook',
    promise: 'P16',
    file: teardown,
    search: 'if (resumed !== undefined) return resumed;',
    replace: '',
    killedBy: { file: removalScenario, test: 'P9 P16 lets a hook end for as long as it had left' },
  },
  {
    id: 'removal-awaits-what-fails',
    promise: 'P16',
    file: teardown,
    search: "isBeingDelivered(view) || outside === 'underway' || outside === 'stopping' || isMigrating(view)",
    replace: "isBeingDelivered(view) || outside !== 'nothing' || isMigrating(view)",
    killedBy: { file: removalScenario, test: 'P16 stops a hook that its controller tries in vain' },
  },
  {
    id: 'removal-overlooks-what-it-cannot-see',
    promise: 'P16',
    file: teardown,
    search: "if (unread?.release.state === 'unknown') return",
    replace: "if (unread?.release.state === 'unknown' && world.now < 0) return",
    killedBy: { file: removalScenario, test: 'P16 waits while it cannot see whether a hook goes on' },
  },
  {
    id: 'hook-of-somebody-else-is-stopped',
    promise: 'P21',
    file: 'src/engine/execute.ts',
    search: "if (failed === undefined || world.releases[releaseKey(failed.target)]?.observation.state === 'foreign') {",
    replace: 'if (failed === undefined) {',
    killedBy: {
      file: 'src/engine/transaction.test.ts',
      test: 'P21 a release that somebody else makes in the place of a hook',
    },
  },
  {
    id: 'removal-waits-for-a-delivery',
    promise: 'P20',
    file: teardown,
    search: 'endDelivery(world) ?? removeReleases(world)',
    replace: 'removeReleases(world)',
    killedBy: {
      file: removalScenario,
      test: 'P20 a package that is removed stops what is still being delivered at once',
    },
  },
  {
    id: 'removal-cuts-a-migration-off',
    promise: 'P16',
    file: teardown,
    search: 'if (until === undefined || now >= until) return undefined;',
    replace: 'if (until !== 0) return undefined;',
    killedBy: {
      file: removalScenario,
      test: 'P20 a package that is removed P16 lets a hook that is being delivered end first',
    },
  },
  {
    id: 'removal-of-what-was-dropped-runs-without-an-end',
    promise: 'P9',
    file: tidy,
    search: 'stopOverrun(world, release) ?? removeRelease(world, release, target)',
    replace: 'removeRelease(world, release, target)',
    killedBy: { file: tidyTest, test: 'an applied revision P9 P20 stops a removal that has had its time' },
  },
  {
    id: 'removal-holds-what-is-newer-for-ever',
    promise: 'P9',
    file: 'src/domain/decide/decide.ts',
    search: 'if (overrun !== undefined) return overrun;',
    replace: '',
    killedBy: {
      file: movesScenario,
      test: 'P9 whose former place does not go is waited for by something newer no longer than a component has',
    },
  },
  {
    id: 'removal-holds-a-way-back-for-ever',
    promise: 'P9',
    file: 'src/domain/decide/walk.ts',
    search: 'deadlineIn(walk, progress) ?? endOfRun(walk.world, view)',
    replace: 'deadlineIn(walk, progress)',
    killedBy: {
      file: movesScenario,
      test: 'P9 whose former place does not go is waited for by a way back no longer than a component has',
    },
  },
  {
    id: 'removal-is-given-no-time',
    promise: 'P9',
    file: 'src/engine/deliveries.ts',
    search: 'grantedUntil: since + timeoutMs',
    replace: 'grantedUntil: since',
    killedBy: {
      file: 'src/engine/deliver.test.ts',
      test: 'P9 is known to be running since its start, and until when it may',
    },
  },
  {
    id: 'removal-does-not-tell-its-hook',
    promise: 'P20',
    file: 'src/helm/running-hooks.ts',
    search: "return isOfUninstall && at(hook, 'last_run', 'phase') === 'Running';",
    replace: "return at(hook, 'last_run', 'phase') === 'Running';",
    killedBy: {
      file: 'src/backends/helm/uninstall.test.ts',
      test: 'P20 a release that helm has uninstalled while it is uninstalled does not name a hook of an installation that was cut off',
    },
  },
  {
    id: 'removal-takes-itself-for-a-delivery',
    promise: 'P20',
    file: teardown,
    search: ' && token !== undefined',
    replace: '',
    killedBy: { file: removalScenario, test: 'takes no removal for a delivery that is to be stopped' },
  },
];
