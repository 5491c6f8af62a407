import { describe, expect, it } from 'vitest';
import { outcomeOf, packagesOf, sentencesOf } from '../../../../test/build/version-answer.ts';
import { anAsk, anInstalled, anOffer } from '../../../../test/build/version-request.ts';
import type { VersionRequest } from './request.ts';

const SHOP = [anOffer('shop 1.0.0'), anOffer('shop 1.1.0'), anOffer('shop 2.0.0-rc.1')];

describe('the version that is taken', () => {
  it.each<readonly [string, Partial<VersionRequest>, readonly string[]]>([
    ['is the newest release', { offers: SHOP, asked: [anAsk('shop')] }, ['shop install 1.1.0']],
    [
      'is a pre-release when the constraint mentions one',
      { offers: SHOP, asked: [anAsk('shop@>=1.0.0-0')] },
      ['shop install 2.0.0-rc.1'],
    ],
    [
      'is a pre-release when there is nothing else',
      { offers: [anOffer('shop 2.0.0-rc.1')], asked: [anAsk('shop')] },
      ['shop install 2.0.0-rc.1'],
    ],
    [
      'is no pre-release when the constraint mentions none',
      { offers: [anOffer('shop 2.0.0-rc.1')], asked: [anAsk('shop@>=1')] },
      ['impossible'],
    ],
    [
      'follows the pre-releases of what runs',
      {
        offers: [...SHOP, anOffer('shop 2.0.0-rc.2')],
        installed: [anInstalled('shop 2.0.0-rc.1')],
        asked: [anAsk('shop')],
      },
      ['shop upgrade 2.0.0-rc.1 2.0.0-rc.2'],
    ],
    [
      'has the highest build',
      { offers: [anOffer('shop 1.0.0', { build: 9 }), anOffer('shop 1.0.0', { build: 10 })], asked: [anAsk('shop')] },
      ['shop install 1.0.0'],
    ],
    [
      'is the newest that satisfies who requires it',
      {
        offers: [anOffer('shop 1.0.0', { requires: ['base <2'] }), anOffer('base 1.0.0'), anOffer('base 2.0.0')],
        asked: [anAsk('shop')],
      },
      ['base install 1.0.0', 'shop install 1.0.0'],
    ],
    [
      'is not changed of what nobody asks about',
      {
        offers: [anOffer('shop 1.0.0', { requires: ['base'] }), anOffer('base 2.0.0')],
        installed: [anInstalled('base 1.0.0')],
        asked: [anAsk('shop')],
      },
      ['base keep 1.0.0 1.0.0', 'shop install 1.0.0'],
    ],
    [
      'is changed of what is in the way, when that works out',
      {
        offers: [
          anOffer('shop 1.0.0', { requires: ['base >=2'] }),
          anOffer('base 2.0.0'),
          anOffer('billing 2.0.0', { requires: ['base >=2'] }),
        ],
        installed: [anInstalled('base 1.0.0'), anInstalled('billing 1.0.0', { requires: ['base <2'] })],
        asked: [anAsk('shop')],
      },
      ['base upgrade 1.0.0 2.0.0', 'billing upgrade 1.0.0 2.0.0', 'shop install 1.0.0'],
    ],
    [
      'keeps what runs of as many as can be',
      {
        offers: [
          anOffer('shop 1.0.0', { requires: ['base >=2'] }),
          anOffer('base 2.0.0'),
          anOffer('base 3.0.0'),
          anOffer('billing 2.0.0'),
        ],
        installed: [anInstalled('base 1.0.0'), anInstalled('billing 1.0.0', { requires: ['base <3'] })],
        asked: [anAsk('shop')],
      },
      ['base upgrade 1.0.0 2.0.0', 'billing keep 1.0.0 1.0.0', 'shop install 1.0.0'],
    ],
    [
      'is what runs when it is the newest',
      { offers: [anOffer('shop 1.0.0')], installed: [anInstalled('shop 1.0.0')], asked: [anAsk('shop')] },
      ['shop keep 1.0.0 1.0.0'],
    ],
    [
      'is the same in another variant',
      {
        offers: [anOffer('shop 1.0.0', { variants: [{ name: 'large', requires: [] }] })],
        installed: [anInstalled('shop 1.0.0')],
        asked: [anAsk('shop', { variant: 'large' })],
      },
      ['shop change 1.0.0 1.0.0'],
    ],
    [
      'is the same in a newer build',
      {
        offers: [anOffer('shop 1.0.0', { build: 2 })],
        installed: [anInstalled('shop 1.0.0', { build: 1 })],
        asked: [anAsk('shop')],
      },
      ['shop change 1.0.0 1.0.0'],
    ],
    [
      'is what the Package accepts',
      {
        offers: [anOffer('shop 1.1.0'), anOffer('shop 2.0.0')],
        installed: [anInstalled('shop 1.0.0', { constraint: '1.x' })],
        asked: [anAsk('shop')],
      },
      ['shop upgrade 1.0.0 1.1.0'],
    ],
    [
      'has no version when the source has none',
      { offers: [anOffer('shop 0.0.0-unversioned')], asked: [anAsk('shop')] },
      ['shop install 0.0.0-unversioned'],
    ],
    [
      'is left to a repository that has more than is known',
      { offers: [anOffer('shop 1.0.0'), anOffer('shop')], asked: [anAsk('shop@>=2')] },
      ['shop install'],
    ],
  ])('%s', (_what, request, outcome) => {
    expect(outcomeOf(request)).toEqual(outcome);
  });

  it.each([
    [9, 10, '1.0.0'],
    [1, 2, '1.0.0'],
    [1, 2, '0.0.0-unversioned'],
  ])('of builds %i and %i is the higher, at %s', (lower, higher, version) => {
    const offers = [lower, higher].map((build) => anOffer(`shop ${version}`, { build }));
    expect(packagesOf({ offers, asked: [anAsk('shop')] }).get('shop')?.build).toBe(higher);
  });
});

