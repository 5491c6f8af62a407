import { KubepkgError } from '../../api/errors.ts';
import { parseDuration } from '../../lib/duration.ts';
import type { GlobalFlags } from '../commands/context.ts';
import { DEFAULT_WAIT_MS } from '../install/input.ts';
import { requireDuration } from '../install/package-argument.ts';
import type { OutputFormat } from '../output-format.ts';

/** What every command has that changes what runs. */
export interface ChangeFlags extends GlobalFlags {
  readonly dryRun?: boolean | undefined;
  readonly wait: boolean;
  readonly timeout?: string | undefined;
  readonly yes?: boolean | undefined;
  readonly output: OutputFormat;
}

/** How long to wait; nothing at all is what `--no-wait` is for. */
export function waitMsOf({ timeout }: Pick<ChangeFlags, 'timeout'>): number {
  if (timeout === undefined) return DEFAULT_WAIT_MS;
  if (parseDuration(timeout) !== 0) return requireDuration('--timeout', timeout);
  throw new KubepkgError('InvalidInput', `--timeout ${timeout} leaves no time to wait`, {
    hint: 'to return when it is written, use --no-wait',
  });
}
