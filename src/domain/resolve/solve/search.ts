import { ABSENT, type CandidateSet, type Clause, type Literal, literalsOf } from './clause.ts';
import type { Budget } from './budget.ts';

export interface SearchSetup {
  /** What may become of a package before anything is known. */
  readonly universe: (name: string) => CandidateSet;
  /** What a package demands; asked once, when it is certain that it will be there. */
  readonly demandsOf: (name: string) => readonly Clause[];
  /** The next choice: one candidate of a package that has several; undefined when nothing is left to choose. */
  readonly choose: (search: Search) => Literal | undefined;
  readonly budget: Budget;
}

export type SearchOutcome =
  | { readonly kind: 'solved' }
  /** The empty clause, with all that it follows from. */
  | { readonly kind: 'impossible'; readonly clause: Clause }
  | { readonly kind: 'exhausted' };

/** One narrowing of what may become of a package; without a reason it was a choice. */
interface Step {
  readonly name: string;
  readonly before: CandidateSet;
  readonly after: CandidateSet;
  readonly reason: Clause | undefined;
  readonly level: number;
}

/**
 * Chooses, concludes all that follows, and when that leads nowhere, learns why, goes back to where that could have been
 * known, and never makes the same mistake again (conflict-driven clause learning, over sets of candidates). Nothing
 * recurses, so the length of a chain of requirements does not matter.
 */
export class Search {
  readonly #setup: SearchSetup;
  readonly #possible = new Map<string, CandidateSet>();
  readonly #clauses = new Map<string, Clause[]>();
  readonly #trail: Step[] = [];
  /** Positions in the trail, by package. */
  readonly #places = new Map<string, number[]>();
  readonly #expanded = new Set<string>();
  readonly #reached: string[] = [];
  /** Clauses that nobody has looked at yet; they stay through every going back. */
  readonly #fresh: Clause[] = [];
  #pending: Clause[] = [];
  #level = 0;
  /** How often it went back. */
  returns = 0;

  constructor(setup: SearchSetup) {
    this.#setup = setup;
  }

  /** Packages that are, or were at some time, certain to be there, in the order in which that became known. */
  get reached(): readonly string[] {
    return this.#reached;
  }

  possible(name: string): CandidateSet {
    return this.#possible.get(name) ?? this.#setup.universe(name);
  }

  add(clause: Clause): void {
    for (const { name } of clause.literals) {
      const clauses = this.#clauses.get(name);
      if (clauses === undefined) this.#clauses.set(name, [clause]);
      else clauses.push(clause);
    }
    this.#fresh.push(clause);
  }

