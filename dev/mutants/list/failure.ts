import type { Mutant } from '../mutant.ts';

const decide = 'src/domain/decide/decide.ts';
const decideScenario = 'test/scenario/decide/decide.test.ts';
const steps = 'src/domain/decide/steps.ts';
const classifyComponent = 'src/domain/release/classify-component.ts';
const classifyComponentTest = 'src/domain/release/classify-component.test.ts';
const suspend = 'src/domain/decide/suspend.ts';
const suspendTest = 'src/domain/decide/suspend.test.ts';
const movesScenario = 'test/scenario/decide/moves.test.ts';

/** Faults in what a failure, a suspension or a move leads to. */
export const FAILURE: readonly Mutant[] = [
  {
    id: 'failure-holds-nothing-back',
    promise: 'P12',
    file: decide,
    search: 'if (desiredDigestOf(newest) !== desired.digest) return decideChanged(world, desired);',
    replace: 'if (desiredDigestOf(newest) !== null) return decideChanged(world, desired);',
    killedBy: {
      file: decideScenario,
      test: 'a package through its life P9 it fails at its own deadline, counted from its own start; nothing after it was begun',
    },
  },
  {
    id: 'failure-the-granted-time-is-not-kept',
    promise: 'P12',
    file: 'src/domain/decide/fail-revision.ts',
    search: '...grantedTime(walk, view.progress),',
    replace: '',
    killedBy: {
      file: decideScenario,
      test: 'a package through its life P9 a raised timeout extends a running wait, a lowered one does not shorten it',
    },
  },
  {
    id: 'failure-a-timeout-no-longer-than-granted-frees',
    promise: 'P12',
    file: 'src/domain/decide/hold.ts',
    search: 'timeoutOf(world.package) > grantedMs(progress)',
    replace: 'timeoutOf(world.package) > 0',
    killedBy: {
      file: decideScenario,
      test: 'a package through its life P9 it fails at its own deadline, counted from its own start; nothing after it was begun',
    },
  },
  {
    id: 'failure-a-delivery-that-runs-over-is-let-run',
    promise: 'P9',
    file: steps,
    search: "overrunning: { step: 'stop'",
    replace: "overrunning: { step: 'wait'",
    killedBy: {
      file: 'test/scenario/decide/crashes.test.ts',
      test: 'P9 whatever is tried again a delivery that outlives its deadline is stopped, and its record is settled',
    },
  },
  {
    id: 'failure-overdue-is-never',
    promise: 'P9',
    file: classifyComponent,
    search: 'overdue ? overdueState(view, state, context) : state',
    replace: 'state',
    killedBy: { file: classifyComponentTest, test: 'P9 begun, its release seen' },
  },
  {
    id: 'failure-unhealthy-waits',
    promise: 'P10',
    file: steps,
    search: "restore: 'pass',\n    step: 'fail',",
    replace: "restore: 'pass',\n    step: 'wait',",
    killedBy: {
      file: 'test/scenario/decide/hooks.test.ts',
      test: 'hooks P15 R10 one that fails stops the upgrade before anything else changed, and nothing is rolled back',
    },
  },
  {
    id: 'suspend-runs-the-clock',
    promise: 'P9',
    file: suspend,
    search: 'deadline: formatTime(parseTime(deadline) + byMs)',
    replace: 'deadline',
    killedBy: {
      file: suspendTest,
      test: 'P9 a package that is suspended leaves its components the time that they had',
    },
  },
  {
    id: 'suspend-does-not-note-when',
    promise: 'P9',
    file: suspend,
    search: 'const status = { ...current.status, suspendedAt: formatTime(world.now) };',
    replace: 'const status = { ...current.status };',
    killedBy: { file: suspendTest, test: 'P9 a package that is suspended notes when, once' },
  },
  {
    id: 'suspend-hooks-keep-running-out',
    promise: 'P9',
    file: suspend,
    search: '...(hooks === undefined ? {} : { hooks: shift(hooks) }),',
    replace: '',
    killedBy: { file: suspendTest, test: 'P9 a package that is suspended leaves its hooks the time that they had' },
  },
  {
    id: 'suspend-removals-keep-running-out',
    promise: 'P9',
    file: suspend,
    search: '...(removals === undefined ? {} : { removals: shift(removals) }),',
    replace: '',
    killedBy: { file: suspendTest, test: 'P9 a package that is suspended leaves its removals the time that they had' },
  },
  {
    id: 'suspend-the-stop-is-kept-for-ever',
    promise: 'P9',
    file: suspend,
    search: 'const { suspendedAt, ...status } = current.status ?? {};',
    replace: 'const { suspendedAt } = current.status ?? {};\n  const status = current.status ?? {};',
    killedBy: {
      file: suspendTest,
      test: 'P9 a package that is suspended leaves its components the time that they had',
    },
  },
  {
    id: 'moves-the-new-place-comes-first',
    promise: 'P1',
    file: classifyComponent,
    search: "return view.formerPlaces.length > 0 ? 'misplaced' : 'absent';",
    replace: "return 'absent';",
    killedBy: {
      file: movesScenario,
      test: 'a component that has another place is taken away from its former one first',
    },
  },
  {
    id: 'moves-the-former-place-is-forgotten',
    promise: 'P20',
    file: classifyComponent,
    search: "if (view.formerPlaces.length > 0) return 'misplaced';",
    replace: '',
    killedBy: {
      file: classifyComponentTest,
      test: "the state of a component 'P20 not begun, in both places': 'misplaced'",
    },
  },
  {
    id: 'moves-no-clock-while-it-goes',
    promise: 'P9',
    file: 'src/domain/decide/make-way.ts',
    search:
      "if (progress.startedAt === undefined) draft(walk, place, { ...progress, state: 'Pending', ...clockFrom(walk) });",
    replace: '',
    killedBy: {
      file: movesScenario,
      test: 'a component that has another place P9 has one deadline for the removal and the delivery',
    },
  },
  {
    id: 'moves-takes-the-place-of-another-component',
    promise: 'P20',
    file: 'src/domain/decide/views.ts',
    search: ' && isThere && !wanted.has(key)',
    replace: ' && isThere',
    killedBy: {
      file: movesScenario,
      test: 'a component that has another place is taken away from its former one first',
    },
  },
  {
    id: 'adoption-never-ends',
    promise: 'P21',
    file: 'src/domain/decide/surroundings.ts',
    search: 'return settleCrds(world, applied) ?? endAdoption(applied);',
    replace: 'return settleCrds(world, applied);',
    killedBy: {
      file: 'src/engine/surroundings.test.ts',
      test: 'P21 a release that was there before is taken over under its own name, by one revision',
    },
  },
  {
    id: 'adoption-ends-before-it-is-applied',
    promise: 'P21',
    file: 'src/engine/execute.ts',
    search: 'adopt: revision.spec.adopt ?? false,',
    replace: 'adopt: false,',
    killedBy: {
      file: 'src/engine/execute.test.ts',
      test: 'the execution of an action P9 of a delivery P21 takes over what is there only if the revision says so',
    },
  },
  {
    id: 'p5-a-running-revision-is-stopped',
    promise: 'P5',
    file: decide,
    search: '  return driveRevision(world, current);\n}',
    replace:
      "  return world.unmetRequirements.length > 0\n    ? wait({ reason: 'RequirementsNotMet', message: 'it waits' })\n    : driveRevision(world, current);\n}",
    killedBy: {
      file: decideScenario,
      test: 'a package through its life P3 a package starts only when its requirements are met, and a running revision is not stopped by them',
    },
  },
  {
    id: 'failure-of-what-is-not-read-at-its-deadline',
    promise: 'P9',
    file: classifyComponent,
    search: 'isUnread(view) && ',
    replace: "view.release.state === 'absent' && ",
    killedBy: { file: classifyComponentTest, test: 'P9 that cannot be read 0 ms past its deadline' },
  },
];
