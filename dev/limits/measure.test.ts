import { describe, expect, it } from 'vitest';
import { longest, measureFunctions, percentile } from './measure.ts';

const TEXT = `export function outer(): void {
  const inner = (): number =>
    1;
  inner();
}

export class Queue {
  constructor() {
    outer();
  }

  get size(): number { return 0; }
}

interface Declared {
  method(): void;
}

[1].map((each) => each);
`;

describe('measureFunctions', () => {
  it('finds functions, arrows, methods and accessors, but no declarations without a body', () => {
    expect(measureFunctions('a.ts', TEXT)).toEqual([
      { name: 'outer', place: 'a.ts:1', lines: 5 },
      { name: 'inner', place: 'a.ts:2', lines: 2 },
      { name: 'constructor', place: 'a.ts:8', lines: 3 },
      { name: 'size', place: 'a.ts:12', lines: 1 },
      { name: '(anonymous)', place: 'a.ts:19', lines: 1 },
    ]);
  });
});

const measures = [3, 1, 2, 40].map((lines) => ({ name: 'f', place: `a.ts:${String(lines)}`, lines }));

it('the longest come first', () => {
  expect(longest(measures, 2).map(({ lines }) => lines)).toEqual([40, 3]);
});

it.each([
  [50, 2],
  [95, 40],
  [100, 40],
])('%i per cent are no longer than %i', (percent, lines) => {
  expect(percentile(measures, percent)).toBe(lines);
});

it('nothing has the length zero', () => {
  expect(percentile([], 95)).toBe(0);
});
