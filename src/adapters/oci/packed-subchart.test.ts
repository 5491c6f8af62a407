import { describe, expect, it } from 'vitest';
import { chartArchive, entriesOf, tgzOf } from '../../../test/build/archives.ts';
import { CHART_LIMITS } from './limits.ts';
import { readPackedSubchart } from './packed-subchart.ts';

const OPTIONS = { limits: CHART_LIMITS, subject: 'chart web: charts/db.tgz', wants: () => true };
/** Four blocks: a header, a file, and the two that end an archive. */
const BYTES = 2048;
const SMALL = tgzOf(entriesOf({ 'db/Chart.yaml': 'name: db\n' }));

describe('charts that are packed inside a chart', () => {
  it('share what may be unpacked of it', async () => {
    const nesting = { depth: 1, allowance: { unpackedBytes: 2 * BYTES } };
    for (const deeper of [nesting, { ...nesting, depth: 2 }]) await readPackedSubchart(SMALL, deeper, OPTIONS);
    await expect(readPackedSubchart(SMALL, nesting, OPTIONS)).rejects.toMatchObject({ code: 'ArchiveTooLarge' });
  });

  it.each([
    [5, 'read'],
    [6, 'ChartInvalid'],
  ])('are, %i of them inside one another, %s', async (depth, expected) => {
    const reading = readPackedSubchart(chartArchive(), { depth, allowance: { unpackedBytes: 1e6 } }, OPTIONS);
    expect(
      await reading.then(
        () => 'read',
        (error: unknown) => (error as { code: string }).code,
      ),
    ).toBe(expected);
  });
});
