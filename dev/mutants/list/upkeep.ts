import type { Mutant } from '../mutant.ts';

/** Faults in what else a package needs on its way. */
export const UPKEEP: readonly Mutant[] = [
  {
    id: 'values-of-the-user-lose-against-the-platform',
    promise: 'R8',
    file: 'src/domain/resolve/platform-values.ts',
    search: 'mergeValues(platform ?? {}, own)',
    replace: 'mergeValues(own, platform ?? {})',
    killedBy: {
      file: 'src/domain/resolve/platform-values.test.ts',
      test: "the platform's values merge deeply with those of the user, who has the last word",
    },
  },
  {
    id: 'engine-suspended-package-is-stalled',
    promise: 'P9',
    file: 'src/domain/status/next-status.ts',
    search: "decision.reason === 'Suspended' ||",
    replace: '',
    killedBy: {
      file: 'src/domain/status/next-status.test.ts',
      test: 'Ready, Reconciling and Stalled suspended: at rest',
    },
  },
  {
    id: 'engine-a-vanished-object-of-a-former-delivery',
    promise: 'I11',
    file: 'src/domain/readiness/newer-than-change.ts',
    search: 'return createdAt(object) >= wholeSeconds(startedAt);',
    replace: 'return createdAt(object) >= 0;',
    killedBy: {
      file: 'src/domain/readiness/newer-than-change.test.ts',
      test: "F18 R6 a status that names no generation counts 'after 5 s of quiet when its status wa",
    },
  },
  {
    id: 'engine-registry-outage-degrades',
    promise: 'R11',
    file: 'src/domain/decide/start-revision.ts',
    search: "return preparation.class === 'transient'\n",
    replace: "return preparation.class === 'bug'\n",
    killedBy: {
      file: 'src/engine/engine.test.ts',
      test: 'the engine a package a registry outage before a revision is FetchFailed, and retried',
    },
  },
  {
    id: 'engine-prepared-charts-of-another-state',
    promise: 'P22',
    file: 'src/engine/preparations.ts',
    search: "if (entry?.digest !== digest) return { kind: 'none' };",
    replace: "if (entry === undefined) return { kind: 'none' };",
    killedBy: {
      file: 'src/engine/preparations.test.ts',
      test: 'preparations the charts of a desired state are those of one digest: another desired state has none',
    },
  },
  {
    id: 'upkeep-a-word-that-comes-to-count-is-not-looked-for',
    promise: 'P22',
    file: 'src/domain/decide/rest.ts',
    search: "const until = decision.kind === 'wait' ? earliest(decision.until, nextWordAt) : nextWordAt;",
    replace: "const until = decision.kind === 'wait' ? decision.until : undefined;",
    killedBy: {
      file: 'src/domain/decide/rest.test.ts',
      test: 'P22 suspended: when what is said of something installed comes to count',
    },
  },
  {
    id: 'what-is-put-away-beside-a-fault-is-forgotten',
    promise: 'I13',
    file: 'src/domain/decide/rest.ts',
    search: 'decision.besides === true || ',
    replace: '',
    killedBy: { file: 'src/domain/decide/rest.test.ts', test: 'I13 degraded, while something' },
  },
];
