import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anAsk, anInstalled, anOffer, aRequest } from '../../../../test/build/version-request.ts';
import { everyWorld, isKept, ranksOf, violations, type World } from '../../../../test/build/every-world.ts';
import type { VersionAnswer } from './answer.ts';
import type { VersionRequest } from './request.ts';
import { resolveVersions } from './resolve-versions.ts';

const NAMES = ['a', 'b', 'c', 'd'] as const;
const VERSIONS = ['1.0.0', '1.1.0', '2.0.0', '3.0.0-rc.1'] as const;
const CONSTRAINTS = ['', '>=1.1', '<2', '>=2', '1.x', '=2.0.0', '>=2.0.0-0', '>9'] as const;
const CAPABILITIES = ['x', 'y'] as const;

const name = fc.constantFrom(...NAMES);
const requirement = fc
  .record({
    target: fc.oneof({ weight: 4, arbitrary: name }, fc.constantFrom('cap:x', 'cap:y', 'gone')),
    constraint: fc.constantFrom(...CONSTRAINTS),
    optional: fc.boolean(),
  })
  .map(({ target, constraint, optional }) => {
    const text = target.startsWith('cap:') || constraint === '' ? target : `${target} ${constraint}`;
    return optional ? `?${text}` : text;
  });
const parts = {
  requires: fc.array(requirement, { maxLength: 2 }),
  provides: fc.subarray([...CAPABILITIES], { maxLength: 1 }),
  conflicts: fc.array(fc.constantFrom(...NAMES, ...CAPABILITIES), { maxLength: 1 }),
};
const offer = fc
  .record({ name, version: fc.constantFrom(...VERSIONS), ...parts })
  .map(({ name: one, version, ...more }) => anOffer(`${one} ${version}`, more));
const offers = fc.uniqueArray(offer, {
  maxLength: 9,
  selector: (one) => `${one.name} ${one.version ?? ''}`,
});
const installed = fc.uniqueArray(
  fc
    .record({ name, version: fc.constantFrom(...VERSIONS), constraint: fc.constantFrom('', '<2', '>=1'), ...parts })
    .map(({ name: one, version, constraint, ...more }) =>
      anInstalled(`${one} ${version}`, { ...more, ...(constraint === '' ? {} : { constraint }) }),
    ),
  { maxLength: 3, selector: (one) => one.name },
);
const asked = fc.uniqueArray(
  fc
    .record({ name, constraint: fc.constantFrom(undefined, ...CONSTRAINTS.slice(1)), followsOffer: fc.boolean() })
    .map(({ name: one, constraint, followsOffer }) =>
      anAsk(constraint === undefined ? one : `${one}@${constraint}`, { followsOffer }),
    ),
  { maxLength: 2, selector: (one) => one.name },
);
const request = fc.record({ offers, installed, asked }).map((each) => aRequest(each));

function worldOf(answer: VersionAnswer): World | undefined {
  if (answer.kind !== 'resolved') return undefined;
  return new Map(answer.packages.map(({ name: one, to, action }) => [one, { version: to, kept: action === 'keep' }]));
}

function valid(question: VersionRequest): readonly World[] {
  return everyWorld(question).filter((world) => violations(question, world).length === 0);
}

const RUNS = { numRuns: 250 };

describe('whatever is asked', () => {
  it('an answer satisfies everybody', () => {
    fc.assert(
      fc.property(request, (question) => {
        const world = worldOf(resolveVersions(question));
        if (world !== undefined) expect(violations(question, world)).toEqual([]);
      }),
      RUNS,
    );
  });

  it('there is an answer exactly where trying everything finds one', () => {
    fc.assert(
      fc.property(request, (question) => {
        expect(resolveVersions(question).kind).toBe(valid(question).length > 0 ? 'resolved' : 'impossible');
      }),
      RUNS,
    );
  });

  it('what is asked for is as new as can be, by name; then what runs stays where it can', () => {
    fc.assert(
      fc.property(request, (question) => {
        const world = worldOf(resolveVersions(question));
        if (world === undefined) return;
        const best = valid(question)
          .map((one) => ranksOf(question, one))
          .sort(byRanks)[0];
        expect(ranksOf(question, world)).toEqual(best);
      }),
      RUNS,
    );
  });

  it('nothing is installed, or changed, that the rest does without', () => {
    fc.assert(
      fc.property(request, (question) => {
        const world = worldOf(resolveVersions(question));
        if (world === undefined) return;
        const askedFor = new Set(question.asked.map((one) => one.name));
        for (const one of world.keys()) {
          if (askedFor.has(one) || isKept(world, one)) continue;
          const without = new Map(world);
          const running = question.installed.find((each) => each.name === one)?.version;
          if (running === undefined) without.delete(one);
          else without.set(one, { version: running, kept: true });
          expect(violations(question, without)).not.toEqual([]);
        }
      }),
      RUNS,
    );
  });

  it('the order in which it is written has no influence', () => {
    const shuffled = request.chain((question) =>
      fc
        .tuple(
          fc.shuffledSubarray([...question.offers], { minLength: question.offers.length }),
          fc.shuffledSubarray([...question.installed], { minLength: question.installed.length }),
          fc.shuffledSubarray([...question.asked], { minLength: question.asked.length }),
        )
        .map(([otherOffers, otherInstalled, otherAsked]) => ({
          question,
          other: { ...question, offers: otherOffers, installed: otherInstalled, asked: otherAsked },
        })),
    );
    fc.assert(
      fc.property(shuffled, ({ question, other }) => {
        expect(resolveVersions(other)).toEqual(resolveVersions(question));
      }),
      RUNS,
    );
  });

  it('it is not changed by being asked, and the answer is plain data', () => {
    fc.assert(
      fc.property(request, (question) => {
        const before = structuredClone(question);
        const answer = resolveVersions(question);
        expect(question).toEqual(before);
        expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
      }),
      RUNS,
    );
  });
});

function byRanks(a: readonly number[], b: readonly number[]): number {
  const differing = a.findIndex((rank, index) => rank !== b[index]);
  return differing < 0 ? 0 : (a[differing] ?? 0) - (b[differing] ?? 0);
}
