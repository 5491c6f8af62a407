import type { Requirement } from '../../../api/package-source.ts';
import { UNVERSIONED } from '../../../api/package-source.ts';
import { DEFAULT_VARIANT } from '../../../api/package.ts';
import { type Constraint, parseConstraint, satisfies } from '../../../lib/semver/constraint.ts';
import { compareVersions, parseVersion, type Version } from '../../../lib/semver/version.ts';
import { stableJson } from '../../../lib/stable-json.ts';
import { requiredName } from '../requirements.ts';
import type { AskedPackage, InstalledPackage, OfferedVersion } from './request.ts';

/** One version of a package that could be there. */
export interface Candidate {
  /** Empty: not known. */
  readonly version: string;
  readonly parsed: Version | undefined;
  readonly build: number;
  readonly requires: readonly Requirement[];
  readonly provides: readonly string[];
  readonly conflicts: readonly string[];
  /** It runs. */
  readonly runs: boolean;
  /** A repository will say which version it is. */
  readonly open: boolean;
}

/** What is known of one package. */
export interface KnownPackage {
  readonly name: string;
  readonly installed: InstalledPackage | undefined;
  readonly asked: AskedPackage | undefined;
  readonly variant: string;
  /** What runs, also where it cannot be held. */
  readonly running: Candidate | undefined;
  /** Newest first. */
  readonly candidates: readonly Candidate[];
  /** Versions on offer that do not have the variant. */
  readonly withoutVariant: readonly string[];
}

export interface PackageParts {
  readonly installed: InstalledPackage | undefined;
  readonly asked: AskedPackage | undefined;
  readonly offers: readonly OfferedVersion[];
}

export function knownPackage(name: string, { installed, asked, offers }: PackageParts): KnownPackage {
  const { variant, ignored } = wishesOf(installed, asked);
  const running = runningCandidate(installed);
  const same = installed?.variant === variant ? running : undefined;
  const offered = offers.map((offer) => ({ offer, candidate: offeredCandidate(offer, variant, same) }));
  const all = withRunning(
    offered.flatMap(({ candidate }) => candidate ?? []),
    asked?.followsOffer === true ? undefined : same,
  );
  const candidates = all.map((one) => ({ ...one, requires: heed(one.requires, ignored) })).sort(newestFirst);
  const withoutVariant = offered.flatMap(({ offer, candidate }) =>
    candidate === undefined ? [offer.version ?? ''] : [],
  );
  const held = candidates.find(({ runs }) => runs) ?? running;
  return { name, installed, asked, variant, running: held, candidates, withoutVariant };
}

function wishesOf(
  installed: InstalledPackage | undefined,
  asked: AskedPackage | undefined,
): { readonly variant: string; readonly ignored: ReadonlySet<string> } {
  return {
    variant: asked?.variant ?? installed?.variant ?? DEFAULT_VARIANT,
    ignored: new Set(asked?.ignores ?? installed?.ignores),
  };
}

/** What is on offer at the version that runs says the same, and newer. */
function withRunning(offered: readonly Candidate[], running: Candidate | undefined): readonly Candidate[] {
  return running === undefined || offered.some(({ runs }) => runs) ? offered : [...offered, running];
}

function heed(requires: readonly Requirement[], ignored: ReadonlySet<string>): readonly Requirement[] {
  return requires.filter((requirement) => !ignored.has(requiredName(requirement)));
}

function runningCandidate(installed: InstalledPackage | undefined): Candidate | undefined {
  if (installed?.version === undefined) return undefined;
  const { version, build = 0, requires, provides, conflicts } = installed;
  return { version, parsed: parsedVersion(version), build, requires, provides, conflicts, runs: true, open: false };
}

function offeredCandidate(
  offer: OfferedVersion,
  variant: string,
  running: Candidate | undefined,
): Candidate | undefined {
  const { version = '', build, provides, conflicts } = offer;
  const open = offer.version === undefined;
  const found = offer.variants.find(({ name }) => name === variant);
  if (found === undefined && !open) return undefined;
  const runs = !open && running?.version === version && running.build === build;
  const requires = found?.requires ?? [];
  return { version, parsed: parsedVersion(version), build, requires, provides, conflicts, runs, open };
}

function parsedVersion(version: string): Version | undefined {
  const parsed = parseVersion(version);
  return parsed.kind === 'version' && version !== UNVERSIONED ? parsed.version : undefined;
}

/** By version, then by build; what has no version comes last, and what is the same in all that counts goes by its text. */
export function newestFirst(a: Candidate, b: Candidate): number {
  const order = compareCandidates(b, a);
  if (order !== 0) return order;
  const [left, right] = [stableJson({ ...a, parsed: null }), stableJson({ ...b, parsed: null })];
  return Number(left > right) - Number(left < right);
}

/** Build metadata does not count. */
export function compareCandidates(a: Candidate, b: Candidate): number {
  if (a.open !== b.open) return a.open ? -1 : 1;
  if (a.parsed === undefined || b.parsed === undefined) {
    return Number(a.parsed !== undefined) - Number(b.parsed !== undefined) || a.build - b.build;
  }
  return compareVersions(a.parsed, b.parsed) || a.build - b.build;
}

export function isSameVersion(a: Candidate, b: Candidate): boolean {
  return compareCandidates({ ...a, build: 0 }, { ...b, build: 0 }) === 0;
}

/** Constraints as they are asked for again and again; an empty one is satisfied by everything. */
export class Constraints {
  readonly #parsed = new Map<string, Constraint | undefined>();

  /** Whether a candidate satisfies a constraint; as the operator judges it. */
  admits(text: string, { parsed, open }: Candidate): boolean {
    if (text.trim() === '' || open) return true;
    const constraint = this.#parse(text);
    return constraint !== undefined && parsed !== undefined && satisfies(parsed, constraint);
  }

  /** Whether it mentions a pre-release, and so wants them. */
  wantsPrereleases(text: string): boolean {
    return this.#parse(text)?.groups.some(({ admitsPrereleases }) => admitsPrereleases) ?? false;
  }

  #parse(text: string): Constraint | undefined {
    if (this.#parsed.has(text)) return this.#parsed.get(text);
    const parsed = parseConstraint(text);
    const constraint = parsed.kind === 'constraint' ? parsed.constraint : undefined;
    this.#parsed.set(text, constraint);
    return constraint;
  }
}
