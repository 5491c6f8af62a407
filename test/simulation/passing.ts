import { KubepkgError } from '../../src/api/errors.ts';

/** Of a question whose asker is dead. */
export function never<T>(): Promise<T> {
  return new Promise<T>(() => undefined);
}

const ERRORS = [
  () => new KubepkgError('ApiTimeout', 'no answer in time'),
  () => new KubepkgError('ApiServerError', 'internal error'),
  () => new KubepkgError('ApiThrottled', 'slow down', { retryAfterMs: 1500 }),
  () => new KubepkgError('ApiUnreachable', 'connection refused'),
] as const;

export const PASSING_ERRORS = ERRORS.length;

/** Errors that pass, by number. */
export function passingError(number: number): KubepkgError {
  const make = ERRORS[number % ERRORS.length] ?? ERRORS[0];
  return make();
}
