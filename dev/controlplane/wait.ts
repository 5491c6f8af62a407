import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from './user-error.ts';

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly pollMs?: number;
  readonly what: string;
}

/** Polls until the check is true. A check that throws counts as "not yet"; its last error is told at the end. */
export async function waitUntil(check: () => Promise<boolean>, options: WaitOptions): Promise<void> {
  const deadline = Date.now() + options.timeoutMs;
  let last = 'it was never so';
  while (Date.now() < deadline) {
    try {
      if (await check()) return;
    } catch (error) {
      if (error instanceof GiveUp) throw error.reason;
      last = error instanceof Error ? error.message : String(error);
    }
    await delay(options.pollMs ?? 50);
  }
  throw new UserError(
    `${options.what} did not come within ${String(options.timeoutMs / 1000)} s (${last}).`,
    'A machine that is very busy may be the reason. Otherwise start it with logs that are kept (logDir, --logs=DIR) and read them.',
  );
}

/** Thrown by a check when waiting longer is pointless. */
export class GiveUp extends Error {
  readonly reason: Error;

  constructor(reason: Error) {
    super(reason.message);
    this.reason = reason;
  }
}
