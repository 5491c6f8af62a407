export interface BackoffPolicy {
  /** Milliseconds before the first retry. */
  readonly baseMs: number;
  /** Milliseconds that no pause exceeds. */
  readonly maxMs: number;
}

/** Pause before retry number `failures` (1 is the first): doubling, capped, with up to a fifth of jitter taken off. */
export function backoffDelay(policy: BackoffPolicy, failures: number, random: number): number {
  const full = Math.min(policy.maxMs, policy.baseMs * 2 ** Math.max(0, failures - 1));
  return Math.round(full * (1 - 0.2 * random));
}
