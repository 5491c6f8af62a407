import type { Requirement } from '../../../api/package-source.ts';
import { listOf } from '../../../lib/list-of.ts';
import { apiVersionOf, requiredName } from '../requirements.ts';
import type { Demand } from './answer.ts';
import type { Candidate, KnownPackage } from './candidates.ts';
import type { Catalog } from './catalog.ts';
import { bitOf, type CandidateSet, type Clause, type Fact } from './clause.ts';

/** Demands that contradict each other, as data and as sentences, and what there is to choose from. */
export function describeDemands(catalog: Catalog, conflict: readonly Clause[]): readonly Demand[] {
  const facts = conflict.flatMap(({ fact }) => fact ?? []);
  const view = { catalog, allowed: allowedBy(conflict) };
  const demands = facts.flatMap((fact) => describeFact(view, fact) ?? []).sort(bySentence);
  return [...demands, ...offersFor(catalog, facts)];
}

/** What a single fact says, besides what it follows from. */
export function sentenceOf(catalog: Catalog, fact: Fact): string | undefined {
  return describeFact({ catalog, allowed: new Map() }, fact)?.sentence;
}

interface View {
  readonly catalog: Catalog;
  /** Candidates that the facts about one package alone leave. */
  readonly allowed: ReadonlyMap<string, CandidateSet>;
}

const ORDER = ['asked', 'accepted', 'running', 'requires', 'optional', 'conflicts', 'offer'];

function bySentence(a: Demand, b: Demand): number {
  const order = ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind);
  return order === 0 ? Number(a.sentence > b.sentence) - Number(a.sentence < b.sentence) : order;
}

function allowedBy(conflict: readonly Clause[]): ReadonlyMap<string, CandidateSet> {
  const allowed = new Map<string, CandidateSet>();
  for (const { literals } of conflict) {
    const [only] = literals;
    if (only === undefined || literals.length > 1) continue;
    const before = allowed.get(only.name);
    allowed.set(only.name, before === undefined ? only.set : before & only.set);
  }
  return allowed;
}

function describeFact(view: View, fact: Fact): Demand | undefined {
  const { name } = fact;
  const plain = { name, versions: [], target: name, constraint: '' };
  switch (fact.kind) {
    case 'asked': {
      const { constraint } = fact;
      const sentence = `${constraint === '' ? name : `${name}@${constraint}`} is asked for`;
      return { ...plain, kind: 'asked', constraint, sentence };
    }
    case 'accepted':
      return {
        ...plain,
        kind: 'accepted',
        constraint: fact.constraint,
        sentence: `Package ${name} accepts only ${fact.constraint} (spec.version)`,
      };
    case 'running':
      return {
        ...plain,
        kind: 'running',
        versions: [fact.version],
        sentence: `${name} runs at ${fact.version}, and an older version is taken only when it is asked for, as ${name}@VERSION`,
      };
    case 'requires':
      return requiresDemand(view, fact);
    case 'conflicts':
      return conflictsDemand(view, fact);
    case 'supposed':
      return undefined;
  }
}

function requiresDemand(view: View, { name, candidates, requirement }: Extract<Fact, { kind: 'requires' }>): Demand {
  const subject = subjectOf(view, name, candidates);
  const { optional = false } = requirement;
  const served = apiVersionOf(requirement.capability) === undefined ? '' : ', which the API server does not serve';
  const where = optional ? ` where ${requiredName(requirement)} is installed` : served;
  return {
    kind: optional ? 'optional' : 'requires',
    name,
    versions: subject.versions,
    target: requiredName(requirement),
    constraint: requirement.version ?? '',
    sentence: `${subject.text} ${subject.isMany ? 'require' : 'requires'} ${requirementText(requirement)}${where}`,
  };
}

function conflictsDemand(view: View, fact: Extract<Fact, { kind: 'conflicts' }>): Demand {
  const subject = subjectOf(view, fact.name, fact.candidates);
  const other = subjectOf(view, fact.other, fact.others);
  const target =
    fact.with === fact.other
      ? other.text
      : `${fact.with}, which ${other.text} ${other.isMany ? 'provide' : 'provides'}`;
  return {
    kind: 'conflicts',
    name: fact.name,
    versions: subject.versions,
    target: fact.other,
    constraint: '',
    sentence: `${subject.text} ${subject.isMany ? 'conflict' : 'conflicts'} with ${target}`,
  };
}

