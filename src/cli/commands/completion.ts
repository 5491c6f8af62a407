import { COMPLETION_SCRIPTS } from '../completion/scripts.ts';
import type { Shell } from '../completion/shells.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';

export function runCompletion(host: CliHost, shell: Shell): ExitCode {
  host.stdout.write(COMPLETION_SCRIPTS[shell]);
  return EXIT.ok;
}
