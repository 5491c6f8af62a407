import { describe, expect, it } from 'vitest';
import { type RequiredPackage, type RequirementFacts, unmetRequirement } from './requirements.ts';

const AVAILABLE: RequiredPackage = { available: true, inProgress: false, version: '1.4.0' };

const onPackage = (found?: Partial<RequiredPackage>, rest: object = {}): RequirementFacts => ({
  requirement: { package: 'db', ...rest },
  ...(found === undefined ? {} : { package: { ...AVAILABLE, ...found } }),
});
const onCapability = (provided: boolean, rest: object = {}): RequirementFacts => ({
  requirement: { capability: 'storage', ...rest },
  provided,
});

describe('P3 a requirement is met', () => {
  it.each<[string, RequirementFacts]>([
    ['by a package that is available', onPackage({})],
    ['by an applied version inside the constraint', onPackage({}, { version: '>=1.2, <2' })],
    ['P4 when it is optional and the package is absent', onPackage(undefined, { optional: true })],
    ['by a capability that is provided', onCapability(true)],
    ['whatever version a capability is asked for in', onCapability(true, { version: '>=9' })],
    ['P4 when it is optional and nobody provides the capability', onCapability(false, { optional: true })],
  ])('%s', (_say, facts) => {
    expect(unmetRequirement(facts)).toBeUndefined();
  });
});

describe('P3 a requirement is not met, and says why', () => {
  it.each<[string, RequirementFacts, string]>([
    ['while the package is absent', onPackage(), 'db is not installed'],
    ['while it was never applied', onPackage({ version: undefined }), 'db has not been applied'],
    ['while a revision of it is in progress', onPackage({ inProgress: true }), 'db has a revision in progress'],
    ['while it does not work', onPackage({ available: false }), 'db is not available'],
    ['while its applied version is too old', onPackage({}, { version: '>=2' }), 'db is at 1.4.0, version >=2'],
    ['while its applied version is none', onPackage({ version: 'main' }, { version: '>=1' }), 'db is at main'],
    ['by a constraint that is none', onPackage({}, { version: 'newest' }), 'version newest is required'],
    ['P4 while an optional one is present and not ready', onPackage({ available: false }, { optional: true }), 'db'],
    ['P4 while an optional one is present in another version', onPackage({}, { optional: true, version: '<1' }), 'db'],
    ['while nobody provides the capability', onCapability(false), 'storage'],
    ['while nothing is known of the capability', { requirement: { capability: 'storage' } }, 'storage'],
  ])('%s', (_say, facts, why) => {
    expect(unmetRequirement(facts)).toContain(why);
  });
});
