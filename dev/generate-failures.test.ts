import { describe, expect, it } from 'vitest';
import { expectGolden } from '../test/golden/expect-golden.ts';
import { FAILURES, failuresPage, statusOf, tellingLine } from './generate-failures.ts';

describe('the page of failures', () => {
  const all = FAILURES.flatMap(({ failures }) => failures);

  it.each(all)('kubepkg status names the deepest cause of $what', async (failure) => {
    const lines = await statusOf(failure);
    expect(lines[0]).toMatch(/^shop {2}(?:Progressing|Waiting|Failed) {2}/);
    expect(lines[0]).toContain(failure.cause);
    expect(tellingLine(lines, failure)).toContain(failure.cause);
  });

  it('has more than thirty of them, each another one', () => {
    expect(all.length).toBeGreaterThan(30);
    expect(new Set(all.map(({ what }) => what)).size).toBe(all.length);
    expect(new Set(all.map(({ cause }) => cause)).size).toBeGreaterThan(30);
  });

  it('docs/reference/failures.md is what the program prints', async () => {
    expectGolden('docs/reference/failures.md', await failuresPage());
  });
});