describe('never a silent downgrade', () => {
  const installed = [anInstalled('shop 2.0.0')];
  const offers = [anOffer('shop 1.0.0')];

  it.each<readonly [string, Partial<VersionRequest>, readonly string[]]>([
    ['what runs stays', { asked: [anAsk('shop')] }, ['shop keep 2.0.0 2.0.0']],
    ['a constraint that fits what runs asks for none', { asked: [anAsk('shop@>=1')] }, ['shop keep 2.0.0 2.0.0']],
    [
      'a constraint that excludes what runs asks for one',
      { asked: [anAsk('shop@<2')] },
      ['shop downgrade 2.0.0 1.0.0'],
    ],
    ['where what runs cannot stay it is refused', { asked: [anAsk('shop', { followsOffer: true })] }, ['impossible']],
    [
      'who is pulled in does not go back',
      { offers: [...offers, anOffer('front 1.0.0', { requires: ['shop <2'] })], asked: [anAsk('front')] },
      ['impossible'],
    ],
    [
      'nor to an older build',
      {
        installed: [anInstalled('shop 1.0.0', { build: 3 })],
        offers: [anOffer('shop 1.0.0', { build: 2 })],
        asked: [anAsk('shop', { followsOffer: true })],
      },
      ['impossible'],
    ],
    [
      'but an older build can be asked for by its version',
      {
        installed: [anInstalled('shop 1.0.0', { build: 3 })],
        offers: [anOffer('shop 1.0.0', { build: 2 })],
        asked: [anAsk('shop@1.0.0', { followsOffer: true })],
      },
      ['shop change 1.0.0 1.0.0'],
    ],
  ])('%s', (_what, request, outcome) => {
    expect(outcomeOf({ installed, offers, ...request })).toEqual(outcome);
  });

  it('the refusal says what runs and how to ask', () => {
    expect(sentencesOf({ installed, offers, asked: [anAsk('shop', { followsOffer: true })] })).toEqual([
      'shop is asked for',
      'shop runs at 2.0.0, and an older version is taken only when it is asked for, as shop@VERSION',
      'of shop there is 1.0.0 on offer, in place of 2.0.0',
    ]);
  });
});

