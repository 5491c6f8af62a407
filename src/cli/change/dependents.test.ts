import { describe, expect, it } from 'vitest';
import { aPackage, aRevision, aSource } from '../../../test/build/objects.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { PackageSpec } from '../../api/package.ts';
import type { Requirement } from '../../api/package-source.ts';
import { type Installed, needsAgainst, orphansAfter } from './dependents.ts';

interface Parts {
  readonly requires?: readonly Requirement[];
  readonly dependsOn?: readonly string[];
  readonly provides?: readonly string[];
  readonly spec?: Partial<PackageSpec>;
  /** What the applied revision required. */
  readonly applied?: readonly Requirement[];
  readonly pulledIn?: boolean;
  readonly leaving?: boolean;
}

function one(name: string, parts: Parts = {}): Installed {
  const { requires = [], dependsOn = [], provides = [], spec = {}, applied, pulledIn, leaving } = parts;
  const variants = [{ name: 'default', components: [], requires: [...requires], dependsOn: [...dependsOn] }];
  const revision = aRevision({ status: { phase: 'Applied', appliedAt: '2030-01-01T00:00:00Z' } });
  const pkg = aPackage(spec, {
    name,
    ...(pulledIn === true ? { annotations: { [ANNOTATION.dependency]: 'required' } } : {}),
    ...(leaving === true ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}),
  });
  const source = aSource([], { variants, provides: [...provides] });
  const revisions = applied === undefined ? [] : [{ ...revision, spec: { ...revision.spec, requires: [...applied] } }];
  return { package: pkg, source, revisions };
}

const DB = one('db');

describe('P20 what stands against a removal', () => {
  it.each<[string, readonly Installed[], readonly string[]]>([
    ['nobody needs it', [DB, one('shop')], []],
    [
      'a package requires it',
      [DB, one('shop', { requires: [{ package: 'db', version: '>=2' }] })],
      ['db shop package db, version >=2'],
    ],
    ['a package depends on it', [DB, one('shop', { dependsOn: ['db'] })], ['db shop package db']],
    ['a package only orders itself after it', [DB, one('shop', { requires: [{ package: 'db', optional: true }] })], []],
    ['a package ignores it', [DB, one('shop', { dependsOn: ['db'], spec: { ignoreDependencies: ['db'] } })], []],
    [
      'what runs requires it, the next version does not',
      [DB, one('shop', { applied: [{ package: 'db' }] })],
      ['db shop package db'],
    ],
    [
      'what runs required it, and that is ignored',
      [DB, one('shop', { applied: [{ package: 'db' }], spec: { ignoreDependencies: ['db'] } })],
      [],
    ],
    ['the one that needs it is being removed', [DB, one('shop', { dependsOn: ['db'], leaving: true })], []],
    [
      'a package needs its name as a capability',
      [DB, one('shop', { requires: [{ capability: 'db' }] })],
      ['db shop capability db'],
    ],
    [
      'it is the only provider',
      [one('db', { provides: ['sql'] }), one('shop', { requires: [{ capability: 'sql' }] })],
      ['db shop capability sql'],
    ],
    [
      'there is another provider',
      [
        one('db', { provides: ['sql'] }),
        one('pg', { provides: ['sql'] }),
        one('shop', { requires: [{ capability: 'sql' }] }),
      ],
      [],
    ],
    [
      'the other provider is being removed',
      [
        one('db', { provides: ['sql'] }),
        one('pg', { provides: ['sql'], leaving: true }),
        one('shop', { requires: [{ capability: 'sql' }] }),
      ],
      ['db shop capability sql'],
    ],
  ])('%s', (_say, all, expected) => {
    const needs = needsAgainst(new Set(['db']), all);
    expect(needs.map(({ needed, by, what }) => `${needed} ${by} ${what}`)).toEqual(expected);
  });

  it('is nothing when those that need it go as well', () => {
    expect(needsAgainst(new Set(['db', 'shop']), [DB, one('shop', { dependsOn: ['db'] })])).toEqual([]);
  });
});

describe('--autoremove', () => {
  const pulled = (name: string, parts: Parts = {}): Installed => one(name, { ...parts, pulledIn: true });

  it.each<[string, readonly Installed[], readonly string[]]>([
    ['takes what was pulled in', [one('shop', { dependsOn: ['db'] }), pulled('db')], ['db']],
    ['leaves what was asked for', [one('shop', { dependsOn: ['db'] }), DB], []],
    [
      'leaves what another one needs',
      [one('shop', { dependsOn: ['db'] }), pulled('db'), one('web', { dependsOn: ['db'] })],
      [],
    ],
    [
      'leaves what another one orders itself after',
      [one('shop', { dependsOn: ['db'] }), pulled('db'), one('web', { requires: [{ package: 'db', optional: true }] })],
      [],
    ],
    [
      'goes on to what that needed',
      [one('shop', { dependsOn: ['db'] }), pulled('db', { dependsOn: ['disk'] }), pulled('disk')],
      ['db', 'disk'],
    ],
    [
      'leaves a provider',
      [one('shop'), pulled('db', { provides: ['sql'] }), one('web', { requires: [{ capability: 'sql' }] })],
      [],
    ],
  ])('%s', (_say, all, expected) => {
    expect(orphansAfter(new Set(['shop']), all)).toEqual(expected);
  });
});
