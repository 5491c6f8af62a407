import type { Budget } from './budget.ts';
import type { Catalog } from './catalog.ts';
import { type CandidateSet, type Clause, factsBehind, type Literal } from './clause.ts';
import { Search } from './search.ts';

/** More than this is not tried: such a chain of demands is long, not superfluous. */
const MOST_TRIED = 200;

/** Facts that cannot all hold, without those that the others do without. When the budget is spent, what is left of them. */
export function minimalConflict(
  facts: readonly Clause[],
  { catalog, budget }: { readonly catalog: Catalog; readonly budget: Budget },
): readonly Clause[] {
  let needed = facts;
  if (needed.length > MOST_TRIED) return needed;
  for (const fact of facts) {
    if (budget.isSpent) return needed;
    if (!needed.includes(fact)) continue;
    const rest = needed.filter((one) => one !== fact);
    needed = contradiction(rest, catalog, budget) ?? needed;
  }
  return needed;
}

/** Those of the facts that contradict each other; undefined: all of them can hold. */
function contradiction(facts: readonly Clause[], catalog: Catalog, budget: Budget): readonly Clause[] | undefined {
  const search = new Search({
    universe: (name) => catalog.universe(name),
    demandsOf: () => [],
    choose: (one) => undecided(facts, one),
    budget,
  });
  for (const fact of facts) search.add(fact);
  const outcome = search.run();
  return outcome.kind === 'impossible' ? factsBehind(outcome.clause) : undefined;
}

function undecided(facts: readonly Clause[], search: Search): Literal | undefined {
  for (const { literals } of facts) {
    if (literals.some(({ name, set }) => (search.possible(name) & ~set) === 0n)) continue;
    const open = literals.find(({ name, set }) => (search.possible(name) & set) !== 0n);
    if (open !== undefined) return { name: open.name, set: lowestOf(search.possible(open.name) & open.set) };
  }
  return undefined;
}

function lowestOf(set: CandidateSet): CandidateSet {
  return set & -set;
}
