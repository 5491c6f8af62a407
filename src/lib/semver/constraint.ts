import { byteLength, compareDecimals, compareVersions, parseVersion, type Version } from './version.ts';

type Operator = '=' | '!=' | '>' | '<' | '>=' | '<=' | '~' | '^';

interface Term {
  readonly operator: Operator;
  readonly version: Version;
  /** The first part that was left out or written as a wildcard: `*` is `major`, `1` and `1.x` are `minor`. */
  readonly open: 'major' | 'minor' | 'patch' | 'none';
}

/** All terms of one group must hold; one pre-release in a group admits pre-releases to the whole of it. */
interface Group {
  readonly terms: readonly Term[];
  readonly admitsPrereleases: boolean;
}

/** One of the groups must hold. */
export interface Constraint {
  readonly groups: readonly Group[];
}

export type ConstraintResult =
  | { readonly kind: 'constraint'; readonly constraint: Constraint }
  | { readonly kind: 'invalid'; readonly message: string };

const MAX_BYTES = 512;
const MAX_GROUPS = 32;

const SPACE = '[\\t\\n\\f\\r ]';
/** A single bar counts as a character of a number there; only behind a wildcard does that make a constraint. */
const NUMBER = '[0-9xX*|]+';
const IDENTIFIERS = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const OPERAND = `v?${NUMBER}(?:\\.${NUMBER})?(?:\\.${NUMBER})?(?:-${IDENTIFIERS})?(?:\\+${IDENTIFIERS})?`;

const RANGE = new RegExp(`${SPACE}*(${OPERAND})${SPACE}+-${SPACE}+(${OPERAND})${SPACE}*`, 'g');
/** One term; what separates it from the next is read apart, so that no input makes the expression backtrack. */
const TERM = new RegExp(`(=>|=<|>=|<=|!=|~>|[=<>~^]?)${SPACE}*([^\\t\\n\\f\\r ,]+)`, 'y');
const SEPARATOR = new RegExp(`${SPACE}*,${SPACE}*|${SPACE}+`, 'y');
const PARTS = new RegExp(`^v?(${NUMBER})(?:\\.(${NUMBER}))?(?:\\.(${NUMBER}))?(-${IDENTIFIERS})?(\\+${IDENTIFIERS})?$`);

const OPERATORS: Readonly<Record<string, Operator>> = {
  '': '=',
  '=': '=',
  '!=': '!=',
  '>': '>',
  '<': '<',
  '>=': '>=',
  '=>': '>=',
  '<=': '<=',
  '=<': '<=',
  '~': '~',
  '~>': '~',
  '^': '^',
};

/** A constraint as Masterminds/semver v3, and so Helm, reads it: `>=1.2, <2 || ^3.1.0-0`, `1.2 - 1.4`, `!=1.x`. */
export function parseConstraint(text: string): ConstraintResult {
  if (byteLength(text) > MAX_BYTES) return invalid(`a constraint has at most ${String(MAX_BYTES)} bytes`);
  const parts = rewriteRanges(text).split('||');
  if (parts.length > MAX_GROUPS) return invalid(`a constraint has at most ${String(MAX_GROUPS)} alternatives`);
  const groups: Group[] = [];
  for (const part of parts) {
    const terms = parseTerms(part);
    if (terms === undefined) return invalid(`${JSON.stringify(text)} is not a version constraint`);
    groups.push({ terms, admitsPrereleases: terms.some((term) => term.version.prerelease !== '') });
  }
  return { kind: 'constraint', constraint: { groups } };
}

function invalid(message: string): ConstraintResult {
  return { kind: 'invalid', message };
}

export function satisfies(version: Version, constraint: Constraint): boolean {
  return constraint.groups.some(
    (group) =>
      (version.prerelease === '' || group.admitsPrereleases) &&
      group.terms.every((term) => CHECKS[term.operator](version, term)),
  );
}

/** `1.2 - 1.4` is `>= 1.2, <= 1.4`; blanks around it go too, so it cannot follow another term by a blank alone. */
function rewriteRanges(text: string): string {
  return text.replace(RANGE, (_match, low: string, high: string) => `>= ${low}, <= ${high} `);
}