/** `base >=2`, `capability ingress`. */
export function requirementText({ package: name, capability = '', version = '' }: Requirement): string {
  if (name === undefined) return `capability ${capability}`;
  return version.trim() === '' ? name : `${name} ${version}`;
}

interface Subject {
  readonly text: string;
  readonly versions: readonly string[];
  readonly isMany: boolean;
}

function subjectOf({ catalog, allowed }: View, name: string, candidates: CandidateSet): Subject {
  const left = candidates & (allowed.get(name) ?? candidates);
  const found = candidatesIn(catalog.known(name), left === 0n ? candidates : left).filter(({ open }) => !open);
  const versions = found.map(({ version }) => version);
  const isInstalled = found.length === 1 && found[0]?.runs === true && catalog.isResting(name);
  const text = versions.length === 0 ? name : `${name} ${listVersions(versions)}${isInstalled ? ' (installed)' : ''}`;
  return { text, versions, isMany: versions.length > 1 };
}

function candidatesIn({ candidates }: KnownPackage, set: CandidateSet): readonly Candidate[] {
  return candidates.filter((_one, index) => (bitOf(index) & set) !== 0n);
}

const MOST_VERSIONS = 4;

function listVersions(versions: readonly string[]): string {
  const distinct = [...new Set(versions)];
  const [newest = '', ...older] = distinct;
  if (distinct.length <= MOST_VERSIONS) return listOf([...distinct].reverse());
  return `${older.at(-1) ?? ''} to ${newest} (${String(distinct.length)} versions)`;
}

/** What there is to choose from, where that says why the demands cannot be met. */
function offersFor(catalog: Catalog, facts: readonly Fact[]): readonly Demand[] {
  const targets = facts.flatMap((fact) => chosenFrom(catalog, fact));
  const sorted = [...new Map(targets.map((one) => [one.target, one])).values()].sort((a, b) =>
    a.target < b.target ? -1 : 1,
  );
  return sorted.flatMap(({ target, isCapability }) => {
    const sentence = isCapability ? capabilityOffer(catalog, target) : packageOffer(catalog.known(target));
    const versions = isCapability ? [] : catalog.known(target).candidates.map(({ version }) => version);
    return sentence === undefined ? [] : [{ kind: 'offer', name: target, versions, target, constraint: '', sentence }];
  });
}

interface Target {
  readonly target: string;
  readonly isCapability: boolean;
}

function chosenFrom(catalog: Catalog, fact: Fact): readonly Target[] {
  const ofPackage = (target: string, constraint: string): readonly Target[] =>
    constraint.trim() !== '' || catalog.known(target).candidates.length === 0 ? [{ target, isCapability: false }] : [];
  if (fact.kind === 'asked' || fact.kind === 'accepted') return ofPackage(fact.name, fact.constraint);
  if (fact.kind === 'running') return ofPackage(fact.name, fact.version);
  if (fact.kind !== 'requires' || fact.requirement.optional === true) return [];
  const { package: target, capability = '', version = '' } = fact.requirement;
  return target === undefined ? [{ target: capability, isCapability: true }] : ofPackage(target, version);
}

function capabilityOffer(catalog: Catalog, capability: string): string | undefined {
  const providers = catalog.providersOf(capability);
  return providers.length === 0
    ? `nothing on offer provides ${capability}`
    : `${capability} is provided by ${listOf(providers)}`;
}

function packageOffer({ name, candidates, running: now, withoutVariant, variant }: KnownPackage): string | undefined {
  if (candidates.some(({ open }) => open)) return undefined;
  const offered = candidates.filter(({ runs }) => !runs).map(({ version }) => version);
  const running = candidates.find(({ runs }) => runs);
  const lacking =
    withoutVariant.length === 0 ? '' : `${name} ${listVersions(withoutVariant)} on offer has no variant ${variant}`;
  if (candidates.length === 0) return lacking === '' ? `nothing on offer is named ${name}` : lacking;
  const instead = now === undefined || running !== undefined ? '' : `, in place of ${now.version}`;
  const parts = [
    ...(running === undefined ? [] : [`${running.version} (installed)`]),
    ...(offered.length === 0 ? [] : [`${listVersions(offered)} on offer`]),
  ];
  return `of ${name} there is ${parts.join(' and ')}${instead}${lacking === '' ? '' : `; ${lacking}`}`;
}
