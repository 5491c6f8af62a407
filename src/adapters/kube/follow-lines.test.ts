import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../test/fakes/clock.ts';
import { followLines } from './follow-lines.ts';

function follow(onLine: (line: string, stop: AbortController) => void): {
  readonly body: PassThrough;
  readonly stop: AbortController;
  readonly clock: VirtualClock;
  readonly end: Promise<void>;
} {
  const body = new PassThrough();
  const stop = new AbortController();
  const clock = new VirtualClock();
  const message = body as unknown as IncomingMessage;
  const stream = { status: 200, headers: {}, message, abort: () => body.destroy() };
  const options = { clock, signal: stop.signal, idleMs: 1000, maxLineBytes: 100 };
  const end = followLines(stream, {
    ...options,
    onLine: (line) => {
      onLine(line, stop);
    },
  });
  return { body, stop, clock, end };
}

describe('following a stream', () => {
  it('hands over no line after it was stopped, not even of the same chunk', async () => {
    const seen: string[] = [];
    const { body, clock, end } = follow((line, stop) => {
      seen.push(line);
      stop.abort();
    });
    body.write('one\ntwo\nthree\n');
    await end;
    expect(seen).toEqual(['one']);
    expect(body.destroyed).toBe(true);
    expect(clock.pending()).toEqual([]);
  });

  it('ends at once when it was stopped before', async () => {
    const stream = follow(() => undefined);
    stream.stop.abort();
    await stream.end;
    expect(stream.body.destroyed).toBe(true);
  });

  it('fails with what a line leads to, and looks at no further one', async () => {
    const seen: string[] = [];
    const { body, end } = follow((line) => {
      seen.push(line);
      throw new Error('unusable');
    });
    body.write('one\ntwo\n');
    await expect(end).rejects.toThrow('unusable');
    expect(seen).toEqual(['one']);
  });
});