function parseTerms(text: string): readonly Term[] | undefined {
  const body = text.replace(new RegExp(`^${SPACE}+|${SPACE}+$`, 'g'), '');
  const terms: Term[] = [];
  let position = 0;
  do {
    const term = parseTerm(matchAt(TERM, body, position));
    if (term === undefined) return undefined;
    terms.push(term.term);
    position += term.length;
    if (position === body.length) return terms;
    const separator = matchAt(SEPARATOR, body, position);
    if (separator === null) return undefined;
    position += separator[0].length;
  } while (position < body.length);
  return undefined;
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

function parseTerm(match: RegExpExecArray | null): { readonly term: Term; readonly length: number } | undefined {
  const operator = OPERATORS[match?.[1] ?? ''];
  const operand = match === null ? undefined : parseOperand(match[2] ?? '');
  if (match === null || operator === undefined || operand === undefined) return undefined;
  return { term: { operator, ...operand }, length: match[0].length };
}

function parseOperand(text: string): Omit<Term, 'operator'> | undefined {
  const parts = PARTS.exec(text);
  if (parts === null) return undefined;
  const [, major, minor, patch, prerelease = ''] = parts;
  const open = firstOpen([major, minor, patch]);
  const closed = {
    major: `0.0.0${prerelease}`,
    minor: `${major ?? ''}.0.0${prerelease}`,
    patch: `${major ?? ''}.${minor ?? ''}.0${prerelease}`,
    none: text,
  }[open];
  const parsed = parseVersion(closed);
  return parsed.kind === 'version' ? { version: parsed.version, open } : undefined;
}

function firstOpen(parts: readonly (string | undefined)[]): Term['open'] {
  const isOpen = (part: string | undefined): boolean =>
    part === undefined || part === 'x' || part === 'X' || part === '*';
  return (['major', 'minor', 'patch'] as const).find((_name, index) => isOpen(parts[index])) ?? 'none';
}

type Check = (version: Version, term: Term) => boolean;

const CHECKS: Readonly<Record<Operator, Check>> = {
  '=': (version, term) =>
    term.open === 'none' ? compareVersions(version, term.version) === 0 : isTilde(version, term),
  '!=': isDifferent,
  '>': isGreater,
  '<': (version, term) => compareVersions(version, term.version) < 0,
  '>=': (version, term) => compareVersions(version, term.version) >= 0,
  '<=': isNotGreater,
  '~': isTilde,
  '^': isCaret,
};

function isDifferent(version: Version, { version: limit, open }: Term): boolean {
  if (open === 'none') return compareVersions(version, limit) !== 0;
  if (version.major !== limit.major) return true;
  if (open === 'minor') return false;
  if (version.minor !== limit.minor) return true;
  if (open === 'major') return compareVersions(version, limit) !== 0;
  const prerelease = version.prerelease !== '' || limit.prerelease !== '';
  return prerelease && compareVersions(version, limit) !== 0;
}

/** `>11` starts at 12, `>11.1` at 11.2. */
function isGreater(version: Version, { version: limit, open }: Term): boolean {
  if (open === 'none' || open === 'major') return compareVersions(version, limit) > 0;
  if (version.major !== limit.major) return compareDecimals(version.major, limit.major) > 0;
  return open === 'patch' && compareDecimals(version.minor, limit.minor) > 0;
}

/** `<=11` covers all of 11, `<=11.1` all of 11.1. */
function isNotGreater(version: Version, { version: limit, open }: Term): boolean {
  if (open === 'none') return compareVersions(version, limit) <= 0;
  const major = compareDecimals(version.major, limit.major);
  if (major !== 0) return major < 0;
  return open === 'minor' || compareDecimals(version.minor, limit.minor) <= 0;
}

/** `~1.2.3` is `>=1.2.3, <1.3`; `~1` is `>=1, <2`; `~0.0.0` and `~*` are any version. */
function isTilde(version: Version, { version: limit, open }: Term): boolean {
  if (compareVersions(version, limit) < 0) return false;
  const zero = limit.major === '0' && limit.minor === '0' && limit.patch === '0';
  if (zero && open !== 'minor' && open !== 'patch') return true;
  return version.major === limit.major && (open === 'minor' || version.minor === limit.minor);
}

/** Nothing left of the first number that is not zero may change. */
function isCaret(version: Version, { version: limit, open }: Term): boolean {
  if (compareVersions(version, limit) < 0 || version.major !== limit.major) return false;
  if (limit.major !== '0' || open === 'minor') return true;
  if (version.minor !== limit.minor) return false;
  return limit.minor !== '0' || open === 'patch' || version.patch === limit.patch;
}
