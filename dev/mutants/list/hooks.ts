import type { Mutant } from '../mutant.ts';

const driveRevision = 'src/domain/decide/drive-revision.ts';
const hooksScenario = 'test/scenario/decide/hooks.test.ts';
const startRevision = 'src/domain/decide/start-revision.ts';
const snapshot = 'src/domain/release/snapshot.ts';
const snapshotTest = 'src/domain/release/snapshot.test.ts';
const execute = 'src/engine/execute.ts';
const transactionTest = 'src/engine/transaction.test.ts';
const hookJobs = 'src/engine/hook-jobs.ts';
const hookJobsTest = 'src/engine/hook-jobs.test.ts';
const classifyComponent = 'src/domain/release/classify-component.ts';
const classifyComponentTest = 'src/domain/release/classify-component.test.ts';
const resolvePackage = 'src/domain/resolve/resolve-package.ts';
const resolvePackageTest = 'src/domain/resolve/resolve-package.test.ts';

/** Faults in what runs before an upgrade, once, and what becomes of it. */
export const HOOKS: readonly Mutant[] = [
  {
    id: 'hooks-run-after-the-components',
    promise: 'P13',
    file: driveRevision,
    search:
      "return walkPart(walk, 'hooks') ?? passCrds(walk) ?? restorePart(walk) ?? walkPart(walk, 'components') ?? commit(walk);",
    replace:
      "return passCrds(walk) ?? restorePart(walk) ?? walkPart(walk, 'components') ?? walkPart(walk, 'hooks') ?? commit(walk);",
    killedBy: {
      file: hooksScenario,
      test: 'hooks P13 I3 run in their own order before every component, when the package moves to another version',
    },
  },
  {
    id: 'hooks-crds-pass-on-before-them',
    promise: 'P13',
    file: driveRevision,
    search: "return walkPart(walk, 'hooks') ?? passCrds(walk) ??",
    replace: "return passCrds(walk) ?? walkPart(walk, 'hooks') ??",
    killedBy: {
      file: 'src/domain/decide/crds.test.ts',
      test: 'a CRD passes on before anything is delivered I3 but after the hooks of its revision: they run before everything else that it changes',
    },
  },
  {
    id: 'hooks-run-on-a-first-install',
    promise: 'P13',
    file: 'src/domain/decide/views.ts',
    search: 'return applied !== undefined && applied.spec.version !== version;',
    replace: 'return applied?.spec.version !== version;',
    killedBy: {
      file: 'test/scenario/decide/crashes.test.ts',
      test: 'a newer desired state P13 a hook does not run on a first install, nor for a change of values',
    },
  },
  {
    id: 'hooks-run-for-a-change-of-values',
    promise: 'P13',
    file: 'src/domain/decide/views.ts',
    search: 'return applied !== undefined && applied.spec.version !== version;',
    replace: 'return applied !== undefined;',
    killedBy: { file: hooksScenario, test: 'hooks P13 F53 do not run for a values change' },
  },
  {
    id: 'hooks-run-in-a-rollback',
    promise: 'P19',
    file: 'src/domain/decide/restoring-revision.ts',
    search: 'const { hooks: _past, fromVersion: _former, adopt: _once, ...spec } = target.spec;',
    replace: 'const { fromVersion: _former, adopt: _once, ...spec } = target.spec;',
    killedBy: {
      file: hooksScenario,
      test: 'hooks P13 P19 do not run in a rollback, not even to a revision that had run them',
    },
  },
  {
    id: 'hooks-come-from-a-version-that-was-tried',
    promise: 'P14',
    file: startRevision,
    search: 'fromVersion: applied?.spec.version,',
    replace: 'fromVersion: world.revisions.at(-1)?.spec.version,',
    killedBy: {
      file: hooksScenario,
      test: 'hooks P14 F54 the version that they come from is the one that runs, not one that was tried',
    },
  },
  {
    id: 'hooks-are-not-told-the-version',
    promise: 'P14',
    file: snapshot,
    search: 'kubepkg: { ...own, fromVersion: from, toVersion: to }',
    replace: 'kubepkg: { ...own, toVersion: to }',
    killedBy: {
      file: snapshotTest,
      test: 'P14 what a hook is told the version that runs and the one that comes, beside its own values',
    },
  },
  {
    id: 'hooks-lose-their-own-values-of-that-key',
    promise: 'P14',
    file: snapshot,
    search: 'kubepkg: { ...own, fromVersion: from, toVersion: to }',
    replace: 'kubepkg: { fromVersion: from, toVersion: to }',
    killedBy: {
      file: snapshotTest,
      test: 'P14 what a hook is told the version that runs and the one that comes, beside its own values',
    },
  },
  {
    id: 'hooks-saved-values-miss-the-versions',
    promise: 'P14',
    file: execute,
    search: 'return [...components, ...withVersions(hooks, { from, to })];',
    replace: 'return [...components, ...hooks];',
    killedBy: {
      file: transactionTest,
      test: 'an upgrade is a transaction P13 P14 its hook is delivered first, and told from which version to which',
    },
  },
  {
    id: 'hooks-a-failed-one-passes',
    promise: 'P15',
    file: driveRevision,
    search: "case 'fail':\n      return failPlace(walk, place);",
    replace: "case 'fail':\n      return place.part === 'hooks' ? commit(walk) : failPlace(walk, place);",
    killedBy: {
      file: hooksScenario,
      test: 'hooks P15 R10 one that fails stops the upgrade before anything else changed, and nothing is rolled back',
    },
  },
  {
    id: 'hooks-a-failed-one-is-rolled-back',
    promise: 'P15',
    file: 'src/domain/decide/fail-revision.ts',
    search: "if (part === 'hooks') return { message: 'nothing else was changed' };",
    replace: '',
    killedBy: { file: hooksScenario, test: 'hooks P15 one that fails undoes nothing of an attempt before it either' },
  },
  {
    id: 'hooks-a-failed-one-goes-on-running',
    promise: 'P15',
    file: execute,
    search: "if (part === 'hooks') await haltJobs(",
    replace: "if (part === 'components') await haltJobs(",
    killedBy: {
      file: transactionTest,
      test: 'an upgrade is a transaction P15 P16 the Job of a hook that is not done at its deadline does not run on',
    },
  },
  {
    id: 'hooks-jobs-that-run-are-not-stopped',
    promise: 'P16',
    file: hookJobs,
    search: 'spec: { suspend: true }',
    replace: 'spec: { suspend: false }',
    killedBy: { file: hookJobsTest, test: 'the Jobs of a hook that run are suspended, once' },
  },
  {
    id: 'hooks-another-job-is-stopped',
    promise: 'P16',
    file: hookJobs,
    search: 'metadata: { uid, annotations:',
    replace: 'metadata: { annotations:',
    killedBy: {
      file: hookJobsTest,
      test: 'the Jobs of a hook I6 another one that takes its name meanwhile is left alone',
    },
  },
  {
    id: 'hooks-stay-after-success',
    promise: 'P16',
    file: 'src/domain/decide/tidy.ts',
    search: 'membersIn: typeof everyMember = everyMember',
    replace: 'membersIn: typeof everyMember = componentsOf',
    killedBy: {
      file: hooksScenario,
      test: 'hooks P15 back to what runs after a failed hook needs its releases gone, and no other change',
    },
  },
  {
    id: 'hooks-leftovers-pass-for-the-next-run',
    promise: 'P16',
    file: classifyComponent,
    search: "if (view.hook) return 'leftover';",
    replace: '',
    killedBy: {
      file: hooksScenario,
      test: 'hooks P16 leftovers of a failed attempt are removed before the next run, which is a fresh one',
    },
  },
  {
    id: 'hooks-a-former-attempt-counts',
    promise: 'P16',
    file: classifyComponent,
    search: "if (release.token !== view.token) return 'leftover';",
    replace: '',
    killedBy: { file: classifyComponentTest, test: "the state of a component 'a hook begun, and only what a former" },
  },
  {
    id: 'hooks-are-run-again-after-a-crash',
    promise: 'P16',
    file: classifyComponent,
    search: "case 'some':\n      return classifyDelivered(view, context);",
    replace: "case 'some':\n      return 'begun';",
    killedBy: { file: hooksScenario, test: 'hooks P16 cut off in mid-delivery with Jobs some there' },
  },
  {
    id: 'hooks-that-cannot-be-proven-are-run-again',
    promise: 'P16',
    file: classifyComponent,
    search: "case 'unknown':\n      return 'unprovable';",
    replace: "case 'unknown':\n      return 'begun';",
    killedBy: { file: hooksScenario, test: 'hooks P16 cut off in mid-delivery with Jobs unknown there' },
  },
  {
    id: 'hooks-that-never-ran-fail',
    promise: 'P16',
    file: classifyComponent,
    search:
      "return delivery.kind === 'failed' ? classifyFailed(view, delivery, context) : classifyBegun(view, release);",
    replace: "return 'unprovable';",
    killedBy: { file: classifyComponentTest, test: "the state of a component 'P16 a hook cut off before its Job was" },
  },
  {
    id: 'hooks-vanished-jobs-never-existed',
    promise: 'P16',
    file: hookJobs,
    search: "mayVanish === true) ? 'unknown' : 'never'",
    replace: "mayVanish === true) ? 'never' : 'never'",
    killedBy: { file: hookJobsTest, test: 'the Jobs of a hook P16 of which one may have removed itself' },
  },
  {
    id: 'hooks-are-cut-off-by-a-newer-spec',
    promise: 'P16',
    file: 'src/domain/decide/decide.ts',
    search: 'if (isRunning || isMigrating) return',
    replace: 'if (isRunning) return',
    killedBy: {
      file: hooksScenario,
      test: 'hooks P16 a running migration is never cut off by a newer spec: it is awaited, and the next attempt runs its own',
    },
  },
  {
    id: 'hooks-yielding-begins-the-next',
    promise: 'P16',
    file: driveRevision,
    search: 'if (walk.yielding) return yieldNow(walk);\n  const { view } = place;',
    replace: 'const { view } = place;',
    killedBy: {
      file: hooksScenario,
      test: 'hooks P16 a running migration is never cut off by a newer spec: it is awaited, and the next attempt runs its own',
    },
  },
  {
    id: 'hooks-that-ended-are-judged-again',
    promise: 'P16',
    file: classifyComponent,
    search: "if (recorded === 'Ready' && view.hook) return 'ready';",
    replace: '',
    killedBy: { file: classifyComponentTest, test: "the state of a component 'P16 a hook that is done, whatever bec" },
  },
  {
    id: 'hooks-adopt-what-is-there',
    promise: 'P21',
    file: classifyComponent,
    search: 'context.adopt && !view.hook',
    replace: 'context.adopt',
    killedBy: {
      file: classifyComponentTest,
      test: "the state of a component 'P21 a hook is never adopted': 'foreign'",
    },
  },
  {
    id: 'hooks-are-among-the-components',
    promise: 'P17',
    file: resolvePackage,
    search: 'components: ordered.filter((component) => !component.hook),',
    replace: 'components: ordered,',
    killedBy: {
      file: resolvePackageTest,
      test: 'what a package and its source ask for keeps hooks apart from the components',
    },
  },
  {
    id: 'hooks-a-component-may-depend-on-one',
    promise: 'P17',
    file: resolvePackage,
    search: 'if (target.hook && !component.hook) {',
    replace: 'if (target.hook && component.hook) {',
    killedBy: { file: resolvePackageTest, test: "what stands against it 'P17 a component that depends on a hook'" },
  },
  {
    id: 'hooks-started-is-completed',
    promise: 'P13',
    file: 'src/domain/readiness/options.ts',
    search: "jobs: component.isHook ? 'Complete' : (switches.jobs ?? defaults.jobs)",
    replace: 'jobs: switches.jobs ?? defaults.jobs',
    killedBy: {
      file: 'src/domain/readiness/options.test.ts',
      test: 'the readiness switches of a component R1 P13 of a hook, whose Jobs always have to complete',
    },
  },
  {
    id: 'hooks-unseen-end-is-success',
    promise: 'P16',
    file: 'src/domain/readiness/vanished-job.ts',
    search: 'if (!isHook) return ready(UNSEEN, UNSEEN);',
    replace: 'return ready(UNSEEN, UNSEEN);',
    killedBy: {
      file: 'src/domain/readiness/vanished-job.test.ts',
      test: 'F49 a Job that its time to live has removed never seen, of a hook, is',
    },
  },
  {
    id: 'hooks-charts-are-not-fetched',
    promise: 'P13',
    file: execute,
    search: 'const components = hooks ? [...desired.hooks, ...desired.components] : desired.components;',
    replace: 'const components = desired.components;',
    killedBy: {
      file: transactionTest,
      test: 'an upgrade is a transaction P13 P14 its hook is delivered first, and told from which version to which',
    },
  },
  {
    id: 'hooks-begin-while-a-removal-runs',
    promise: 'I3',
    file: 'src/domain/decide/decide.ts',
    search: '  if (busy === undefined) return start;\n',
    replace: '  return start;\n',
    killedBy: {
      file: 'test/scenario/decide/hooks.test.ts',
      test: 'I3 begin only after a removal that the former revision began has ended',
    },
  },
  {
    id: 'hooks-are-tried-again-while-their-controller-goes-on',
    promise: 'P16',
    file: 'src/domain/release/classify-component.ts',
    search: 'const ends = view.hook ? ENDS_OF_HOOKS : ENDS;',
    replace: 'const ends = ENDS;',
    killedBy: {
      file: 'src/domain/release/classify-outside.test.ts',
      test: 'P16 a hook that is to be tried again,',
    },
  },
  {
    id: 'hooks-that-counted-are-run-again',
    promise: 'P16',
    file: 'src/domain/release/classify-component.ts',
    search: "if ((view.progress.backendRevision ?? SEEN) !== SEEN) return 'unprovable';",
    replace: '',
    killedBy: {
      file: 'src/domain/release/classify-component.test.ts',
      test: 'the state of a component P16 a hook whose Job counted, and of which no Job is there nor noted any more: somebody is removing it: unprovable',
    },
  },
  {
    id: 'hooks-that-were-seen-and-are-gone-run-again',
    promise: 'P16',
    file: 'src/domain/release/classify-component.ts',
    search: '(isNotedOfOther || wasSeen(view))',
    replace: 'isNotedOfOther',
    killedBy: {
      file: 'test/scenario/decide/hooks.test.ts',
      test: 'P16 one whose release somebody deletes before it could be noted',
    },
  },
  {
    id: 'tokens-that-were-seen-are-forgotten',
    promise: 'P16',
    file: 'src/engine/release-book.ts',
    search: "if (entry.observation.state === 'present') entry.lastToken = entry.observation.token;",
    replace: '',
    killedBy: { file: 'src/engine/release-book.test.ts', test: 'P16 that is gone is known by the token that it had' },
  },
  {
    id: 'hooks-that-are-removed-never-had-a-job',
    promise: 'P16',
    file: 'src/engine/gather-releases.ts',
    search: 'return isBegun(again.observation) ? { ...view, ...again, jobs } : { ...view, ...again };',
    replace: 'return { ...view, jobs };',
    killedBy: { file: 'src/engine/gather-releases.test.ts', test: 'is looked at once more before it is said' },
  },
];
