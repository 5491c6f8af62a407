import type { Candidate } from './candidates.ts';
import type { Catalog } from './catalog.ts';
import { ABSENT, bitOf, type CandidateSet, type Clause, isSingle, type Literal } from './clause.ts';
import type { Search } from './search.ts';

/**
 * What is chosen next: packages that are asked for, each as new as can be; then whatever can stay as it is; then what
 * is required, as new as can be; then who provides a capability, by name. The first that works out is the answer.
 */
export class Preference {
  readonly #catalog: Catalog;
  readonly #asked: readonly string[];
  readonly #resting: readonly string[];
  readonly #capabilities: Clause[] = [];
  readonly #orders = new Map<string, readonly CandidateSet[]>();
  #returns = 0;
  /** What is before these places has been chosen. */
  #places = { asked: 0, resting: 0, reached: 0 };

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
    this.#asked = catalog.askedNames;
    this.#resting = catalog.restingNames;
  }

  /** A demand that several packages could meet. */
  note(clause: Clause): void {
    if (clause.fact?.kind === 'requires' && clause.fact.requirement.package === undefined) {
      this.#capabilities.push(clause);
    }
  }

  choose(search: Search): Literal | undefined {
    if (search.returns !== this.#returns) {
      this.#returns = search.returns;
      this.#places = { asked: 0, resting: 0, reached: 0 };
    }
    return (
      this.#newest(search, 'asked', this.#asked) ??
      this.#staying(search) ??
      this.#newest(search, 'reached', search.reached) ??
      this.#provider(search)
    );
  }

  #newest(search: Search, place: 'asked' | 'reached', names: readonly string[]): Literal | undefined {
    for (; this.#places[place] < names.length; this.#places[place] += 1) {
      const name = names[this.#places[place]] ?? '';
      const possible = search.possible(name);
      if (!isSingle(possible) && (possible & ABSENT) === 0n) return this.#best(name, possible);
    }
    return undefined;
  }

  #staying(search: Search): Literal | undefined {
    for (; this.#places.resting < this.#resting.length; this.#places.resting += 1) {
      const name = this.#resting[this.#places.resting] ?? '';
      const possible = search.possible(name);
      const set = isSingle(possible) ? 0n : possible & this.#catalog.restingBit(name);
      if (set !== 0n) return { name, set };
    }
    return undefined;
  }

  #provider(search: Search): Literal | undefined {
    const open = this.#capabilities.find(({ literals }) =>
      literals.every(({ name, set }) => !isCertain(search.possible(name), set)),
    );
    const demander = open?.fact?.name;
    const providers = (open?.literals ?? []).filter(
      ({ name, set }) => name !== demander && (search.possible(name) & set) !== 0n,
    );
    const first = [...providers].sort((a, b) => (a.name < b.name ? -1 : 1))[0];
    return first === undefined ? undefined : this.#best(first.name, search.possible(first.name) & first.set & ~ABSENT);
  }

  #best(name: string, possible: CandidateSet): Literal {
    const set = this.order(name).find((bit) => (bit & possible) !== 0n) ?? possible;
    return { name, set };
  }

  /** Candidates, best first: releases before pre-releases, unless somebody asks for those. */
  order(name: string): readonly CandidateSet[] {
    const before = this.#orders.get(name);
    if (before !== undefined) return before;
    const { candidates, asked, installed } = this.#catalog.known(name);
    const wantsPrereleases = this.#catalog.constraints.wantsPrereleases(
      asked?.constraint ?? installed?.constraint ?? '',
    );
    const isLate = (one: Candidate): boolean => !wantsPrereleases && isPrerelease(one);
    const bits = candidates.map((candidate, index) => ({ candidate, bit: bitOf(index) }));
    const order = [...bits.filter((one) => !isLate(one.candidate)), ...bits.filter((one) => isLate(one.candidate))].map(
      ({ bit }) => bit,
    );
    this.#orders.set(name, order);
    return order;
  }
}

export function isPrerelease({ parsed }: Candidate): boolean {
  return parsed !== undefined && parsed.prerelease !== '';
}

/** Whether a package is one of the set, whatever becomes of it. A demander that need not be there makes no demand. */
function isCertain(possible: CandidateSet, set: CandidateSet): boolean {
  const settled = (possible & ABSENT) === 0n ? possible : ABSENT;
  return (settled & ~set) === 0n;
}
