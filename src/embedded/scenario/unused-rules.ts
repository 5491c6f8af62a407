import type { Scenario } from './types.ts';

export interface WatchedScenario {
  /** The same, telling which of its rules are used. */
  readonly scenario: Scenario;
  /** Those of which nothing has made use so far, as they are named in the file: `workloads[0]`. */
  readonly unused: () => readonly string[];
}

const PARTS = ['workloads', 'jobs', 'claims', 'customResources', 'webhooks'] as const;

/** In the same order in every copy of a scenario. */
export function rulesOf(scenario: Pick<Scenario, (typeof PARTS)[number]>): readonly object[] {
  return PARTS.flatMap((part): readonly object[] => scenario[part]);
}

/** A rule that chooses nothing is most likely misspelled. */
export function watchRules(scenario: Scenario): WatchedScenario {
  const used = new Set<object>();
  return {
    scenario: { ...scenario, onUsed: (rule) => used.add(rule) },
    unused: () =>
      PARTS.flatMap((part) =>
        scenario[part].flatMap((rule, index) => (used.has(rule) ? [] : [`${part}[${String(index)}]`])),
      ),
  };
}
