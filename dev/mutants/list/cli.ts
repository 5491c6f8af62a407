import type { Mutant } from '../mutant.ts';

/** Faults in what the command line says and waits for. */
export const CLI: readonly Mutant[] = [
  {
    id: 'cli-wait-gives-up-any-condition',
    promise: 'wait',
    file: 'src/cli/change/goals.ts',
    search: "type === 'Ready' && isFinal(pkg)",
    replace: 'isFinal(pkg)',
    killedBy: {
      file: 'src/cli/commands/wait.test.ts',
      test: '--for=Available goes on when the upgrade has failed: that says nothing of Available',
    },
  },
  {
    id: 'cli-file-keeps-its-mode',
    promise: 'P18',
    file: 'src/cli/private-file.ts',
    search: 'if (!isReplaced) return',
    replace: 'if (isReplaced || !isReplaced) return',
    killedBy: {
      file: 'src/cli/private-file.test.ts',
      test: 'P18 is for its owner alone, also where others could read the file that it replaces',
    },
  },
];
