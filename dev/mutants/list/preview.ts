import type { Mutant } from '../mutant.ts';

const secrets = 'src/compose/plan-secrets.ts';
const planner = 'src/compose/planner.test.ts';

/** Faults in what is shown before anything happens. */
export const PREVIEW: readonly Mutant[] = [
  {
    id: 'plan-whole-groups-have-nothing-to-wait-for',
    promise: 'P18',
    file: 'src/domain/plan/predictions/custom-readiness.ts',
    search: 'CONFIGURATION[group]?.test(kind) === true',
    replace: 'CONFIGURATION[group] !== undefined',
    killedBy: {
      file: 'src/domain/plan/predictions/custom-readiness.test.ts',
      test: 'F20 a custom resource P18 of gateway.networking.k8s.io/v1, a Gateway, is warned of only if there is something to wait for that nobody says',
    },
  },
  {
    id: 'plan-shows-values-of-the-platform',
    promise: 'I10',
    file: secrets,
    search: "view.kind === 'known' ? leavesOf(view.values ?? {}) : []",
    replace: '[]',
    killedBy: {
      file: planner,
      test: 'the planner I10 with values of the platform shows none of them of what is new, but what the Package says',
    },
  },
  {
    id: 'plan-shows-former-values-of-the-platform',
    promise: 'I10',
    file: secrets,
    search: '[...present, ...(await deliveredSecrets(looking, foreseen))]',
    replace: 'present',
    killedBy: {
      file: planner,
      test: 'the planner I10 with values of the platform shows none of them of what was delivered, when the plan is not told of the Secret',
    },
  },
  {
    id: 'plan-findings-quote-values-of-the-platform',
    promise: 'I10',
    file: 'src/compose/plan-package.ts',
    search: 'hideInFindings(predict(facts), [...new Set(looked.flatMap((each) => each.secretValues))], found)',
    replace: 'predict(facts)',
    killedBy: {
      file: planner,
      test: 'the planner I10 with values of the platform shows none of them of what is new, but what the Package says',
    },
  },
];
