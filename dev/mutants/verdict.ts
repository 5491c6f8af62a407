import type { Mutant } from './mutant.ts';

/** The name of the project in which nothing is planted. */
export const UNMUTATED = 'unmutated';

/** What the reporter tells, one line of JSON each. */
export type RunEvent =
  | {
      readonly kind: 'test';
      readonly project: string;
      readonly file: string;
      readonly name: string;
      readonly state: string;
    }
  | { readonly kind: 'module'; readonly project: string; readonly file: string; readonly errors: readonly string[] };

export type Verdict =
  | { readonly kind: 'killed' }
  | { readonly kind: 'survived' }
  | { readonly kind: 'unusable'; readonly why: string };

/** What became of one fault, from what the run without and the run with it told. */
export function judgeMutant(mutant: Mutant, events: readonly RunEvent[]): Verdict {
  const { file, test } = mutant.killedBy;
  const here = events.filter((event) => event.file === file);
  const statesIn = (project: string): readonly string[] =>
    here.flatMap((event) =>
      event.kind === 'test' && event.project === project && plain(event.name).includes(plain(test))
        ? [event.state]
        : [],
    );
  const healthy = statesIn(UNMUTATED);
  if (healthy.length === 0) return { kind: 'unusable', why: `${file} has no test "${test}"` };
  if (healthy.some((state) => state !== 'passed')) return { kind: 'unusable', why: 'the test fails without the fault' };
  const states = statesIn(mutant.id);
  if (states.includes('failed')) return { kind: 'killed' };
  if (states.length > 0) return { kind: 'survived' };
  const ended = here.find((event) => event.kind === 'module' && event.project === mutant.id);
  if (ended?.kind === 'module') return { kind: 'unusable', why: ended.errors[0] ?? 'the test did not run' };
  return { kind: 'unusable', why: 'the test did not end' };
}

/** Titles joined by spaces, as vitest's own name filter joins them. */
function plain(name: string): string {
  return name.replaceAll(' > ', ' ');
}

/** Faults whose test neither passed nor failed in this run. */
export function unanswered(mutants: readonly Mutant[], events: readonly RunEvent[]): readonly Mutant[] {
  return mutants.filter(({ id }) => !events.some((event) => event.kind === 'module' && event.project === id));
}
