import { listOf } from '../../../lib/list-of.ts';
import { apiVersionOf } from '../requirements.ts';
import type { ChosenPackage, NotTaken, PulledBy, VersionAction } from './answer.ts';
import type { Budget } from './budget.ts';
import { type Candidate, compareCandidates, isSameVersion, type KnownPackage } from './candidates.ts';
import type { Catalog } from './catalog.ts';
import { ABSENT, bitOf, type CandidateSet, type Clause, factsBehind, type Literal } from './clause.ts';
import { describeDemands, requirementText, sentenceOf } from './describe.ts';
import { minimalConflict } from './minimal-conflict.ts';
import { isPrerelease } from './preference.ts';
import type { Search, SearchOutcome } from './search.ts';

export interface Solved {
  readonly catalog: Catalog;
  readonly budget: Budget;
  readonly search: Search;
  /** What would be if these were so. */
  readonly suppose: (suppositions: readonly Literal[]) => { readonly search: Search; readonly outcome: SearchOutcome };
}

interface Choice {
  readonly known: KnownPackage;
  readonly set: CandidateSet;
  readonly candidate: Candidate;
}

/** What was taken of a package, and why; undefined: it is not there. */
export function describeChoice(
  name: string,
  solved: Solved,
  pulledBy: ReadonlyMap<string, readonly PulledBy[]>,
): ChosenPackage | undefined {
  const { catalog, search } = solved;
  const known = catalog.known(name);
  const set = search.possible(name);
  const candidate = chosenOf(known, set);
  if (candidate === undefined) return undefined;
  const action = actionOf(known, candidate);
  const newer = notTaken({ known, set, candidate }, solved);
  const isAsked = known.asked !== undefined;
  return {
    name,
    action,
    from: known.running?.version ?? '',
    to: candidate.version,
    build: candidate.build,
    variant: known.variant,
    asked: isAsked,
    pulledIn: known.running === undefined && !isAsked,
    pulledBy: pulledBy.get(name) ?? [],
    because: action === 'keep' || !catalog.isResting(name) ? [] : whyNotKept(name, solved),
    ...(newer === undefined ? {} : { newer }),
  };
}

function chosenOf({ candidates }: KnownPackage, set: CandidateSet): Candidate | undefined {
  return (set & ABSENT) === 0n ? candidates.find((_one, index) => bitOf(index) === set) : undefined;
}

function actionOf({ running }: KnownPackage, candidate: Candidate): VersionAction {
  if (running === undefined) return 'install';
  if (candidate.runs) return 'keep';
  if (candidate.open || isSameVersion(candidate, running)) return 'change';
  return compareCandidates(candidate, running) > 0 ? 'upgrade' : 'downgrade';
}

function whyNotKept(name: string, { catalog, search }: Solved): readonly string[] {
  const facts = search.factsAgainst(name, catalog.restingBit(name)).flatMap(({ fact }) => fact ?? []);
  return [...new Set(facts.flatMap((fact) => sentenceOf(catalog, fact) ?? []))].sort();
}

/** By package, who of those that will be there requires it. */
export function requirersOf(
  names: readonly string[],
  solved: Pick<Solved, 'catalog' | 'search'>,
): ReadonlyMap<string, readonly PulledBy[]> {
  const found = new Map<string, PulledBy[]>();
  for (const { target, by } of names.flatMap((name) => pullsOf(name, solved))) {
    const before = found.get(target);
    if (before === undefined) found.set(target, [by]);
    else before.push(by);
  }
  return found;
}

function pullsOf(
  name: string,
  { catalog, search }: Pick<Solved, 'catalog' | 'search'>,
): readonly { readonly target: string; readonly by: PulledBy }[] {
  const candidate = chosenOf(catalog.known(name), search.possible(name));
  const needed = (candidate?.requires ?? []).filter(({ optional }) => optional !== true);
  return needed.flatMap((requirement) => {
    const { package: required, capability = '' } = requirement;
    const by = { name, version: candidate?.version ?? '', requirement: requirementText(requirement) };
    return (required === undefined ? metBy(catalog, search, capability) : [required])
      .filter((target) => target !== name)
      .map((target) => ({ target, by }));
  });
}

function metBy(catalog: Catalog, search: Search, capability: string): readonly string[] {
  const api = apiVersionOf(capability);
  if (api !== undefined && catalog.isServed(api)) return [];
  return catalog
    .providersOf(capability)
    .filter((name) => (search.possible(name) & catalog.providing(name, capability)) !== 0n);
}

function notTaken(choice: Choice, solved: Solved): NotTaken | undefined {
  const { known, candidate } = choice;
  const newer = known.candidates.filter((one) => !one.open && compareCandidates(one, candidate) > 0);
  const wanted = newer.find((one) => !isPrerelease(one)) ?? newer[0];
  if (wanted === undefined || candidate.open) return undefined;
  return { version: wanted.version, because: whyNotTaken(wanted, choice, solved) };
}

function whyNotTaken(wanted: Candidate, choice: Choice, solved: Solved): readonly string[] {
  const { catalog, search } = solved;
  const { name, candidates } = choice.known;
  const set = bitOf(candidates.indexOf(wanted));
  const alone = search.factsAgainst(name, set).filter(({ literals }) => literals.length === 1);
  if (alone.length > 0) return demandsOn(name, alone, catalog);
  if (choice.candidate.runs && catalog.isResting(name)) return ['nobody asks for it to change'];
  if (isPrerelease(wanted)) return [`${wanted.version} is a pre-release, and nobody asks for one`];
  return whatWouldBe({ name, set }, solved);
}

/** What there is of the package itself is known where its newer version is named. */
function demandsOn(name: string, facts: readonly Clause[], catalog: Catalog): readonly string[] {
  return describeDemands(catalog, facts)
    .filter((demand) => demand.kind !== 'offer' || demand.name !== name)
    .map(({ sentence }) => sentence);
}

const UNKNOWN = 'why is not worked out: there are too many possibilities';

function whatWouldBe(wanted: Literal, solved: Solved): readonly string[] {
  const { catalog, budget, search } = solved;
  if (budget.isSpent) return [UNKNOWN];
  const earlier = catalog.askedNames.filter((name) => name < wanted.name);
  const fixed = catalog.askedNames.includes(wanted.name) ? earlier : catalog.askedNames;
  const suppositions = [wanted, ...fixed.map((name) => ({ name, set: search.possible(name) }))];
  const other = solved.suppose(suppositions);
  if (other.outcome.kind === 'exhausted') return [UNKNOWN];
  if (other.outcome.kind === 'impossible') {
    const conflict = minimalConflict(factsBehind(other.outcome.clause), { catalog, budget });
    return demandsOn(wanted.name, conflict, catalog);
  }
  const others = [...catalog.askedNames, ...catalog.restingNames, ...search.reached].filter(
    (name) => name !== wanted.name && search.possible(name) !== other.search.possible(name),
  );
  return [`it would take ${listOf([...new Set(others)].sort())} in another version, and those go first`];
}
