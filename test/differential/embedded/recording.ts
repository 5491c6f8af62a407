import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip, createGzip } from 'node:zlib';
import type { Played } from './play.ts';
import type { Sequence } from './request.ts';

/** What the real API server answered to a sequence. */
export interface Recorded {
  readonly sequence: Sequence;
  readonly namespace: string;
  readonly played: Played;
}

export interface Recording {
  add(recorded: Recorded): void;
  close(): Promise<void>;
}

export function openRecording(file: string): Recording {
  const zip = createGzip();
  const out = createWriteStream(file);
  zip.pipe(out);
  return {
    add: (recorded) => {
      zip.write(`${JSON.stringify(recorded)}\n`);
    },
    close: async () => {
      zip.end();
      await once(out, 'finish');
    },
  };
}

export async function* readRecording(file: string): AsyncIterable<Recorded> {
  const lines = createInterface({ input: createReadStream(file).pipe(createGunzip()) });
  for await (const line of lines) yield JSON.parse(line) as Recorded;
}