describe('requirements', () => {
  it.each<readonly [string, Partial<VersionRequest>, readonly string[]]>([
    [
      'that are optional pull nothing in',
      { offers: [anOffer('shop 1.0.0', { requires: ['?base'] }), anOffer('base 1.0.0')], asked: [anAsk('shop')] },
      ['shop install 1.0.0'],
    ],
    [
      'that are optional count where the package is there, as the operator waits for them',
      {
        offers: [anOffer('shop 1.0.0', { requires: ['?base >=2'] }), anOffer('base 2.0.0')],
        installed: [anInstalled('base 1.0.0')],
        asked: [anAsk('shop')],
      },
      ['base upgrade 1.0.0 2.0.0', 'shop install 1.0.0'],
    ],
    [
      'of a capability are met by the first provider by name',
      {
        offers: [
          anOffer('shop 1.0.0', { requires: ['cap:ingress'] }),
          anOffer('zeta 1.0.0', { provides: ['ingress'] }),
          anOffer('alpha 1.0.0', { provides: ['ingress'] }),
        ],
        asked: [anAsk('shop')],
      },
      ['alpha install 1.0.0', 'shop install 1.0.0'],
    ],
    [
      'of a capability are met by a provider that runs',
      {
        offers: [
          anOffer('shop 1.0.0', { requires: ['cap:ingress'] }),
          anOffer('alpha 1.0.0', { provides: ['ingress'] }),
        ],
        installed: [anInstalled('zeta 1.0.0', { provides: ['ingress'] })],
        asked: [anAsk('shop')],
      },
      ['shop install 1.0.0', 'zeta keep 1.0.0 1.0.0'],
    ],
    [
      'of a capability are met by the package of that name',
      { offers: [anOffer('shop 1.0.0', { requires: ['cap:base'] }), anOffer('base 1.0.0')], asked: [anAsk('shop')] },
      ['base install 1.0.0', 'shop install 1.0.0'],
    ],
    [
      'of an API are met by the server',
      {
        offers: [anOffer('shop 1.0.0', { requires: ['cap:api:example.org/v1'] })],
        servedApis: ['example.org/v1'],
        asked: [anAsk('shop')],
      },
      ['shop install 1.0.0'],
    ],
    [
      'of an API that is not served are met by who brings it',
      {
        offers: [
          anOffer('shop 1.0.0', { requires: ['cap:api:example.org/v1'] }),
          anOffer('crds 1.0.0', { provides: ['api:example.org/v1'] }),
        ],
        asked: [anAsk('shop')],
      },
      ['crds install 1.0.0', 'shop install 1.0.0'],
    ],
    [
      'that the Package ignores do not count',
      {
        offers: [anOffer('shop 1.0.0', { requires: ['base', 'cap:x'] })],
        asked: [anAsk('shop', { ignores: ['base', 'x'] })],
      },
      ['shop install 1.0.0'],
    ],
    [
      'that run unmet already are not held against anybody',
      {
        offers: [anOffer('shop 1.0.0')],
        installed: [anInstalled('broken 1.0.0', { requires: ['gone', 'cap:x', 'old >=2'] }), anInstalled('old 1.0.0')],
        asked: [anAsk('shop')],
      },
      ['broken keep 1.0.0 1.0.0', 'old keep 1.0.0 1.0.0', 'shop install 1.0.0'],
    ],
    [
      'that run unmet are met by what changes, if it can',
      {
        offers: [anOffer('base 3.0.0'), anOffer('base 4.0.0')],
        installed: [anInstalled('broken 1.0.0', { requires: ['base >=3 <4'] }), anInstalled('base 1.0.0')],
        asked: [anAsk('base')],
      },
      ['base upgrade 1.0.0 3.0.0', 'broken keep 1.0.0 1.0.0'],
    ],
    [
      'of what is asked for are met again when they are not any more',
      {
        offers: [anOffer('shop 1.0.0', { requires: ['base'] }), anOffer('base 1.0.0')],
        installed: [anInstalled('shop 1.0.0', { requires: ['base'] })],
        asked: [anAsk('shop')],
      },
      ['base install 1.0.0', 'shop keep 1.0.0 1.0.0'],
    ],
    [
      'in a circle are met together',
      {
        offers: [anOffer('a 1.0.0', { requires: ['b'] }), anOffer('b 1.0.0', { requires: ['a'] })],
        asked: [anAsk('a')],
      },
      ['a install 1.0.0', 'b install 1.0.0'],
    ],
    [
      'of a capability need no provider beside one that comes in later',
      {
        offers: [
          anOffer('shop 1.0.0', { requires: ['cap:x', 'cap:y'] }),
          anOffer('alpha 1.0.0', { provides: ['x'] }),
          anOffer('beta 1.0.0', { provides: ['x', 'y'] }),
          anOffer('gamma 1.0.0', { provides: ['y'] }),
        ],
        asked: [anAsk('shop')],
      },
      ['beta install 1.0.0', 'shop install 1.0.0'],
    ],
    [
      'that a provider meets by the way need no other provider',
      {
        offers: [
          anOffer('shop 1.0.0', { requires: ['cap:x', 'cap:y'] }),
          anOffer('alpha 1.0.0', { provides: ['x'] }),
          anOffer('beta 1.0.0', { provides: ['x', 'y'] }),
        ],
        asked: [anAsk('shop')],
      },
      ['beta install 1.0.0', 'shop install 1.0.0'],
    ],
  ])('%s', (_what, request, outcome) => {
    expect(outcomeOf(request)).toEqual(outcome);
  });
});

