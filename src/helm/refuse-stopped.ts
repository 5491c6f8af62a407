import { KubepkgError } from '../api/errors.ts';

/** Fails with `HelmKilled` once a step was told to stop; `what` it is stopped before: nothing of it was done yet. */
export function refuseStopped(signal: AbortSignal, what: string): void {
  if (signal.aborted) throw new KubepkgError('HelmKilled', `stopped before ${what}`);
}
