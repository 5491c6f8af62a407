import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseConstraint, satisfies } from './constraint.ts';
import { compareVersions, parseVersion, type Version } from './version.ts';

interface Golden {
  readonly parse: readonly { readonly input: string; readonly strict: string | null; readonly loose: string | null }[];
  readonly compare: readonly { readonly a: string; readonly b: string; readonly cmp: number }[];
  readonly constraints: readonly {
    readonly constraint: string;
    readonly version: string;
    readonly parses: boolean;
    readonly match: boolean | null;
  }[];
}

const GOLDEN = new URL('../../../test/golden/data/semver.json', import.meta.url);
const golden = JSON.parse(readFileSync(GOLDEN, 'utf8')) as Golden;

function version(text: string): Version | undefined {
  const result = parseVersion(text);
  return result.kind === 'version' ? result.version : undefined;
}

function normalForm(text: string, strict: boolean): string | null {
  const result = parseVersion(text, { strict });
  if (result.kind === 'invalid') return null;
  const { major, minor, patch, prerelease, metadata } = result.version;
  const suffixes = [prerelease && `-${prerelease}`, metadata && `+${metadata}`];
  return `${major}.${minor}.${patch}${suffixes.join('')}`;
}

function judge(text: string, candidate: string): { readonly parses: boolean; readonly match: boolean | null } {
  const constraint = parseConstraint(text);
  const parsed = version(candidate);
  if (constraint.kind === 'invalid') return { parses: false, match: null };
  return {
    parses: true,
    match: parsed === undefined ? null : satisfies(parsed, constraint.constraint),
  };
}

function compare(a: string, b: string): number | undefined {
  const [left, right] = [version(a), version(b)];
  return left === undefined || right === undefined ? undefined : compareVersions(left, right);
}

describe('the results equal those of Masterminds/semver 3.5.0', () => {
  it('on every version, read strictly and loosely', () => {
    const differing = golden.parse.filter(
      (row) => normalForm(row.input, true) !== row.strict || normalForm(row.input, false) !== row.loose,
    );
    expect(differing).toEqual([]);
    expect(golden.parse.length).toBe(168);
  });

  it('on the order of every pair of versions, both ways round', () => {
    const differing = golden.compare.filter(
      (row) => compare(row.a, row.b) !== row.cmp || Number(compare(row.b, row.a)) + row.cmp !== 0,
    );
    expect(differing).toEqual([]);
    expect(golden.compare.length).toBe(477);
  });

  it('on every constraint', () => {
    const differing = golden.constraints
      .map((row) => ({ ...row, ours: judge(row.constraint, row.version) }))
      .filter((row) => row.ours.parses !== row.parses || row.ours.match !== row.match);
    expect(differing).toEqual([]);
    expect(golden.constraints.length).toBe(4911);
  });
});

describe('limits', () => {
  it('count bytes, not characters', () => {
    expect(parseVersion(`1.2.3-${'a'.repeat(250)}`).kind).toBe('version');
    expect(parseVersion(`1.2.3-${'a'.repeat(251)}`).kind).toBe('invalid');
    expect(parseConstraint(`>1${' '.repeat(510)}`).kind).toBe('constraint');
    expect(parseConstraint(`>1${' '.repeat(511)}`).kind).toBe('invalid');
  });

  it.each([
    ['many terms and blanks, then a fault', `${'1   '.repeat(120)}!`],
    ['a long pre-release, then a fault', `1-${'a-'.repeat(250)}!`],
    ['many blanks before a dash', `1${' '.repeat(400)}- `],
  ])('keep the time short for %s', (_name, text) => {
    expect(parseConstraint(text).kind).toBe('invalid');
  });
});
