import { Readable } from 'node:stream';
import { type ArchiveContent, type ReadOptions, readArchive } from './archive.ts';
import { chartInvalid } from './chart-problems.ts';

const MAX_NESTING = 5;

/** What may still be unpacked of a chart and of all that is packed inside it, at whatever depth: one for all of them. */
export interface Allowance {
  unpackedBytes: number;
}

/** How many charts the archive lies in, counted from the one that is in none. */
export interface Nesting {
  readonly depth: number;
  readonly allowance: Allowance;
}

/** Reads a chart that is packed inside another one, within the limits of the whole. */
export async function readPackedSubchart(
  packed: Buffer,
  { depth, allowance }: Nesting,
  options: ReadOptions,
): Promise<ArchiveContent> {
  if (depth > MAX_NESTING) {
    throw chartInvalid(options.subject, 'subcharts are packed too deeply inside one another');
  }
  const limits = { ...options.limits, unpackedBytes: allowance.unpackedBytes };
  const content = await readArchive(Readable.from([packed]), { ...options, limits });
  allowance.unpackedBytes -= content.unpackedBytes;
  return content;
}
