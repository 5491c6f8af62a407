import { EXIT, type ExitCode } from '../exit-codes.ts';
import { errorLines } from '../failure.ts';
import type { CliHost, Cluster } from '../host.ts';
import { changesTable, type PackageChange } from '../install/changes.ts';
import { readInput } from '../install/input.ts';
import { operatorDoubt } from '../install/operator-alive.ts';
import { outcomeOf } from '../install/outcome.ts';
import { planInstall } from '../install/plan.ts';
import { type AppliedPackage, applyAll } from '../install/planned.ts';
import { type DataFormat, formatObjects } from '../output-format.ts';
import { awaitPackages } from '../watch/await-packages.ts';
import { createDisplay } from '../watch/progress-display.ts';
import { writeLines } from '../write-lines.ts';
import { type GlobalFlags, paintFor, withCluster } from './context.ts';

export interface InstallFlags extends GlobalFlags {
  readonly file?: readonly string[] | undefined;
  readonly variant?: string | undefined;
  readonly values?: readonly string[] | undefined;
  readonly timeout?: string | undefined;
  readonly wait: boolean;
  readonly waitTimeout?: string | undefined;
  readonly yes?: boolean | undefined;
  readonly output?: DataFormat | undefined;
}

interface Written {
  readonly cluster: Cluster;
  readonly applied: readonly AppliedPackage[];
  readonly waitMs: number;
}

/** Applies what is asked for, and waits until it is ready or has failed. */
export async function runInstall(host: CliHost, packages: readonly string[], flags: InstallFlags): Promise<ExitCode> {
  const words = { ...flags, packages, files: flags.file ?? [], values: flags.values ?? [] };
  const input = await readInput(host, words);
  return withCluster(host, flags, async ({ cluster }) => {
    const plan = await planInstall(cluster, input);
    if (!(await isConfirmed(host, flags, plan.changes))) return declined(host);
    const applied = await applyAll(cluster, { ...plan, now: host.clock.now() });
    await warnWithoutOperator(host, flags, cluster);
    if (flags.wait) return waitForAll(host, flags, { cluster, applied, waitMs: input.waitMs });
    return showApplied(host, flags, applied);
  });
}

/** Where nobody can be asked, what was asked for is done. */
async function isConfirmed(host: CliHost, flags: InstallFlags, changes: readonly PackageChange[]): Promise<boolean> {
  writeLines(host.stderr, changesTable(changes));
  if (flags.yes === true || changes.every(({ action }) => action === 'keep')) return true;
  const answer = await host.ask('Continue? [Y/n] ');
  return answer === undefined || /^(y|yes)?$/i.test(answer.trim());
}

function declined(host: CliHost): ExitCode {
  writeLines(host.stderr, ['nothing was changed']);
  return EXIT.interrupted;
}

async function warnWithoutOperator(host: CliHost, flags: InstallFlags, cluster: Cluster): Promise<void> {
  const doubt = await operatorDoubt(cluster, host.clock.now());
  if (doubt === undefined) return;
  const warning = paintFor(host, flags, 'stderr')('yellow', 'warning:');
  writeLines(host.stderr, [`${warning} no operator seems to be running: ${doubt}; nothing happens until one does`]);
}

async function waitForAll(host: CliHost, flags: InstallFlags, written: Written): Promise<ExitCode> {
  const { cluster, applied, waitMs } = written;
  const paint = paintFor(host, flags, 'stderr');
  const display = createDisplay(host, host.stderr, paint);
  const packages = applied.map(({ awaited }) => awaited);
  const result = await awaitPackages(host, { cluster, packages, timeoutMs: waitMs, display });
  const outcome = outcomeOf(result, waitMs);
  const objects = result.packages.flatMap((one) => one.package ?? []);
  if (flags.output === undefined) writeLines(host.stdout, outcome.results);
  else host.stdout.write(formatObjects(objects, flags.output));
  for (const { error, hint } of outcome.problems) writeLines(host.stderr, errorLines(paint, error, hint));
  return outcome.exitCode;
}

function showApplied(host: CliHost, flags: InstallFlags, applied: readonly AppliedPackage[]): ExitCode {
  const objects = applied.map(({ object }) => object);
  const lines = applied.map(({ awaited }) => `${awaited.name} applied`);
  if (flags.output === undefined) writeLines(host.stdout, lines);
  else host.stdout.write(formatObjects(objects, flags.output));
  return EXIT.ok;
}
