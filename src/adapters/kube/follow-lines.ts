import { KubepkgError } from '../../api/errors.ts';
import type { Clock, Timer } from '../../ports/system.ts';
import type { HttpStream } from './exchange.ts';
import { LineSplitter } from './line-splitter.ts';
import { networkError } from './network-errors.ts';

export interface FollowOptions {
  readonly clock: Clock;
  /** Ends the following without an error, and without another line. */
  readonly signal: AbortSignal;
  /** A connection that is silent for longer is taken for dead: a half-open one never says so itself. */
  readonly idleMs: number;
  readonly maxLineBytes: number;
  onLine(line: string): void;
}

/** Hands over line after line. Resolves when the other side ends the stream, rejects when it breaks or a line cannot be used. */
export function followLines(stream: HttpStream, options: FollowOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    new Follower(stream, options, (error) => {
      if (error === undefined) resolve();
      else reject(error);
    }).start();
  });
}

class Follower {
  readonly #stream: HttpStream;
  readonly #options: FollowOptions;
  readonly #settle: (error: Error | undefined) => void;
  readonly #splitter: LineSplitter;
  readonly #onAbort = (): void => {
    this.#finish(undefined);
  };
  #idle: Timer | undefined;
  #finished = false;

  constructor(stream: HttpStream, options: FollowOptions, settle: (error: Error | undefined) => void) {
    this.#stream = stream;
    this.#options = options;
    this.#settle = settle;
    this.#splitter = new LineSplitter(options.maxLineBytes);
  }

  start(): void {
    const { message } = this.#stream;
    this.#options.signal.addEventListener('abort', this.#onAbort, { once: true });
    message.on('data', (chunk: Buffer) => {
      this.#take(chunk);
    });
    message.on('end', () => {
      this.#finish(undefined);
    });
    message.on('error', (error) => {
      this.#finish(networkError('to a watch', error));
    });
    this.#watchForSilence();
    if (this.#options.signal.aborted) this.#finish(undefined);
  }

  #take(chunk: Buffer): void {
    try {
      this.#watchForSilence();
      for (const line of this.#splitter.push(chunk)) {
        if (this.#finished) return;
        this.#options.onLine(line);
      }
    } catch (error) {
      this.#finish(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #watchForSilence(): void {
    if (this.#finished) return;
    this.#idle?.cancel();
    const { clock, idleMs } = this.#options;
    this.#idle = clock.after(idleMs, () => {
      const text = `a watch was silent for ${String(idleMs / 1000)} s`;
      this.#finish(new KubepkgError('ApiTimeout', text, { hint: 'it is opened again' }));
    });
  }

  #finish(error: Error | undefined): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#idle?.cancel();
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    this.#stream.abort();
    this.#settle(error);
  }
}
