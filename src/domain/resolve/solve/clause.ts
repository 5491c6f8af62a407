import type { Requirement } from '../../../api/package-source.ts';

/**
 * What may become of one package, as bits: bit 0 is "not there", bit n is its n-th candidate. Sets of candidates keep
 * what was learned general: one clause speaks of all versions that require the same.
 */
export type CandidateSet = bigint;

export const ABSENT: CandidateSet = 1n;

/** The package is one of the set. */
export interface Literal {
  readonly name: string;
  readonly set: CandidateSet;
}

/** Who says so; candidates are those of the package `name`. */
export type Fact =
  | { readonly kind: 'asked'; readonly name: string; readonly constraint: string }
  | { readonly kind: 'accepted'; readonly name: string; readonly constraint: string }
  | { readonly kind: 'running'; readonly name: string; readonly version: string }
  | {
      readonly kind: 'requires';
      readonly name: string;
      readonly candidates: CandidateSet;
      readonly requirement: Requirement;
    }
  | {
      readonly kind: 'conflicts';
      readonly name: string;
      readonly candidates: CandidateSet;
      /** As declared: a package or a capability. */
      readonly with: string;
      readonly other: string;
      readonly others: CandidateSet;
    }
  /** A supposition: what would be if this version were taken. */
  | { readonly kind: 'supposed'; readonly name: string };

/** One of the literals holds: either a fact, or what follows from other clauses. */
export interface Clause {
  readonly literals: readonly Literal[];
  readonly fact?: Fact;
  readonly because: readonly Clause[];
}

export function factClause(fact: Fact, literals: readonly Literal[]): Clause {
  const merged = new Map<string, CandidateSet>();
  for (const { name, set } of literals) merged.set(name, (merged.get(name) ?? 0n) | set);
  return { literals: literalsOf(merged), fact, because: [] };
}

/** A literal whose set is empty never holds, and says nothing. */
export function literalsOf(sets: ReadonlyMap<string, CandidateSet>): readonly Literal[] {
  return [...sets].flatMap(([name, set]) => (set === 0n ? [] : [{ name, set }]));
}

/** The facts that a clause follows from, each once. */
export function factsBehind(clause: Clause): readonly Clause[] {
  const facts = new Set<Clause>();
  const seen = new Set<Clause>([clause]);
  const open = [clause];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.fact !== undefined) facts.add(next);
    for (const each of next.because) {
      if (seen.has(each)) continue;
      seen.add(each);
      open.push(each);
    }
  }
  return [...facts];
}

export function isSingle(set: CandidateSet): boolean {
  return (set & (set - 1n)) === 0n;
}

export function bitOf(index: number): CandidateSet {
  return 1n << BigInt(index + 1);
}
