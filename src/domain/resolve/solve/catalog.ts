import { ABSENT, bitOf, type CandidateSet } from './clause.ts';
import type { Budget } from './budget.ts';
import { type Candidate, Constraints, type KnownPackage, knownPackage } from './candidates.ts';
import type { AskedPackage, InstalledPackage, OfferedVersion, VersionRequest } from './request.ts';

/** Everything that is known, by package; what nobody reaches is never looked at. */
export class Catalog {
  readonly constraints = new Constraints();
  readonly #budget: Budget;
  readonly #installed: ReadonlyMap<string, InstalledPackage>;
  readonly #asked: ReadonlyMap<string, AskedPackage>;
  readonly #offers: ReadonlyMap<string, readonly OfferedVersion[]>;
  readonly #servedApis: ReadonlySet<string>;
  readonly #providers: ReadonlyMap<string, readonly string[]>;
  readonly #known = new Map<string, KnownPackage>();
  readonly #universes = new Map<string, CandidateSet>();
  readonly #admitted = new Map<string, CandidateSet>();

  constructor(request: VersionRequest, budget: Budget) {
    this.#budget = budget;
    this.#installed = new Map(request.installed.map((one) => [one.name, one]));
    this.#asked = new Map(request.asked.map((one) => [one.name, one]));
    this.#offers = groupByName(request.offers);
    this.#servedApis = new Set(request.servedApis);
    this.#providers = indexProviders(request);
  }

  /** Packages that somebody asks for, by name. */
  get askedNames(): readonly string[] {
    return [...this.#asked.keys()].sort();
  }

  /** Packages that run and that nobody asks for, by name. */
  get restingNames(): readonly string[] {
    return [...this.#installed.values()]
      .filter(({ name, version }) => version !== undefined && !this.#asked.has(name))
      .map(({ name }) => name)
      .sort();
  }

  isServed(apiVersion: string): boolean {
    return this.#servedApis.has(apiVersion);
  }

  known(name: string): KnownPackage {
    const before = this.#known.get(name);
    if (before !== undefined) return before;
    const parts = {
      installed: this.#installed.get(name),
      asked: this.#asked.get(name),
      offers: this.#offers.get(name) ?? [],
    };
    const known = knownPackage(name, parts);
    this.#budget.work += known.candidates.length;
    this.#known.set(name, known);
    return known;
  }

  /** What may become of a package: what runs is never taken away, and what is asked for is asked for by a clause. */
  universe(name: string): CandidateSet {
    const before = this.#universes.get(name);
    if (before !== undefined) return before;
    const all = bitOf(this.known(name).candidates.length) - 2n;
    const universe = this.isResting(name) ? all : all | ABSENT;
    this.#universes.set(name, universe);
    return universe;
  }

  /** It runs, and nobody asks for it. */
  isResting(name: string): boolean {
    return this.#installed.get(name)?.version !== undefined && !this.#asked.has(name);
  }

  candidatesWhere(name: string, holds: (candidate: Candidate) => boolean): CandidateSet {
    let set = 0n;
    for (const [index, candidate] of this.known(name).candidates.entries()) if (holds(candidate)) set |= bitOf(index);
    return set;
  }

  admitted(name: string, constraint: string): CandidateSet {
    const key = `${name} ${constraint}`;
    const before = this.#admitted.get(key);
    if (before !== undefined) return before;
    this.#budget.work += this.known(name).candidates.length;
    const set = this.candidatesWhere(name, (candidate) => this.constraints.admits(constraint, candidate));
    this.#admitted.set(key, set);
    return set;
  }

  /** The candidate that runs, of a package that nobody asks for. */
  restingBit(name: string): CandidateSet {
    return this.isResting(name) ? this.candidatesWhere(name, ({ runs }) => runs) : 0n;
  }

  /** Packages that are of that name or may provide it, by name. */
  providersOf(capability: string): readonly string[] {
    return this.#providers.get(capability) ?? [];
  }

  providing(name: string, capability: string): CandidateSet {
    const key = `${name} provides ${capability}`;
    const before = this.#admitted.get(key);
    if (before !== undefined) return before;
    const set = this.candidatesWhere(name, ({ provides }) => name === capability || provides.includes(capability));
    this.#budget.work += this.known(name).candidates.length;
    this.#admitted.set(key, set);
    return set;
  }
}

function groupByName(offers: readonly OfferedVersion[]): ReadonlyMap<string, readonly OfferedVersion[]> {
  const groups = new Map<string, OfferedVersion[]>();
  for (const offer of offers) {
    const group = groups.get(offer.name);
    if (group === undefined) groups.set(offer.name, [offer]);
    else group.push(offer);
  }
  return groups;
}

function indexProviders({ installed, offers }: VersionRequest): ReadonlyMap<string, readonly string[]> {
  const providers = new Map<string, Set<string>>();
  for (const { name, provides } of [...installed, ...offers]) {
    for (const capability of [name, ...provides]) {
      const names = providers.get(capability);
      if (names === undefined) providers.set(capability, new Set([name]));
      else names.add(name);
    }
  }
  return new Map([...providers].map(([capability, names]) => [capability, [...names].sort()]));
}
