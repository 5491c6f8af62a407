import type { Requirement } from '../../../api/package-source.ts';
import { stableJson } from '../../../lib/stable-json.ts';
import { apiVersionOf } from '../requirements.ts';
import { type Candidate, compareCandidates, isSameVersion, type KnownPackage } from './candidates.ts';
import type { Catalog } from './catalog.ts';
import { ABSENT, bitOf, type CandidateSet, type Clause, factClause, type Literal } from './clause.ts';

/** What the command line says of a package. */
export function askedClause(catalog: Catalog, name: string): Clause {
  const constraint = catalog.known(name).asked?.constraint ?? '';
  return factClause({ kind: 'asked', name, constraint }, [{ name, set: catalog.admitted(name, constraint) }]);
}

/** What it means that a package is there, in whatever version. */
export function demandsOf(catalog: Catalog, name: string): readonly Clause[] {
  const known = catalog.known(name);
  return [
    ...acceptedClauses(catalog, known),
    ...runningClauses(catalog, known),
    ...requirementClauses(catalog, known),
    ...conflictClauses(catalog, known),
  ];
}

/** The Package's own constraint, unless it is about to be replaced; what runs outside of it may go on running. */
function acceptedClauses(catalog: Catalog, { name, installed, asked }: KnownPackage): readonly Clause[] {
  const constraint = installed?.constraint ?? '';
  if (asked?.constraint !== undefined || constraint.trim() === '') return [];
  const set = ABSENT | catalog.admitted(name, constraint) | catalog.candidatesWhere(name, ({ runs }) => runs);
  return [factClause({ kind: 'accepted', name, constraint }, [{ name, set }])];
}

/** Never back to an older version, unless a constraint that excludes what runs asks for it. */
function runningClauses(catalog: Catalog, { name, running, asked }: KnownPackage): readonly Clause[] {
  if (running === undefined) return [];
  const isAskedBack = (candidate: Candidate): boolean =>
    asked?.constraint !== undefined &&
    (isSameVersion(candidate, running) || !catalog.constraints.admits(asked.constraint, running));
  const isOlder = (candidate: Candidate): boolean => !candidate.open && compareCandidates(candidate, running) < 0;
  const set = catalog.candidatesWhere(name, (candidate) => !isOlder(candidate) || isAskedBack(candidate));
  return [factClause({ kind: 'running', name, version: running.version }, [{ name, set: set | ABSENT }])];
}

function requirementClauses(catalog: Catalog, known: KnownPackage): readonly Clause[] {
  return byDemand(known, ({ requires }) => requires).flatMap(({ demand, set }) => {
    if (demand.package !== undefined) return packageClauses(catalog, known, { requirement: demand, set });
    return capabilityClauses(catalog, known, { requirement: demand, set });
  });
}

interface Required {
  readonly requirement: Requirement;
  /** Candidates that require it. */
  readonly set: CandidateSet;
}

function packageClauses(catalog: Catalog, { name }: KnownPackage, { requirement, set }: Required): readonly Clause[] {
  const { package: target = '', version = '', optional = false } = requirement;
  const wanted = catalog.admitted(target, version) | (optional ? ABSENT : 0n);
  const { running } = catalog.known(target);
  const isMetNow = running === undefined ? optional : catalog.constraints.admits(version, running);
  const resting = isMetNow ? 0n : catalog.restingBit(name) & set;
  const clauses = requiresClause(catalog, name, {
    requirement,
    set: set & ~resting,
    targets: [{ name: target, set: wanted }],
  });
  // What is not met as it is may stay so; but what changes has to meet it if anything does.
  if (resting === 0n || (wanted & ~ABSENT) === 0n) return clauses;
  const now = running === undefined ? ABSENT : catalog.candidatesWhere(target, ({ runs }) => runs);
  const targets = [{ name: target, set: wanted | now }];
  return [...clauses, ...requiresClause(catalog, name, { requirement, set: resting, targets })];
}

function capabilityClauses(
  catalog: Catalog,
  { name }: KnownPackage,
  { requirement, set }: Required,
): readonly Clause[] {
  const { capability = '', optional = false } = requirement;
  const api = apiVersionOf(capability);
  if (optional || (api !== undefined && catalog.isServed(api))) return [];
  const providers = catalog.providersOf(capability);
  const isMetNow = providers.some((provider) => isProvidedNow(catalog.known(provider), capability));
  const targets = providers.map((provider) => ({ name: provider, set: catalog.providing(provider, capability) }));
  const strict = isMetNow ? set : set & ~catalog.restingBit(name);
  return requiresClause(catalog, name, { requirement, set: strict, targets });
}

function isProvidedNow({ name, running }: KnownPackage, capability: string): boolean {
  return running !== undefined && (name === capability || running.provides.includes(capability));
}

function requiresClause(
  catalog: Catalog,
  name: string,
  { requirement, set, targets }: Required & { readonly targets: readonly Literal[] },
): readonly Clause[] {
  if (set === 0n) return [];
  const fact = { kind: 'requires', name, candidates: set, requirement } as const;
  return [factClause(fact, [{ name, set: catalog.universe(name) & ~set }, ...targets])];
}

/** Two that run beside each other although they should not are left alone. */
function conflictClauses(catalog: Catalog, known: KnownPackage): readonly Clause[] {
  const { name } = known;
  return byDemand(known, ({ conflicts }) => conflicts).flatMap(({ demand, set }) =>
    catalog.providersOf(demand).flatMap((other) => {
      if (other === name) return [];
      const others = catalog.providing(other, demand);
      const [resting, restingOther] = [catalog.restingBit(name) & set, catalog.restingBit(other) & others];
      if (resting === 0n || restingOther === 0n) return conflictClause(catalog, { name, set, demand, other, others });
      return [
        ...conflictClause(catalog, { name, set: set & ~resting, demand, other, others }),
        ...conflictClause(catalog, { name, set: resting, demand, other, others: others & ~restingOther }),
      ];
    }),
  );
}

interface Clash {
  readonly name: string;
  readonly set: CandidateSet;
  readonly demand: string;
  readonly other: string;
  readonly others: CandidateSet;
}

function conflictClause(catalog: Catalog, { name, set, demand, other, others }: Clash): readonly Clause[] {
  if (set === 0n || others === 0n) return [];
  const fact = { kind: 'conflicts', name, candidates: set, with: demand, other, others } as const;
  const literals = [
    { name, set: catalog.universe(name) & ~set },
    { name: other, set: catalog.universe(other) & ~others },
  ];
  return [factClause(fact, literals)];
}

/** Each different demand once, with the candidates that make it. */
function byDemand<T>(
  { candidates }: KnownPackage,
  demandsOfOne: (candidate: Candidate) => readonly T[],
): readonly { readonly demand: T; readonly set: CandidateSet }[] {
  const found = new Map<string, { demand: T; set: CandidateSet }>();
  for (const [index, candidate] of candidates.entries()) {
    for (const demand of demandsOfOne(candidate)) {
      const key = stableJson(demand);
      const before = found.get(key)?.set ?? 0n;
      found.set(key, { demand, set: before | bitOf(index) });
    }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}
