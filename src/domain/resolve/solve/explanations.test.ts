import { describe, expect, it } from 'vitest';
import { outcomeOf, packagesOf, sentencesOf } from '../../../../test/build/version-answer.ts';
import { anAsk, anInstalled, anOffer } from '../../../../test/build/version-request.ts';
import type { VersionRequest } from './request.ts';

const SHOP = [anOffer('shop 1.0.0'), anOffer('shop 1.1.0'), anOffer('shop 2.0.0-rc.1')];

describe('why', () => {
  const request = {
    offers: [
      anOffer('shop 1.0.0', { requires: ['base >=2'] }),
      anOffer('base 2.0.0'),
      anOffer('base 3.0.0'),
      anOffer('billing 2.0.0', { requires: ['base <3'] }),
    ],
    installed: [anInstalled('base 1.0.0'), anInstalled('billing 1.0.0', { requires: ['base <2'] })],
    asked: [anAsk('shop')],
  };

  it('a package is there: who requires it, and what did not let it stay', () => {
    const packages = packagesOf(request);
    expect(packages.get('base')).toMatchObject({
      asked: false,
      pulledIn: false,
      pulledBy: [
        { name: 'billing', version: '2.0.0', requirement: 'base <3' },
        { name: 'shop', version: '1.0.0', requirement: 'base >=2' },
      ],
      because: ['shop 1.0.0 requires base >=2'],
    });
    expect(packages.get('billing')).toMatchObject({ because: ['billing 1.0.0 (installed) requires base <2'] });
  });

  it('a newer version is not taken', () => {
    const newer = packagesOf(request).get('base')?.newer;
    expect(newer?.version).toBe('3.0.0');
    expect(newer?.because).toContain('billing 2.0.0 requires base <3');
  });

  it.each<readonly [string, Partial<VersionRequest>, string, string]>([
    ['the command excludes it', { offers: SHOP, asked: [anAsk('shop@<1.1')] }, 'shop 1.1.0', 'shop@<1.1 is asked for'],
    [
      'the Package excludes it',
      { offers: SHOP, installed: [anInstalled('shop 1.0.0', { constraint: '1.0.x' })], asked: [anAsk('shop')] },
      'shop 1.1.0',
      'Package shop accepts only 1.0.x (spec.version)',
    ],
    [
      'nobody asks',
      { offers: SHOP, installed: [anInstalled('shop 1.0.0')] },
      'shop 1.1.0',
      'nobody asks for it to change',
    ],
    [
      'it is a pre-release',
      { offers: SHOP, asked: [anAsk('shop')] },
      'shop 2.0.0-rc.1',
      '2.0.0-rc.1 is a pre-release, and nobody asks for one',
    ],
    [
      'it would cost a package that is asked for first',
      {
        offers: [
          anOffer('a 1.0.0'),
          anOffer('a 2.0.0', { conflicts: ['new'] }),
          anOffer('shop 1.0.0'),
          anOffer('shop 2.0.0', { requires: ['new'] }),
          anOffer('new 1.0.0'),
        ],
        asked: [anAsk('a'), anAsk('shop')],
      },
      'shop 2.0.0',
      'a 2.0.0 conflicts with new 1.0.0',
    ],
    [
      'it would change what nobody asks about',
      {
        offers: [
          anOffer('shop 1.0.0', { requires: ['lib'] }),
          anOffer('lib 1.0.0'),
          anOffer('lib 2.0.0', { requires: ['base >=2'] }),
          anOffer('base 2.0.0'),
        ],
        installed: [anInstalled('base 1.0.0')],
        asked: [anAsk('shop')],
      },
      'lib 2.0.0',
      'it would take base in another version, and those go first',
    ],
  ])('a newer version is not taken: %s', (_what, question, version, sentence) => {
    const [name = '', number = ''] = version.split(' ');
    const newer = packagesOf(question).get(name)?.newer;
    expect(newer?.version).toBe(number);
    expect(newer?.because).toContain(sentence);
  });

  it('F87 a number that is glued to a word is older than it looks, and the plan says which version was not taken', () => {
    const offers = [anOffer('shop 1.0.0-alpha99'), anOffer('shop 1.0.0-alpha100')];
    expect(outcomeOf({ offers, asked: [anAsk('shop')] })).toEqual(['shop install 1.0.0-alpha99']);
  });
});

describe('what nothing fits', () => {
  it('is said as who wants what, and not one demand too many', () => {
    const request = {
      offers: [
        anOffer('shop 2.0.0', { requires: ['base >=2', 'other'] }),
        anOffer('base 2.1.0'),
        anOffer('other 1.0.0'),
      ],
      installed: [
        anInstalled('billing 1.0.0', { requires: ['base <2'] }),
        anInstalled('base 1.4.0'),
        anInstalled('bystander 1.0.0', { requires: ['base'] }),
      ],
      asked: [anAsk('shop'), anAsk('other')],
    };
    expect(sentencesOf(request)).toEqual([
      'shop is asked for',
      'billing 1.0.0 (installed) requires base <2',
      'shop 2.0.0 requires base >=2',
      'of base there is 1.4.0 (installed) and 2.1.0 on offer',
    ]);
  });

  it.each<readonly [string, Partial<VersionRequest>, readonly string[]]>([
    ['a name that nobody offers', { asked: [anAsk('shop')] }, ['shop is asked for', 'nothing on offer is named shop']],
    [
      'a requirement that nobody offers',
      { offers: [anOffer('shop 1.0.0', { requires: ['base'] })], asked: [anAsk('shop')] },
      ['shop is asked for', 'shop 1.0.0 requires base', 'nothing on offer is named base'],
    ],
    [
      'a capability that nobody provides',
      { offers: [anOffer('shop 1.0.0', { requires: ['cap:ingress'] })], asked: [anAsk('shop')] },
      ['shop is asked for', 'shop 1.0.0 requires capability ingress', 'nothing on offer provides ingress'],
    ],
    [
      'an API that is not served',
      { offers: [anOffer('shop 1.0.0', { requires: ['cap:api:example.org/v1'] })], asked: [anAsk('shop')] },
      [
        'shop is asked for',
        'shop 1.0.0 requires capability api:example.org/v1, which the API server does not serve',
        'nothing on offer provides api:example.org/v1',
      ],
    ],
    [
      'a variant that no version has',
      { offers: [anOffer('shop 1.0.0')], asked: [anAsk('shop', { variant: 'tiny' })] },
      ['shop is asked for', 'shop 1.0.0 on offer has no variant tiny'],
    ],
    [
      'a constraint that nothing satisfies',
      { offers: SHOP, asked: [anAsk('shop@>=3')] },
      ['shop@>=3 is asked for', 'of shop there is 1.0.0, 1.1.0 and 2.0.0-rc.1 on offer'],
    ],
    [
      'many versions, in few words',
      {
        offers: [1, 2, 3, 4, 5, 6].map((minor) => anOffer(`shop 1.${String(minor)}.0`, { requires: ['gone'] })),
        asked: [anAsk('shop')],
      },
      ['shop is asked for', 'shop 1.1.0 to 1.6.0 (6 versions) require gone', 'nothing on offer is named gone'],
    ],
    [
      'an optional requirement',
      {
        offers: [anOffer('shop 1.0.0', { requires: ['?base >=2'] })],
        installed: [anInstalled('base 1.0.0')],
        asked: [anAsk('shop')],
      },
      ['shop is asked for', 'shop 1.0.0 requires base >=2 where base is installed'],
    ],
  ])('%s', (_what, request, sentences) => {
    expect(sentencesOf(request)).toEqual(sentences);
  });
});
