import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { expectGolden } from '../test/golden/expect-golden.ts';
import { compareRow, generateReadinessDifferences, type GoldenRow } from './generate-readiness-differences.ts';
import { READINESS_DIFFERENCES } from './readiness-differences.ts';

const GOLDEN = new URL('../test/golden/data/kstatus.json', import.meta.url);
const { rows } = JSON.parse(readFileSync(GOLDEN, 'utf8')) as { readonly rows: readonly GoldenRow[] };

describe('readiness compared with kstatus, Flux and Helm', () => {
  const excused = READINESS_DIFFERENCES.flatMap((difference) => difference.rows);

  it('P6 equals the strictest of their verdicts on all 346 objects, or a rule asks for the difference', () => {
    const differing = rows.map(compareRow).filter((row) => row.ours !== row.strictest && !excused.includes(row.name));
    expect(differing).toEqual([]);
    expect(rows.length).toBe(346);
  });

  it('excuses each row once, and none that does not differ', () => {
    const differing = rows.map(compareRow).filter((row) => row.ours !== row.strictest);
    expect([...excused].sort()).toEqual(differing.map((row) => row.name).sort());
  });

  it('is described by the page as generated', () => {
    expectGolden('docs/reference/readiness-differences.md', generateReadinessDifferences(rows));
  });
});
