import type { ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { type InstallFlags, runInstall } from './install.ts';

/** As `install`, for packages that are there. */
export function runUpgrade(host: CliHost, packages: readonly string[], flags: InstallFlags): Promise<ExitCode> {
  return runInstall(host, packages, { ...flags, mustExist: true });
}
