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
  {
    id: 'cli-plan-for-any-unknown-cluster',
    promise: 'P18',
    file: 'src/cli/plan/approve.ts',
    search: "if (now.cluster === '') throw",
    replace: "if (now.cluster === 'none') throw",
    killedBy: {
      file: 'src/cli/plan/approve.test.ts',
      test: 'P18 is neither made for a cluster nor carried out on one that nothing tells from others',
    },
  },
  {
    id: 'cli-plan-knows-clusters-by-one-object',
    promise: 'P18',
    file: 'src/compose/cluster-identity.ts',
    search: 'for (const ref of LASTING) {',
    replace: 'for (const ref of LASTING.slice(0, 1)) {',
    killedBy: {
      file: 'src/compose/cluster-identity.test.ts',
      test: 'P18 is that of namespace default',
    },
  },
  {
    id: 'cli-diff-takes-unread-for-equal',
    promise: 'P18',
    file: 'src/cli/look/compare-live.ts',
    search: 'const unread = sight.troubles.texts();',
    replace: 'const unread: readonly string[] = [];',
    killedBy: {
      file: 'src/cli/commands/diff.test.ts',
      test: 'P18 never says that nothing differs where it could not be compared: what runs',
    },
  },
  {
    id: 'cli-local-waits-for-others',
    promise: 'P20',
    file: 'src/cli/local/put-away.ts',
    search: "event.type === 'set' && names.has(event.object.metadata.name)",
    replace: "event.type === 'set'",
    killedBy: {
      file: 'src/cli/local/local-operator.test.ts',
      test: 'P20 waits for the removals of the packages alone that it was asked about',
    },
  },
  {
    id: 'cli-operator-is-in-one-namespace',
    promise: 'wait',
    file: 'src/cli/install/operator-lease.ts',
    search: '[...new Set([OPERATOR_NAMESPACE, told ?? OPERATOR_NAMESPACE])]',
    replace: 'told === undefined ? [] : [OPERATOR_NAMESPACE]',
    killedBy: {
      file: 'src/cli/install/operator-alive.test.ts',
      test: 'is known not to be one whose operator works from another namespace: the newest revision',
    },
  },
  {
    id: 'cli-wait-believes-two-clocks',
    promise: 'wait',
    file: 'src/cli/install/operator-alive.ts',
    search: 'if (renewed?.renewedAt === undefined) return sight;',
    replace: 'if (renewed?.renewedAt !== -1) return sight;',
    killedBy: {
      file: 'src/cli/commands/wait.test.ts',
      test: 'does not give up by two clocks alone',
    },
  },
  {
    id: 'cli-local-beside-an-operator-elsewhere',
    promise: 'P22',
    file: 'src/cli/local/choose-namespace.ts',
    search: 'if (living !== undefined) throw',
    replace: 'if (living?.namespace === namespace) throw',
    killedBy: {
      file: 'src/cli/local/local-operator.test.ts',
      test: 'P22 is refused while another operator is at work from another namespace, which is named',
    },
  },
  {
    id: 'cli-local-blames-an-operator',
    promise: 'wait',
    file: 'src/cli/local/local-operator.ts',
    search: 'if (obstacle !== undefined && !operator.isStandingBy()) return obstacle;',
    replace: 'if (obstacle !== undefined && operator.isStandingBy()) return obstacle;',
    killedBy: {
      file: 'src/cli/local/local-operator.test.ts',
      test: 'says what is in the way instead of blaming an operator: when it does not go by itself',
    },
  },
  {
    id: 'cli-wanted-values-unseen',
    promise: 'P12',
    file: 'src/cli/look/recorded-values.ts',
    search: "leaf.from === 'Package' ? [] :",
    replace: "leaf.from !== 'since changed' ? [] :",
    killedBy: {
      file: 'src/cli/commands/get.test.ts',
      test: 'P12 shows what the Package wants and no applied revision has, here and as data',
    },
  },
  {
    id: 'cli-held-package-is-installed',
    promise: 'P12',
    file: 'src/cli/install/outcome.ts',
    search: "if (reason !== 'RolledBack') return undefined;",
    replace: "if (reason !== 'Degraded') return undefined;",
    killedBy: {
      file: 'src/cli/commands/upgrade.test.ts',
      test: 'P12 says of a package with Ready=True RolledBack that shop is held, and ends with its code',
    },
  },
  {
    id: 'cli-held-whatever-changes',
    promise: 'P12',
    file: 'src/cli/install/changes.ts',
    search: 'isSeen && isSourceSeen && effectOf(before) === effectOf(after)',
    replace: 'isSeen && isSourceSeen && effectOf(before) !== after.kind',
    killedBy: {
      file: 'src/cli/commands/upgrade.test.ts',
      test: 'P12 does not take for held what other values set free',
    },
  },
  {
    id: 'cli-removal-of-hooks-that-are-gone',
    promise: 'P16',
    file: 'src/cli/change/removal-plan.ts',
    search: "const isOver = phase === 'Applied' || phase === 'Superseded';",
    replace: "const isOver = phase === 'Pending' || phase === 'Superseded';",
    killedBy: {
      file: 'src/cli/commands/remove.test.ts',
      test: 'P16 lists no release of a hook that has succeeded',
    },
  },
];
