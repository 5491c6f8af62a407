import type { Mutant } from '../mutant.ts';

const classifyComponent = 'src/domain/release/classify-component.ts';
const classifyComponentTest = 'src/domain/release/classify-outside.test.ts';
const controllersTest = 'src/engine/controllers.test.ts';
const stoppingTest = 'src/engine/stopping.test.ts';

/** Deliveries that a controller outside carries out. */
export const CONTROLLERS: readonly Mutant[] = [
  {
    id: 'controllers-go-on-after-a-failure',
    promise: 'R5',
    file: classifyComponent,
    search: "return outside === 'nothing' ? state : 'overrunning';",
    replace: 'return state;',
    killedBy: {
      file: controllersTest,
      test: 'R5 that fails for good, and whose controller would try on, is stopped before the revision fails',
    },
  },
  {
    id: 'controllers-that-do-not-listen-are-told-for-ever',
    promise: 'P9',
    file: 'src/engine/deliveries.ts',
    search: '    this.#noteStop(past, request, outcome);\n',
    replace: '',
    killedBy: { file: stoppingTest, test: 'P9 that may not be stopped by us fails nevertheless' },
  },
  {
    id: 'controllers-work-on-while-something-newer-begins',
    promise: 'I3',
    file: 'src/domain/decide/decide.ts',
    search: 'return endOutside(world, current) ?? interrupt(',
    replace: 'return interrupt(',
    killedBy: { file: stoppingTest, test: 'I3 is let end before a newer desired state takes over' },
  },
  {
    id: 'controllers-former-failure-counts',
    promise: 'R4',
    file: classifyComponent,
    search: "return isOther ? { kind: 'none' } : delivery;",
    replace: 'return delivery;',
    killedBy: { file: classifyComponentTest, test: 'R4 only a former attempt failed' },
  },
  {
    id: 'controllers-are-instructed-again-after-a-restart',
    promise: 'P16',
    file: classifyComponent,
    search: "if (delivery.kind === 'accepted' || isUnderway(view)) return 'settling';",
    replace: "if (delivery.kind === 'accepted') return 'settling';",
    killedBy: { file: controllersTest, test: 'P16 is not instructed again after a restart' },
  },
  {
    id: 'controllers-failures-are-not-learned',
    promise: 'R3',
    file: 'src/engine/gather-releases.ts',
    search: '  learnFailure(sight, target, answer.observation);\n',
    replace: '',
    killedBy: {
      file: controllersTest,
      test: 'R5 that fails for a reason that may pass is instructed once more after a pause, as another attempt',
    },
  },
  {
    id: 'controllers-secret-values-are-shown',
    promise: 'I10',
    file: 'src/engine/gather.ts',
    search: 'capabilities.secretValues || values === undefined',
    replace: 'values === undefined || values !== undefined',
    killedBy: { file: controllersTest, test: 'I10 gets no package with values of the platform' },
  },
  {
    id: 'controllers-another-backend-takes-over',
    promise: 'P21',
    file: 'src/domain/decide/start-revision.ts',
    search: 'standing === undefined || standing === desired.backend',
    replace: 'standing === undefined || standing !== undefined',
    killedBy: { file: controllersTest, test: 'P21 a package stays with the backend that has its releases' },
  },
  {
    id: 'controllers-missing-ones-are-not-asked-for',
    promise: 'P21',
    file: 'src/engine/preparations.ts',
    search: 'if (missing !== undefined) return',
    replace: 'if (missing === undefined && failures < 0) return',
    killedBy: { file: controllersTest, test: 'is said before anything is touched, and seen when it is' },
  },
  {
    id: 'controllers-charts-are-refused-too-late',
    promise: 'R14',
    file: 'src/engine/preparations.ts',
    search: 'if (refusal !== undefined) throw refusal;',
    replace: '',
    killedBy: { file: controllersTest, test: 'R14 a chart that it cannot get is refused before anything is touched' },
  },
  {
    id: 'rollbacks-go-on-beside-what-is-under-way',
    promise: 'P10',
    file: 'src/domain/decide/restore.ts',
    search: '+ (goesOn(walk, item) ? 0 : 1)',
    replace: '',
    killedBy: {
      file: 'test/scenario/decide/rollback.test.ts',
      test: 'P10 P22 what still runs is seen to its end before anything is put back',
    },
  },
  {
    id: 'rollbacks-leave-what-they-have-begun',
    promise: 'P9',
    file: 'src/domain/decide/restore.ts',
    search: '(isBegun(walk, item) ? 0 : 2) + ',
    replace: '',
    killedBy: {
      file: 'test/scenario/decide/rollback.test.ts',
      test: 'P9 I12 what is being put back is judged at its deadline',
    },
  },
];
