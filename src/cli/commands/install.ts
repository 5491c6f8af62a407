import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost, Cluster } from '../host.ts';
import { changesTable, type PackageChange } from '../install/changes.ts';
import { readInput } from '../install/input.ts';
import { operatorDoubt } from '../install/operator-alive.ts';
import { outcomeOf } from '../install/outcome.ts';
import { planInstall } from '../install/plan.ts';
import { applyAll } from '../install/planned.ts';
import { type DataFormat, formatData, listOf, writeLines } from '../output-format.ts';
import { API_VERSION } from '../../api/names.ts';
import { awaitPackages } from '../watch/await-packages.ts';
import { createDisplay } from '../watch/progress-display.ts';
import type { Awaited } from '../watch/verdict.ts';
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

interface Applied {
  readonly cluster: Cluster;
  readonly awaited: readonly Awaited[];
  readonly waitMs: number;
}

/** Applies what is asked for, and waits until it is ready or has failed. */
export async function runInstall(host: CliHost, packages: readonly string[], flags: InstallFlags): Promise<ExitCode> {
  const words = { ...flags, packages, files: flags.file ?? [], values: flags.values ?? [] };
  const input = await readInput(host, words);
  return withCluster(host, flags, async ({ cluster }) => {
    const plan = await planInstall(cluster, input);
    if (!(await isConfirmed(host, flags, plan.changes))) return declined(host);
    const awaited = await applyAll(cluster, { ...plan, now: host.clock.now() });
    await warnWithoutOperator(host, flags, cluster);
    const applied = { cluster, awaited, waitMs: input.waitMs };
    return flags.wait ? waitForAll(host, flags, applied) : showApplied(host, flags, applied);
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

async function waitForAll(
  host: CliHost,
  flags: InstallFlags,
  { cluster, awaited, waitMs }: Applied,
): Promise<ExitCode> {
  const paint = paintFor(host, flags, 'stderr');
  const display = createDisplay(host, host.stderr, paint);
  const result = await awaitPackages(host, { cluster, packages: awaited, timeoutMs: waitMs, display });
  const outcome = outcomeOf(result, waitMs);
  if (flags.output === undefined) writeLines(host.stdout, outcome.results);
  else
    writeObjects(
      host,
      flags.output,
      result.packages.map((one) => one.package),
    );
  for (const { error, hint } of outcome.problems) {
    const hints = hint === undefined ? [] : [`${paint('cyan', 'hint:')} ${hint}`];
    writeLines(host.stderr, [`${paint('red', 'error:')} ${error}`, ...hints]);
  }
  return outcome.exitCode;
}

async function showApplied(host: CliHost, flags: InstallFlags, { cluster, awaited }: Applied): Promise<ExitCode> {
  if (flags.output === undefined) {
    writeLines(
      host.stdout,
      awaited.map(({ name }) => `${name} applied`),
    );
    return EXIT.ok;
  }
  const refs = awaited.map(({ name }) => ({ apiVersion: API_VERSION, kind: 'Package', name }));
  writeObjects(host, flags.output, await Promise.all(refs.map((ref) => cluster.read(ref))));
  return EXIT.ok;
}

/** One object by itself, several as a List. */
function writeObjects(host: CliHost, format: DataFormat, objects: readonly unknown[]): void {
  const found = objects.filter((object) => object !== undefined);
  host.stdout.write(formatData(found.length === 1 ? found[0] : listOf(found), format));
}
