import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileCel } from '../../src/lib/cel/cel.ts';
import {
  type CelGolden,
  describeCelDifferences,
  NOT_READ,
  OTHER_RESULTS,
  refusalOf,
  resultOf,
} from './cel-differences.ts';
import { expectGolden } from './expect-golden.ts';

const GOLDEN = new URL('data/cel.json', import.meta.url);
const golden = JSON.parse(readFileSync(GOLDEN, 'utf8')) as CelGolden;

describe("CEL compared with Flux's", () => {
  it('P8 has the result of Flux on all 998 rows, or the difference is described', () => {
    const differing = golden.evaluate.filter((row) => resultOf(row) !== row.result).map((row) => row.exprs.current);
    expect(differing).toEqual(OTHER_RESULTS.flatMap(({ expressions }) => expressions));
    expect(golden.evaluate.length).toBe(998);
  });

  it('P8 accepts no expression that Flux cannot compile', () => {
    const wrong = golden.compile.filter(
      (row) => !row.ok && row.expr !== '' && compileCel(row.expr).kind === 'compiled',
    );
    expect(wrong).toEqual([]);
  });

  it('P8 accepts no expression whose types cannot fit', () => {
    const wrong = golden.compile.filter((row) => !row.okTyped && refusalOf(row.expr) === undefined);
    expect(wrong).toEqual([]);
  });

  it('P8 refuses no expression whose types fit, but those that are described', () => {
    const refused = golden.compile.filter((row) => row.okTyped && refusalOf(row.expr) !== undefined);
    expect(refused.map((row) => row.expr)).toEqual(NOT_READ.flatMap(({ expressions }) => expressions));
  });

  it('says where an expression is wrong', () => {
    const refusals = golden.compile.flatMap((row) => refusalOf(row.expr) ?? []);
    expect(refusals.filter((message) => !/^\d+:\d+: ./.test(message))).toEqual([]);
  });

  it('is described by the page as generated', () => {
    expectGolden('docs/reference/cel-differences.md', describeCelDifferences(golden));
  });
});
