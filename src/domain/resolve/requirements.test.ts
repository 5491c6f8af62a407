import { describe, expect, it } from 'vitest';
import { aComponent, aPackage, aSource } from '../../../test/build/objects.ts';
import type { Requirement } from '../../api/package-source.ts';
import {
  apiVersionOf,
  type CapabilityProvider,
  findUnreadable,
  type RequiredPackage,
  type RequirementFacts,
  requirementsOf,
  unmetRequirement,
} from './requirements.ts';

const AVAILABLE: RequiredPackage = { available: true, inProgress: false, leaving: false, version: '1.4.0' };

const onPackage = (found?: Partial<RequiredPackage>, rest: object = {}): RequirementFacts => ({
  requirement: { package: 'db', ...rest },
  ...(found === undefined ? {} : { package: { ...AVAILABLE, ...found } }),
});
const provider = (name: string, found: Partial<RequiredPackage> = {}, sourceVersion?: string): CapabilityProvider => ({
  name,
  package: { ...AVAILABLE, ...found },
  sourceVersion,
});
const onCapability = (providers: readonly CapabilityProvider[], rest: object = {}): RequirementFacts => ({
  requirement: { capability: 'storage', ...rest },
  providers,
});
const onApi = (facts: Omit<RequirementFacts, 'requirement'>, rest: object = {}): RequirementFacts => ({
  requirement: { capability: 'api:example.org/v1', ...rest },
  ...facts,
});

describe('P3 a requirement is met', () => {
  it.each<[string, RequirementFacts]>([
    ['by a package that is available', onPackage({})],
    ['by an applied version inside the constraint', onPackage({}, { version: '>=1.2, <2' })],
    ['P4 when it is optional and the package is absent', onPackage(undefined, { optional: true })],
    ['by a capability that a ready package has', onCapability([provider('ceph')])],
    ['by any of several that have it', onCapability([provider('a', { available: false }), provider('b')])],
    ['whatever version a capability is asked for in', onCapability([provider('ceph')], { version: '>=9' })],
    ['by the name of a package, whatever its source says', onCapability([provider('storage', {}, '2.0.0')])],
    ['P4 when it is optional and nobody has the capability', onCapability([], { optional: true })],
    ['by an API that is served', onApi({ served: true })],
    [
      'by an API that is served, though its package is not ready',
      onApi({ served: true, providers: [provider('x', { available: false })] }),
    ],
    ['P4 when it is optional, not served, and comes with no package', onApi({ served: false }, { optional: true })],
  ])('%s', (_say, facts) => {
    expect(unmetRequirement(facts)).toBeUndefined();
  });
});

describe('P3 a requirement is not met, and says why', () => {
  it.each<[string, RequirementFacts, string]>([
    ['while the package is absent', onPackage(), 'db is not installed'],
    ['while it was never applied', onPackage({ version: undefined }), 'db has not been applied'],
    ['while a revision of it is in progress', onPackage({ inProgress: true }), 'db has a revision in progress'],
    ['while it is being removed', onPackage({ leaving: true }), 'db is being removed'],
    ['while it does not work', onPackage({ available: false }), 'db is not available'],
    ['while its applied version is too old', onPackage({}, { version: '>=2' }), 'db is at 1.4.0, version >=2'],
    ['while its applied version is none', onPackage({ version: 'main' }, { version: '>=1' }), 'db is at main'],
    ['P4 while an optional one is present and not ready', onPackage({ available: false }, { optional: true }), 'db'],
    ['P4 while an optional one is present in another version', onPackage({}, { optional: true, version: '<1' }), 'db'],
    ['while nobody has the capability', onCapability([]), 'storage is provided by no'],
    ['while nothing is known of the capability', { requirement: { capability: 'storage' } }, 'storage'],
    [
      'while none that has it is ready',
      onCapability([provider('ceph', { available: false })]),
      'ceph is not available',
    ],
    [
      'while a revision of the one that has it is in progress',
      onCapability([provider('ceph', { inProgress: true })]),
      'ceph has a revision',
    ],
    [
      'while only the source of a package has it',
      onCapability([provider('ceph', {}, 'version 2.0.0')]),
      'ceph has it at version 2.0.0, and is at 1.4.0',
    ],
    [
      'P4 while it is optional and whoever has it is not ready',
      onCapability([provider('ceph', { leaving: true })], { optional: true }),
      'ceph is being removed',
    ],
    ['while the API is not served', onApi({ served: false }), 'api:example.org/v1 is not served'],
    [
      'while the API is not served, and names what brings it',
      onApi({ served: false, providers: [provider('crds')] }),
      'package crds',
    ],
    ['while it is not known whether the API is served', onApi({ served: { unknown: 'no answer' } }), 'no answer'],
    [
      'P4 while an optional API is to come with a package',
      onApi({ served: false, providers: [provider('crds')] }, { optional: true }),
      'package crds',
    ],
  ])('%s', (_say, facts, why) => {
    expect(unmetRequirement(facts)).toContain(why);
  });
});

describe('what a package requires', () => {
  const source = aSource([aComponent('app')], {
    variants: [
      { name: 'default', components: [], dependsOn: ['net'], requires: [{ package: 'db' }, { capability: 'storage' }] },
    ],
  });
  const required = (ignoreDependencies?: string[]): readonly Requirement[] =>
    requirementsOf(
      aPackage(ignoreDependencies === undefined ? {} : { ignoreDependencies }),
      source.spec.variants?.[0] ?? { name: '' },
    );

  it('is what its variant depends on and requires', () => {
    expect(required()).toEqual([{ package: 'net' }, { package: 'db' }, { capability: 'storage' }]);
  });

  it.each<[string, string, number]>([
    ['a package of the short list', 'net', 2],
    ['a package', 'db', 2],
    ['a capability', 'storage', 2],
    ['nothing that is required', 'other', 3],
  ])('is less by %s that it is told to ignore', (_say, ignored, left) => {
    expect(required([ignored])).toHaveLength(left);
  });
});

describe('a requirement that cannot be read', () => {
  it.each<[string, Requirement]>([
    ['a constraint that is none', { package: 'db', version: 'newest' }],
    ['a constraint with a hole', { package: 'db', version: '>=1, ,' }],
    ['an API without a version', { capability: 'api:' }],
    ['an API of three parts', { capability: 'api:example.org/v1/Thing' }],
    ['an API that climbs out of its path', { capability: 'api:../v1' }],
  ])('is said: %s', (_say, requirement) => {
    expect(findUnreadable([{ package: 'net' }, requirement])).toMatchObject({ reason: 'InvalidConfiguration' });
  });

  it('is not one that has no constraint, or a capability, whose version has no meaning', () => {
    const requires = [{ package: 'db', version: ' ' }, { package: 'db' }, { capability: 'storage', version: 'newest' }];
    expect(findUnreadable([...requires, { capability: 'api:v1' }, { capability: 'api:apps/v1' }])).toBeUndefined();
  });
});

describe('the API of a capability', () => {
  it.each<[string | undefined, string | undefined]>([
    ['api:apps/v1', 'apps/v1'],
    ['api:v1', 'v1'],
    ['api:cert-manager.io/v1alpha2', 'cert-manager.io/v1alpha2'],
    ['storage', undefined],
    ['api:a/b/c', undefined],
    [undefined, undefined],
  ])('%s is %s', (capability, apiVersion) => {
    expect(apiVersionOf(capability)).toBe(apiVersion);
  });
});
