import { describe, expect, it } from 'vitest';
import { anAsk, anInstalled, anOffer, aRequest } from '../../../../test/build/version-request.ts';
import { SEARCH_LIMITS, type OfferedVersion, type VersionRequest } from './request.ts';
import { resolveVersions } from './resolve-versions.ts';

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

interface ChainShape {
  readonly length: number;
  readonly versions: number;
  /** What the last one requires. */
  readonly end: readonly string[];
}

/** `p0` requires `p1`, and so on, in every version. */
function chain({ length, versions, end }: ChainShape): readonly OfferedVersion[] {
  return numbers(length).flatMap((place) => {
    const requires = place + 1 < length ? [`p${String(place + 1)}`] : end;
    return numbers(versions).map((minor) => anOffer(`p${String(place)} 1.${String(minor)}.0`, { requires }));
  });
}

/** More pigeons than holes: no reasoning about one pigeon at a time finds out quickly. */
function pigeons(count: number): VersionRequest {
  const offers = numbers(count).flatMap((pigeon) =>
    numbers(count - 1).map((hole) => {
      const place = `hole-${String(hole)}`;
      return anOffer(`pigeon-${String(pigeon)} 1.${String(hole)}.0`, { provides: [place], conflicts: [place] });
    }),
  );
  return aRequest({ offers, asked: numbers(count).map((pigeon) => anAsk(`pigeon-${String(pigeon)}`)) });
}

describe('common questions take few choices back', () => {
  it('a chain of two thousand packages takes none back', () => {
    const answer = resolveVersions(
      aRequest({ offers: chain({ length: 2000, versions: 3, end: [] }), asked: [anAsk('p0')] }),
    );
    expect(answer).toMatchObject({ kind: 'resolved', steps: 0 });
    expect(answer.kind === 'resolved' ? answer.packages.length : 0).toBe(2000);
  });

  it('a chain with a gap at its end fails once, in all versions at a time', () => {
    const offers = chain({ length: 60, versions: 100, end: ['gone'] });
    expect(resolveVersions(aRequest({ offers, asked: [anAsk('p0')] }))).toMatchObject({ kind: 'impossible', steps: 1 });
  });

  it('versions that exclude each other pairwise cost one step each at most', () => {
    const offers = numbers(100).flatMap((minor) => [
      anOffer(`a 1.${String(minor)}.0`, { requires: [`b =1.${String(minor)}.0`] }),
      anOffer(`b 1.${String(minor)}.0`, { requires: minor === 0 ? [] : ['c <1'] }),
    ]);
    const answer = resolveVersions(aRequest({ offers: [...offers, anOffer('c 1.0.0')], asked: [anAsk('a')] }));
    expect(answer).toMatchObject({ kind: 'resolved' });
    expect(answer.steps).toBeLessThanOrEqual(100);
  });

  it('a thousand installed packages that all require one hold it where it fits them', () => {
    const installed = numbers(1000).map((each) => anInstalled(`i${String(each)} 1.0.0`, { requires: ['base <3'] }));
    const offers = [
      anOffer('shop 1.0.0', { requires: ['base >=2'] }),
      ...['2.0.0', '2.5.0', '3.0.0'].map((version) => anOffer(`base ${version}`)),
      ...numbers(1000).map((each) => anOffer(`i${String(each)} 2.0.0`)),
    ];
    const request = aRequest({ installed: [...installed, anInstalled('base 1.0.0')], offers, asked: [anAsk('shop')] });
    const answer = resolveVersions(request);
    expect(answer.steps).toBeLessThanOrEqual(1000);
    expect(answer.kind === 'resolved' ? answer.packages.filter(({ action }) => action !== 'keep') : []).toMatchObject([
      { name: 'base', to: '2.5.0' },
      { name: 'shop', to: '1.0.0' },
    ]);
  });

  it('a thousand requirers and a thousand versions of one package', () => {
    const requires = numbers(1000).map((each) => `d${String(each)}`);
    const offers = [
      anOffer('root 1.0.0', { requires }),
      ...requires.map((name, each) => anOffer(`${name} 1.0.0`, { requires: [`base >=1.${String(each % 300)}.0`] })),
      ...numbers(1000).map((minor) => anOffer(`base 1.${String(minor)}.0`)),
    ];
    expect(resolveVersions(aRequest({ offers, asked: [anAsk('root')] }))).toMatchObject({ kind: 'resolved', steps: 0 });
  });
});

describe('hostile questions end', () => {
  it.each([12, 20])('%i pigeons are given up before the limit of steps is passed', (count) => {
    const answer = resolveVersions(pigeons(count));
    expect(answer.kind).toBe('exhausted');
    expect(answer.steps).toBeLessThanOrEqual(SEARCH_LIMITS.steps + 1);
  });

  it('few pigeons are counted out', () => {
    expect(resolveVersions(pigeons(5)).kind).toBe('impossible');
  });

  it('the limit of steps is kept to the step', () => {
    const limits = { steps: 10, work: Number.MAX_SAFE_INTEGER };
    expect(resolveVersions({ ...pigeons(12), limits })).toEqual({ kind: 'exhausted', steps: 11 });
  });

  it('so is the limit of work, where no choice is taken back', () => {
    const offers = chain({ length: 2000, versions: 3, end: [] });
    const request = aRequest({ offers, asked: [anAsk('p0')], limits: { steps: 10, work: 1000 } });
    expect(resolveVersions(request)).toEqual({ kind: 'exhausted', steps: 0 });
  });

  it('packages that all exclude each other are told by two of them', () => {
    const exclusive = { provides: ['only-one'], conflicts: ['only-one'] };
    const names = numbers(300).map((each) => `c${String(each)}`);
    const offers = names.map((name) => anOffer(`${name} 1.0.0`, exclusive));
    const answer = resolveVersions(aRequest({ offers, asked: names.map((name) => anAsk(name)) }));
    expect(answer.kind === 'impossible' ? answer.demands.map(({ kind }) => kind) : []).toEqual([
      'asked',
      'asked',
      'conflicts',
    ]);
  });
});
