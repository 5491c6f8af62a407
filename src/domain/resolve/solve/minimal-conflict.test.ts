import { describe, expect, it } from 'vitest';
import { anOffer, aRequest } from '../../../../test/build/version-request.ts';
import { Budget } from './budget.ts';
import { Catalog } from './catalog.ts';
import { ABSENT, type Clause, factClause } from './clause.ts';
import { minimalConflict } from './minimal-conflict.ts';
import { SEARCH_LIMITS } from './request.ts';

const OFFERS = ['a', 'b', 'c'].flatMap((name) => ['1.0.0', '2.0.0'].map((version) => anOffer(`${name} ${version}`)));
/** Newest first. */
const [TWO, ONE] = [2n, 4n];

function is(name: string, set: bigint): Clause {
  return factClause({ kind: 'asked', name, constraint: '' }, [{ name, set }]);
}

function implies(name: string, set: bigint, [other, others]: readonly [string, bigint]): Clause {
  const requirement = { package: other };
  const literals = [
    { name, set: (ABSENT | ONE | TWO) & ~set },
    { name: other, set: others },
  ];
  return factClause({ kind: 'requires', name, candidates: set, requirement }, literals);
}

function minimal(facts: readonly Clause[], work = SEARCH_LIMITS.work): readonly Clause[] {
  const budget = new Budget({ steps: SEARCH_LIMITS.steps, work });
  return minimalConflict(facts, { catalog: new Catalog(aRequest({ offers: OFFERS }), budget), budget });
}

describe('of facts that contradict each other', () => {
  const core = [is('a', TWO), implies('a', TWO, ['b', TWO]), is('b', ONE)];
  const others = [is('c', ONE), implies('a', ONE, ['b', TWO]), is('b', ONE | TWO), implies('b', ONE, ['c', ONE])];

  it.each([
    ['come first', [...others, ...core]],
    ['come last', [...core, ...others]],
    ['stand between', core.flatMap((fact, place) => [fact, ...others.slice(place, place + 2)])],
  ])('those that do not matter are left out where they %s', (_where, facts) => {
    expect(new Set(minimal(facts))).toEqual(new Set(core));
  });

  it('all stay when every one of them matters', () => {
    expect(minimal(core)).toEqual(core);
  });

  it('all stay when there is no time to try', () => {
    expect(minimal([...others, ...core], -1)).toEqual([...others, ...core]);
  });
});
