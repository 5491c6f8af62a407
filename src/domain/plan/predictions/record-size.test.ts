import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { componentFacts, findingsOf } from '../../../../test/build/plan-facts.ts';
import type { RecordFacts } from './facts.ts';

function codesOf(record: RecordFacts | undefined): readonly string[] {
  return findingsOf([componentFacts([], { record })]).map(({ code }) => code);
}

const KIB = 1024;

describe('a release record', () => {
  it.each([
    ['of an ordinary chart', 5 * KIB, 30 * KIB, []],
    ['of a large chart', 300 * KIB, 1000 * KIB, []],
    ['that comes near the limit', 700 * KIB, 100 * KIB, ['ReleaseNearLimit']],
    ['F91 of more than fits', 1100 * KIB, 0, ['ReleaseTooLarge']],
    ['of a manifest that may be as large as a record', 10 * KIB, 9000 * KIB, ['ReleaseNearLimit']],
  ])('%s', (_name, chartBytes, textBytes, expected) => {
    expect(codesOf({ chartBytes, textBytes, largest: [] })).toEqual(expected);
  });

  it('is of no size where the backend keeps none', () => {
    expect(codesOf(undefined)).toEqual([]);
  });

  it('F91 is told with its size and the largest files', () => {
    const largest = [{ path: 'files/dump.bin', bytes: 2 * KIB * KIB }];
    const [finding] = findingsOf([componentFacts([], { record: { chartBytes: 1100 * KIB, textBytes: 0, largest } })]);
    expect(finding?.message).toBe(
      'its release record would have at least 1.43 MiB, and a Secret holds 1 MiB; its largest files: files/dump.bin (2.00 MiB)',
    );
  });

  it.each([
    [700, false],
    [760, false],
    [800, true],
    [1400, true],
  ])('F91 of %i KiB that nothing compresses is judged as helm would pack it', (kib, isTooLarge) => {
    const blocks = Array.from({ length: kib * 32 }, (_none, index) =>
      createHash('sha256').update(String(index)).digest(),
    );
    const file = Buffer.concat(blocks);
    const record = JSON.stringify({ chart: { files: [{ name: 'noise', data: file.toString('base64') }] } });
    const stored = gzipSync(record, { level: 9 }).toString('base64');
    expect(stored.length > KIB * KIB).toBe(isTooLarge);
    const chartBytes = gzipSync(file).length;
    expect(codesOf({ chartBytes, textBytes: 0, largest: [] }).includes('ReleaseTooLarge')).toBe(isTooLarge);
  });
});
