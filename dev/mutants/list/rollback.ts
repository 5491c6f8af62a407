import type { Mutant } from '../mutant.ts';

const failRevision = 'src/domain/decide/fail-revision.ts';
const transactionTest = 'src/engine/transaction.test.ts';
const restore = 'src/domain/decide/restore.ts';
const rollbackScenario = 'test/scenario/decide/rollback.test.ts';
const safety = 'src/domain/decide/safety.ts';
const safetyTest = 'src/domain/decide/safety.test.ts';
const startRevision = 'src/domain/decide/start-revision.ts';
const owedRollback = 'src/domain/decide/owed-rollback.ts';
const owedRollbackTest = 'src/domain/decide/owed-rollback.test.ts';
const hold = 'src/domain/decide/hold.ts';
const rollbackRequest = 'src/domain/decide/rollback-request.ts';
const execute = 'src/engine/execute.ts';

/** Faults in what is undone, and in whether it may be. */
export const ROLLBACK: readonly Mutant[] = [
  {
    id: 'rollback-owed-is-written-later',
    promise: 'P10',
    file: failRevision,
    search: '...(outcome.rollback === undefined ? {} : { rollback: outcome.rollback })',
    replace: '...(outcome.rollback === null ? { rollback: outcome.rollback } : {})',
    killedBy: { file: transactionTest, test: 'P10 P19 what is undone gets the values that it had' },
  },
  {
    id: 'rollback-in-forward-order',
    promise: 'P10',
    file: restore,
    search: 'for (const component of componentsOf(each).toReversed()) {',
    replace: 'for (const component of componentsOf(each)) {',
    killedBy: {
      file: rollbackScenario,
      test: 'an upgrade that fails P10 F63 is rolled back whole, what was changed last first',
    },
  },
  {
    id: 'rollback-oldest-change-first',
    promise: 'P10',
    file: restore,
    search: 'for (const each of [...since.toReversed(), revision]) {',
    replace: 'for (const each of [revision, ...since]) {',
    killedBy: {
      file: rollbackScenario,
      test: 'an upgrade that fails P10 F63 new components are removed, and removed ones put back',
    },
  },
  {
    id: 'rollback-waits-while-progressing',
    promise: 'P10',
    file: 'src/domain/decide/steps.ts',
    search: "progressing: { restore: 'pass', step: 'wait'",
    replace: "progressing: { step: 'wait'",
    killedBy: {
      file: rollbackScenario,
      test: 'an upgrade that fails P10 an old component that needs its old dependency is not waited for before that one is back',
    },
  },
  {
    id: 'rollback-one-clock-for-all',
    promise: 'P9',
    file: 'src/domain/decide/drive-revision.ts',
    search: "return isRestoring(revision) && progress.state === 'Submitted' && progress.awaitedSince === undefined;",
    replace: "return isRestoring(revision) && progress.state === 'Failed' && progress.awaitedSince === undefined;",
    killedBy: {
      file: rollbackScenario,
      test: 'an upgrade that fails P9 P10 each component of a rollback has its whole time from its own turn',
    },
  },
  {
    id: 'rollback-new-components-stay',
    promise: 'P10',
    file: restore,
    search: "index === undefined ? { kind: 'remove', target: targetOf(each, component) } : { kind: 'deliver', index };",
    replace: "index === undefined ? { kind: 'deliver', index: 0 } : { kind: 'deliver', index };",
    killedBy: {
      file: rollbackScenario,
      test: 'an upgrade that fails P10 F63 new components are removed, and removed ones put back',
    },
  },
  {
    id: 'rollback-safety-of-the-target',
    promise: 'P10',
    file: safety,
    search: 'revision.spec.rollbackSafe !== true && !isSameRelease(revision.spec, target)',
    replace: '(target as { rollbackSafe?: boolean }).rollbackSafe !== true && !isSameRelease(revision.spec, target)',
    killedBy: {
      file: safetyTest,
      test: 'P10 a revision that failed is rolled back when its version says that it may be',
    },
  },
  {
    id: 'rollback-skipped-versions-are-not-asked',
    promise: 'P10',
    file: safety,
    search: 'versionsOf(since.filter((revision) => isUnsafe(revision, target)))',
    replace: 'versionsOf([failed].filter((revision) => isUnsafe(revision, target)))',
    killedBy: {
      file: safetyTest,
      test: 'P10 a revision that failed is rolled back not over an unsafe version that was tried in between',
    },
  },
  {
    id: 'rollback-own-version-needs-a-declaration',
    promise: 'P10',
    file: safety,
    search: 'revision.spec.rollbackSafe !== true && !isSameRelease(revision.spec, target)',
    replace: 'revision.spec.rollbackSafe !== true',
    killedBy: {
      file: safetyTest,
      test: 'P10 a revision that failed is rolled back when it is the very version and build that runs',
    },
  },
  {
    id: 'rollback-of-a-build-needs-no-declaration',
    promise: 'P10',
    file: safety,
    search: 'return a.version === b.version && (a.build ?? 0) === (b.build ?? 0);',
    replace: 'return a.version === b.version;',
    killedBy: {
      file: safetyTest,
      test: 'P10 a revision that failed is rolled back not when it is another build of that version',
    },
  },
  {
    id: 'rollback-untouched-versions-count',
    promise: 'P10',
    file: safety,
    search: 'return hasSubmitted(revision) && revision.spec',
    replace: 'return revision.spec',
    killedBy: { file: safetyTest, test: 'P10 a revision that failed is rolled back over one that was never begun' },
  },
  {
    id: 'rollback-though-not-atomic',
    promise: 'P10',
    file: safety,
    search: "if (world.package.spec.upgrade?.atomic === false) return none('spec.upgrade.atomic is false');",
    replace: '',
    killedBy: {
      file: rollbackScenario,
      test: 'an upgrade that fails P11 stays as it is when spec.upgrade.atomic is false',
    },
  },
  {
    id: 'rollback-though-nothing-changed',
    promise: 'P10',
    file: safety,
    search: "if (!since.some((revision) => hasChanged(revision, target))) return none('nothing had been changed');",
    replace: '',
    killedBy: { file: safetyTest, test: 'P10 a revision that failed is rolled back not when it has changed nothing' },
  },
  {
    id: 'rollback-over-a-move',
    promise: 'P10',
    file: startRevision,
    search: 'spec: isAway ? { ...spec, rollbackSafe: false } : spec,',
    replace: 'spec,',
    killedBy: {
      file: 'test/scenario/decide/moves.test.ts',
      test: 'a component that has another place P10 makes its revision unsafe to roll back from',
    },
  },
  {
    id: 'rollback-over-a-move-of-its-own-version',
    promise: 'P10',
    file: safety,
    search: 'return isUnsafeVersion(revision, target.spec) || hasMoved(revision, target);',
    replace: 'return isUnsafeVersion(revision, target.spec);',
    killedBy: { file: safetyTest, test: 'P11 a revision that has moved a component is not gone back past unforced' },
  },
  {
    id: 'rollback-to-what-was-only-tried',
    promise: 'P10',
    file: 'src/domain/decide/views.ts',
    search: 'return revisions.findLast((revision) => revision.status?.appliedAt !== undefined);',
    replace: 'return revisions.findLast((revision) => revision.status !== undefined);',
    killedBy: {
      file: safetyTest,
      test: 'P10 a revision that failed is rolled back when its version says that it may be',
    },
  },
  {
    id: 'rollback-is-rolled-back-itself',
    promise: 'P10',
    file: failRevision,
    search: "if (isRestoring(failed)) return { message: 'the rollback is not completed' };",
    replace: '',
    killedBy: {
      file: rollbackScenario,
      test: 'an upgrade that fails P9 P10 each component of a rollback has its whole time from its own turn',
    },
  },
  {
    id: 'rollback-is-begun-again-after-a-crash',
    promise: 'P10',
    file: owedRollback,
    search: 'if (carrier !== undefined) return close(failed, carrier);',
    replace: '',
    killedBy: {
      file: rollbackScenario,
      test: 'an upgrade that fails P10 F63 is rolled back whole, what was changed last first',
    },
  },
  {
    id: 'rollback-that-failed-passes-for-done',
    promise: 'P10',
    file: owedRollback,
    search: 'if (status?.appliedAt !== undefined) {',
    replace: 'if (status !== undefined) {',
    killedBy: {
      file: rollbackScenario,
      test: 'an upgrade that fails P10 a rollback that cannot be completed is told with both causes, and is not rolled back itself',
    },
  },
  {
    id: 'rollback-of-one-that-was-overtaken',
    promise: 'P12',
    file: owedRollback,
    search: 'if (failed !== world.revisions.at(-1) || target === undefined) return overtaken(failed);',
    replace: 'if (target === undefined) return overtaken(failed);',
    killedBy: { file: owedRollbackTest, test: 'P10 a rollback that is owed is given up when something newer has come' },
  },
  {
    id: 'rollback-shares-the-values-of-the-old-one',
    promise: 'P19',
    file: 'src/domain/decide/restoring-revision.ts',
    search: 'return { ...component, valuesRef: { ...valuesRef, name: valuesSecretName(pkg, number) } };',
    replace: 'return component;',
    killedBy: {
      file: owedRollbackTest,
      test: 'P10 a rollback that is owed P19 is carried out with values of its own, since the good revision may be pruned',
    },
  },
  {
    id: 'rollback-hides-the-first-cause',
    promise: 'P10',
    file: hold,
    search: "const first = undone === undefined ? '' :",
    replace: "const first = undone !== undefined ? '' :",
    killedBy: {
      file: rollbackScenario,
      test: 'an upgrade that fails P10 a rollback that cannot be completed is told with both causes, and is not rolled back itself',
    },
  },
  {
    id: 'rollback-failed-by-request-is-an-upgrade',
    promise: 'P19',
    file: hold,
    search: "reason: isRequested(failed) ? 'RollbackFailed' : 'UpgradeFailed',",
    replace: "reason: 'UpgradeFailed',",
    killedBy: {
      file: rollbackScenario,
      test: 'a rollback by request P19 one that cannot be completed is RollbackFailed',
    },
  },
  {
    id: 'rollback-said-to-be-done-while-it-tidies',
    promise: 'P10',
    file: hold,
    search: "if (verdict.kind === 'converged') return held;",
    replace: "if (verdict.kind !== 'act') return held;",
    killedBy: {
      file: rollbackScenario,
      test: 'an upgrade that fails P10 what the failed version left is removed after the rollback, and Ready is not claimed meanwhile',
    },
  },
  {
    id: 'rollback-by-request-over-an-unsafe-version',
    promise: 'P11',
    file: rollbackRequest,
    search: 'if (unsafe.length > 0 && !isForced(world, unsafe))',
    replace: 'if (unsafe.length > 99)',
    killedBy: {
      file: rollbackScenario,
      test: 'a rollback by request P19 P11 past an unsafe version is refused, and what runs is left alone',
    },
  },
  {
    id: 'rollback-by-request-cannot-be-forced',
    promise: 'P19',
    file: rollbackRequest,
    search: 'if (unsafe.length > 0 && !isForced(world, unsafe))',
    replace: 'if (unsafe.length > 0)',
    killedBy: {
      file: rollbackScenario,
      test: 'a rollback by request P19 P11 is carried out when that very version is forced, once',
    },
  },
  {
    id: 'rollback-by-request-to-what-was-only-tried',
    promise: 'P19',
    file: rollbackRequest,
    search: 'if (target?.status?.appliedAt === undefined) {',
    replace: 'if (target?.status === undefined) {',
    killedBy: {
      file: owedRollbackTest,
      test: 'P19 a rollback that is asked for to a revision that was only tried is refused',
    },
  },
  {
    id: 'rollback-request-is-answered-twice',
    promise: 'P19',
    file: rollbackRequest,
    search: "if (isAnswered(world, wanted)) return drop('the requested rollback has begun');",
    replace: '',
    killedBy: {
      file: rollbackScenario,
      test: 'a rollback by request P19 restores an earlier applied revision and holds it as RolledBack',
    },
  },
  {
    id: 'rollback-unsafe-versions-are-forgotten',
    promise: 'P11',
    file: safety,
    search: "const text = revisions[0]?.metadata.annotations?.[ANNOTATION.unsafeVersions] ?? '';",
    replace: "const text = revisions.length > 99 ? ANNOTATION.unsafeVersions : '';",
    killedBy: {
      file: 'test/scenario/decide/rollback.test.ts',
      test: 'P11 I4 an unsafe version is not forgotten when its revision is',
    },
  },
  {
    id: 'rollback-force-is-used-for-ever',
    promise: 'P11',
    file: 'src/domain/decide/decide.ts',
    search: '?? dropForce(world, current)',
    replace: '',
    killedBy: {
      file: 'test/scenario/decide/rollback.test.ts',
      test: 'P11 a forced way back by editing is used up',
    },
  },
  {
    id: 'rollback-one-forced-version-frees-all',
    promise: 'P11',
    file: safety,
    search: 'return unsafe.every((version) => named.has(version));',
    replace: 'return unsafe.some((version) => named.has(version));',
    killedBy: {
      file: safetyTest,
      test: 'P11 versions that stand in the way back are forced by 2.0.0 only when each is named',
    },
  },
  {
    id: 'rollback-by-editing-is-not-refused',
    promise: 'P11',
    file: startRevision,
    search: 'if (unsafe.length === 0 || isForced(world, unsafe)) return undefined;',
    replace: 'if (unsafe.length < 99) return undefined;',
    killedBy: {
      file: rollbackScenario,
      test: 'a rollback by request P11 going back by editing the Package past an unsafe version is refused, unless forced',
    },
  },
  {
    id: 'rollback-by-editing-cannot-be-forced',
    promise: 'P11',
    file: startRevision,
    search: 'if (unsafe.length === 0 || isForced(world, unsafe)) return undefined;',
    replace: 'if (unsafe.length === 0) return undefined;',
    killedBy: {
      file: rollbackScenario,
      test: 'a rollback by request P11 going back by editing the Package past an unsafe version is refused, unless forced',
    },
  },
  {
    id: 'rollback-takes-an-upgrade-for-a-way-back',
    promise: 'P11',
    file: safety,
    search: 'isUnsafeVersion(revision, wanted) && isAbove(revision.spec)',
    replace: 'isUnsafeVersion(revision, wanted)',
    killedBy: {
      file: safetyTest,
      test: 'P11 versions that stand in the way back are none for an upgrade, whatever failed before it',
    },
  },
  {
    id: 'rollback-failed-half-way-counts-as-untouched',
    promise: 'P10',
    file: safety,
    search: 'return [...others, failed].filter(({ spec }) => spec.revision > target.spec.revision);',
    replace: 'return [failed].filter(({ spec }) => spec.revision > target.spec.revision);',
    killedBy: {
      file: safetyTest,
      test: 'P10 a revision that failed is rolled back not over an unsafe version that was tried in between',
    },
  },
  {
    id: 'rollback-takes-the-crds-back',
    promise: 'P19',
    file: execute,
    search: 'rollback: isRestoring(revision),',
    replace: 'rollback: false,',
    killedBy: {
      file: transactionTest,
      test: 'an upgrade is a transaction P10 P19 what is undone gets the values that it had, and is told to be restored',
    },
  },
  {
    id: 'rollback-values-come-from-what-is-wanted',
    promise: 'P19',
    file: execute,
    search: 'if (restoredFrom > 0) {',
    replace: 'if (restoredFrom < 0) {',
    killedBy: {
      file: transactionTest,
      test: 'an upgrade is a transaction P10 P19 what is undone gets the values that it had, and is told to be restored',
    },
  },
  {
    id: 'rollback-what-it-answers-to-is-what-runs',
    promise: 'P12',
    file: 'src/domain/decide/decide.ts',
    search:
      'return isRestoring(applied) ? applied.metadata.annotations?.[ANNOTATION.restoredDigest] : desiredDigestOf(applied);',
    replace: 'return desiredDigestOf(applied);',
    killedBy: {
      file: 'test/scenario/decide/rollback.test.ts',
      test: 'P12 what was rolled back is tried again, and not taken for what runs',
    },
  },
  {
    id: 'rollback-waits-for-a-pod-that-is-kept',
    promise: 'P10',
    file: 'src/domain/decide/drive-revision.ts',
    search: 'return replacePod(walk, place) ?? pause(walk, place);',
    replace: 'return pause(walk, place);',
    killedBy: { file: 'src/domain/decide/replace-pod.test.ts', test: 'is replaced in a rollback' },
  },
  {
    id: 'rollback-replaces-pods-going-forward-too',
    promise: 'P10',
    file: 'src/domain/decide/drive-revision.ts',
    search: "const isAwaited = isRestoring(walk.revision) && place.state === 'progressing';",
    replace: "const isAwaited = place.state === 'progressing';",
    killedBy: {
      file: 'src/domain/decide/replace-pod.test.ts',
      test: 'a revision that goes forward leaves it to people',
    },
  },
];
