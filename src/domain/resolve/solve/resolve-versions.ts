import type { ChosenPackage, VersionAnswer } from './answer.ts';
import { Budget } from './budget.ts';
import { Catalog } from './catalog.ts';
import { describeChoice, requirersOf, type Solved } from './chosen.ts';
import { type Clause, factsBehind, type Literal } from './clause.ts';
import { describeDemands } from './describe.ts';
import { askedClause, demandsOf } from './demands.ts';
import { minimalConflict } from './minimal-conflict.ts';
import { Preference } from './preference.ts';
import { SEARCH_LIMITS, type VersionRequest } from './request.ts';
import { Search, type SearchOutcome } from './search.ts';

/**
 * Which version of each package is taken: the newest that satisfies everybody, what runs already included; or who
 * wants what, where that cannot be. The same question has the same answer, in whatever order it is written.
 */
export function resolveVersions(request: VersionRequest): VersionAnswer {
  const budget = new Budget(request.limits ?? SEARCH_LIMITS);
  const catalog = new Catalog(request, budget);
  const { search, outcome } = solve({ catalog, budget, suppositions: [] });
  const { steps } = budget;
  if (outcome.kind === 'exhausted') return { kind: 'exhausted', steps };
  if (outcome.kind === 'impossible') {
    const conflict = minimalConflict(factsBehind(outcome.clause), { catalog, budget });
    return { kind: 'impossible', demands: describeDemands(catalog, conflict), steps };
  }
  return { kind: 'resolved', packages: describeAll({ catalog, budget, search }), steps };
}

interface Question {
  readonly catalog: Catalog;
  readonly budget: Budget;
  /** What is taken for granted besides. */
  readonly suppositions: readonly Literal[];
}

function solve({ catalog, budget, suppositions }: Question): {
  readonly search: Search;
  readonly outcome: SearchOutcome;
} {
  const preference = new Preference(catalog);
  const search = new Search({
    universe: (name) => catalog.universe(name),
    demandsOf: (name) => noted(preference, demandsOf(catalog, name)),
    choose: (one) => preference.choose(one),
    budget,
  });
  for (const literal of suppositions) {
    search.add({ literals: [literal], fact: { kind: 'supposed', name: literal.name }, because: [] });
  }
  for (const name of catalog.askedNames) search.add(askedClause(catalog, name));
  for (const name of catalog.restingNames) search.expand(name);
  const outcome = search.run();
  if (outcome.kind === 'solved') {
    const mayGo = new Set([...catalog.askedNames, ...catalog.restingNames]);
    search.settle((name) => !mayGo.has(name));
  }
  return { search, outcome };
}

function noted(preference: Preference, clauses: readonly Clause[]): readonly Clause[] {
  for (const clause of clauses) preference.note(clause);
  return clauses;
}

function describeAll(solved: Omit<Solved, 'suppose'>): readonly ChosenPackage[] {
  const suppose = (suppositions: readonly Literal[]): ReturnType<typeof solve> => solve({ ...solved, suppositions });
  const { catalog, search } = solved;
  const names = [...new Set([...catalog.askedNames, ...catalog.restingNames, ...search.reached])].sort();
  const requirers = requirersOf(names, solved);
  return names.flatMap((name) => describeChoice(name, { ...solved, suppose }, requirers) ?? []);
}
