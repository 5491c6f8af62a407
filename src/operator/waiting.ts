import type { Clock } from '../ports/system.ts';

/** Resolves when the signal is given, or was given already. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true },
    );
  });
}

/** Resolves after that time, or at once when the signal is given. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      timer.cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.after(ms, done);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}

/** Waits for the work, but no longer than that; false: it is not done. */
export function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => {
      resolve(false);
    });
    work.then(
      () => {
        timer.cancel();
        resolve(true);
      },
      (error: unknown) => {
        timer.cancel();
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}