  /** A package that is certain to be there. */
  expand(name: string): void {
    if (this.#expanded.has(name)) return;
    this.#expanded.add(name);
    this.#reached.push(name);
    for (const clause of this.#setup.demandsOf(name)) this.add(clause);
  }

  /** Facts that would not hold if a package became one of the set, all others being as they are. */
  factsAgainst(name: string, set: CandidateSet): readonly Clause[] {
    return this.#violations(name, set).filter(({ fact }) => fact !== undefined);
  }

  #wouldHold(name: string, set: CandidateSet): boolean {
    return this.#violations(name, set).length === 0;
  }

  #violations(name: string, set: CandidateSet): readonly Clause[] {
    return (this.#clauses.get(name) ?? []).filter(({ literals }) => {
      this.#setup.budget.work += literals.length;
      return literals.every((each) => ((each.name === name ? set : this.possible(each.name)) & each.set) === 0n);
    });
  }

  /** When all is done: what need not be there is not, first what nobody asked about, then what nobody needs any more. */
  settle(mayGo: (name: string) => boolean): void {
    for (const name of this.#clauses.keys())
      if ((this.possible(name) & ABSENT) !== 0n) this.#possible.set(name, ABSENT);
    const candidates = this.#reached.filter((name) => this.possible(name) !== ABSENT && mayGo(name)).reverse();
    while (!this.#setup.budget.isSpent) {
      const idle = candidates.find((name) => this.possible(name) !== ABSENT && this.#wouldHold(name, ABSENT));
      if (idle === undefined) return;
      this.#possible.set(idle, ABSENT);
    }
  }

  run(): SearchOutcome {
    const { budget, choose } = this.#setup;
    for (;;) {
      const conflict = this.#propagate();
      if (budget.isSpent) return { kind: 'exhausted' };
      if (conflict !== undefined) {
        budget.steps += 1;
        const contradiction = this.#learn(conflict);
        if (contradiction !== undefined) return { kind: 'impossible', clause: contradiction };
        continue;
      }
      const choice = choose(this);
      if (choice === undefined) return { kind: 'solved' };
      this.#level += 1;
      this.#narrow(choice, undefined);
    }
  }

  /** All that follows; gives back a clause that cannot hold any more. */
  #propagate(): Clause | undefined {
    const { budget } = this.#setup;
    while (!budget.isSpent) {
      const clause = this.#fresh.pop() ?? this.#pending.pop();
      if (clause === undefined) return undefined;
      if (!this.#conclude(clause)) return clause;
    }
    return undefined;
  }

  /** False when none of its literals can hold. */
  #conclude(clause: Clause): boolean {
    let only: Literal | undefined;
    for (const literal of clause.literals) {
      this.#setup.budget.work += 1;
      const possible = this.possible(literal.name);
      const common = possible & literal.set;
      if (common === possible && common !== 0n) return true;
      if (common === 0n) continue;
      if (only !== undefined) return true;
      only = literal;
    }
    if (only === undefined) return false;
    this.#narrow(only, clause);
    return true;
  }

  #narrow({ name, set }: Literal, reason: Clause | undefined): void {
    const before = this.possible(name);
    const after = before & set;
    this.#possible.set(name, after);
    const places = this.#places.get(name);
    if (places === undefined) this.#places.set(name, [this.#trail.length]);
    else places.push(this.#trail.length);
    this.#trail.push({ name, before, after, reason, level: this.#level });
    for (const clause of this.#clauses.get(name) ?? []) this.#pending.push(clause);
    if ((after & ABSENT) === 0n) this.expand(name);
  }

  /** Learns from a conflict and goes back; a clause when there is nothing to go back to. */
  #learn(conflict: Clause): Clause | undefined {
    let sets = new Map(conflict.literals.map(({ name, set }) => [name, set]));
    const because = [conflict];
    while (!this.#setup.budget.isSpent) {
      const { step, earlier } = this.#lastStepAgainst(sets);
      if (step === undefined) return { literals: [], because };
      if (step.level > 0 && (step.reason === undefined || earlier < step.level)) {
        this.#returnTo(earlier);
        this.add({ literals: literalsOf(sets), because });
        return undefined;
      }
      if (step.reason === undefined) return { literals: [], because };
      sets = resolve(sets, step.reason, step.name);
      because.push(step.reason);
    }
    return undefined;
  }

  /** The last step that took something from the literals, and the level on which the others were lost. */
  #lastStepAgainst(sets: ReadonlyMap<string, CandidateSet>): {
    readonly step: Step | undefined;
    readonly earlier: number;
  } {
    let [last, before] = [-1, -1];
    for (const [name, set] of sets) {
      const place = this.#lostAt(name, set);
      if (place > last) [last, before] = [place, last];
      else if (place > before) before = place;
    }
    return { step: this.#trail[last], earlier: this.#trail[before]?.level ?? 0 };
  }

  /** Where in the trail the last candidate of a set was lost; -1: it never had one. */
  #lostAt(name: string, set: CandidateSet): number {
    const places = this.#places.get(name) ?? [];
    let [low, high] = [0, places.length - 1];
    if ((this.#setup.universe(name) & set) === 0n) return -1;
    while (low < high) {
      this.#setup.budget.work += 1;
      const middle = (low + high) >> 1;
      const step = this.#trail[places[middle] ?? -1];
      if (step === undefined || (step.after & set) === 0n) high = middle;
      else low = middle + 1;
    }
    this.#setup.budget.work += 1;
    return places[low] ?? -1;
  }

  #returnTo(level: number): void {
    this.returns += 1;
    for (let step = this.#trail.at(-1); step !== undefined && step.level > level; step = this.#trail.at(-1)) {
      this.#trail.pop();
      this.#places.get(step.name)?.pop();
      this.#possible.set(step.name, step.before);
    }
    this.#level = level;
    this.#pending = [];
  }
}

function resolve(sets: ReadonlyMap<string, CandidateSet>, reason: Clause, name: string): Map<string, CandidateSet> {
  const resolvent = new Map(sets);
  for (const literal of reason.literals) {
    const own = resolvent.get(literal.name) ?? 0n;
    resolvent.set(literal.name, literal.name === name ? own & literal.set : own | literal.set);
  }
  if (resolvent.get(name) === 0n) resolvent.delete(name);
  return resolvent;
}
