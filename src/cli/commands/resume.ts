import type { ChangeFlags } from '../change/flags.ts';
import { setSuspend } from '../change/set-suspend.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';

/** The operator goes on where it stood, each component with the time that it had left. */
export function runResume(host: CliHost, packages: readonly string[], flags: ChangeFlags): Promise<ExitCode> {
  return setSuspend(host, { ...flags, packages }, { suspend: false, done: 'is resumed' });
}