describe('conflicts', () => {
  const legacy = anOffer('legacy 1.0.0', { provides: ['ingress'] });

  it.each<readonly [string, Partial<VersionRequest>, readonly string[]]>([
    ['with a package', { offers: [anOffer('shop 1.0.0', { conflicts: ['legacy'] }), legacy] }, ['impossible']],
    ['with a capability', { offers: [anOffer('shop 1.0.0', { conflicts: ['ingress'] }), legacy] }, ['impossible']],
    [
      'that the other declares',
      { offers: [anOffer('shop 1.0.0'), anOffer('legacy 1.0.0', { conflicts: ['shop'] })] },
      ['impossible'],
    ],
    [
      'with itself mean nothing',
      { offers: [anOffer('shop 1.0.0', { conflicts: ['shop', 'x'], provides: ['x'] }), legacy] },
      ['legacy install 1.0.0', 'shop install 1.0.0'],
    ],
    [
      'are avoided by an older version',
      { offers: [anOffer('shop 2.0.0', { conflicts: ['legacy'] }), anOffer('shop 1.0.0'), legacy] },
      ['legacy install 1.0.0', 'shop install 1.0.0'],
    ],
  ])('%s', (_what, request, outcome) => {
    expect(outcomeOf({ asked: [anAsk('legacy'), anAsk('shop')], ...request })).toEqual(outcome);
  });

  it('between packages that run already are left alone', () => {
    const installed = [anInstalled('a 1.0.0', { conflicts: ['b'] }), anInstalled('b 1.0.0')];
    const request = { installed, offers: [anOffer('shop 1.0.0')], asked: [anAsk('shop')] };
    expect(outcomeOf(request)).toContain('shop install 1.0.0');
  });

  it('with what runs are said so', () => {
    const request = {
      installed: [anInstalled('legacy 1.0.0', { provides: ['ingress'] })],
      offers: [anOffer('shop 1.0.0', { conflicts: ['ingress'] })],
      asked: [anAsk('shop')],
    };
    expect(sentencesOf(request)).toEqual([
      'shop is asked for',
      'shop 1.0.0 conflicts with ingress, which legacy 1.0.0 (installed) provides',
    ]);
  });
});

/** Section 4.17 of what is known of the Go implementation, and 2.17, 4.10. */
describe('faults of the Go implementation', () => {
  it('R4.17 a package is not moved past what an installed one that stays requires of it', () => {
    const request = {
      offers: [anOffer('base 2.0.0'), anOffer('base 1.5.0')],
      installed: [anInstalled('base 1.0.0'), anInstalled('billing 1.0.0', { requires: ['base <2'] })],
      asked: [anAsk('base')],
    };
    expect(outcomeOf(request)).toEqual(['base upgrade 1.0.0 1.5.0', 'billing keep 1.0.0 1.0.0']);
  });

  it('R4.17 what others require of a shared package counts, whoever is asked for this time', () => {
    const request = {
      offers: [anOffer('two 1.0.0', { requires: ['base >=1.1'] }), anOffer('base 1.2.0'), anOffer('base 2.0.0')],
      installed: [
        anInstalled('one 1.0.0', { requires: ['base <2'] }),
        anInstalled('base 1.0.0', { constraint: '>=1' }),
      ],
      asked: [anAsk('two')],
    };
    expect(outcomeOf(request)).toContain('base upgrade 1.0.0 1.2.0');
  });

  it('R4.17 a variant is that of the package that it is asked for, not of what is pulled in', () => {
    const variants = [
      { name: 'default', requires: [{ package: 'gone' }] },
      { name: 'minimal', requires: [{ package: 'base' }] },
    ];
    const offers = [anOffer('shop 1.0.0', { variants }), anOffer('base 1.0.0')];
    const packages = packagesOf({ offers, asked: [anAsk('shop', { variant: 'minimal' })] });
    expect(packages.get('shop')?.variant).toBe('minimal');
    expect(packages.get('base')).toMatchObject({ variant: 'default', pulledIn: true });
  });

  it('R4.17 alternatives of one constraint stay its own when another one joins in', () => {
    const offers = ['1.0.0', '2.0.0', '3.0.0'].map((version) => anOffer(`base ${version}`));
    const requirers = [
      anOffer('a 1.0.0', { requires: ['base 1.x || 3.x'] }),
      anOffer('b 1.0.0', { requires: ['base <3'] }),
    ];
    const asked = [anAsk('a'), anAsk('b')];
    expect(outcomeOf({ offers: [...offers, ...requirers], asked })).toContain('base install 1.0.0');
  });

  it('R2.17 R4.10 only a version is taken whose own requirements can be met', () => {
    const offers = [anOffer('shop 2.0.0', { requires: ['gone'] }), anOffer('shop 1.0.0')];
    const shop = packagesOf({ offers, asked: [anAsk('shop')] }).get('shop');
    expect(shop).toMatchObject({ to: '1.0.0', newer: { version: '2.0.0' } });
    expect(shop?.newer?.because).toEqual(['shop 2.0.0 requires gone', 'nothing on offer is named gone']);
  });
});
