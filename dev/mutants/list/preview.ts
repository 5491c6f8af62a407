import type { Mutant } from '../mutant.ts';

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
];
