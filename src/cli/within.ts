import { KubepkgError } from '../api/errors.ts';
import { formatDuration } from '../lib/duration.ts';
import type { Clock } from './host.ts';

/** What a promise gives, or a failure when it takes too long; the work itself is not stopped. */
export function within<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => {
      reject(new KubepkgError('ApiTimeout', `no answer within ${formatDuration(ms)}`));
    });
    promise.then(resolve, reject).finally(() => {
      timer.cancel();
    });
  });
}
