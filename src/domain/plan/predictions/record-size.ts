import { eachComponent } from './each-object.ts';
import type { RecordFacts } from './facts.ts';

/** What a Secret holds at most. */
const LIMIT = 1024 * 1024;
const NEAR = 0.8;
/** Helm stores its record as base64 of gzip; of text, so little is left at the least, and so much as a rule. */
const BASE64 = 4 / 3;
const TEXT_AT_LEAST = 1 / 100;
const TEXT_AS_A_RULE = 1 / 10;
/** A chart's files stand in the record as base64 each, which compresses worse than the files themselves. */
const CHART_AS_A_RULE = 1.5;
const LARGEST = 3;

export const findTooLarge = eachComponent(({ record }) => {
  if (record === undefined || atLeast(record) <= LIMIT) return undefined;
  return {
    message: `its release record would have at least ${mebibytes(atLeast(record))}, and a Secret holds 1 MiB${largest(record)}`,
    remedy: 'take large files out of the chart, list them in .helmignore, or split the component',
  };
});

export const findNearLimit = eachComponent(({ record }) => {
  if (record === undefined || atLeast(record) > LIMIT || likely(record) <= LIMIT * NEAR) return undefined;
  return {
    message: `its release record will have about ${mebibytes(likely(record))}, and a Secret holds 1 MiB${largest(record)}`,
    remedy: 'take large files out of the chart, or list them in .helmignore, before it grows further',
  };
});

function atLeast({ chartBytes, textBytes }: RecordFacts): number {
  return (chartBytes + textBytes * TEXT_AT_LEAST) * BASE64;
}

function likely({ chartBytes, textBytes }: RecordFacts): number {
  return (chartBytes * CHART_AS_A_RULE + textBytes * TEXT_AS_A_RULE) * BASE64;
}

function largest({ largest: files }: RecordFacts): string {
  const names = files.slice(0, LARGEST).map(({ path, bytes }) => `${path} (${mebibytes(bytes)})`);
  return names.length === 0 ? '' : `; its largest files: ${names.join(', ')}`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(2)} MiB`;
}
