import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compareWith } from './compare.ts';
import { createEmbeddedSide } from './embedded-side.ts';
import { knownDifference } from './known.ts';
import { readRecording } from './recording.ts';
import { defineKinds } from './setup.ts';

/** What a real API server (Kubernetes 1.36.3) answered; `RECORD=FILE` of dev/differential makes such a file. */
const RECORDED = fileURLToPath(new URL('data/recorded.jsonl.gz', import.meta.url));

describe('the embedded API', () => {
  it('answers recorded sequences of requests as a real API server did', async () => {
    const embedded = createEmbeddedSide();
    await defineKinds(embedded, () => Promise.resolve());
    const differences: unknown[] = [];
    for await (const { sequence, namespace, played } of readRecording(RECORDED)) {
      const { difference } = await compareWith(sequence, embedded, { played, namespace }, 0);
      const isNew = difference !== undefined && knownDifference(difference, sequence) === undefined;
      if (isNew) differences.push({ seed: sequence.seed, ...difference });
    }
    expect(differences).toEqual([]);
  }, 60_000);
});
