import { declined, isConfirmed } from '../change/ask.ts';
import { findPackages } from '../change/find-packages.ts';
import { finish } from '../change/finish.ts';
import type { ChangeFlags } from '../change/flags.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { CliHost, Cluster } from '../host.ts';
import { changesTable } from '../install/changes.ts';
import { type InstallInput, readInput } from '../install/input.ts';
import { type InstallPlan, planInstall } from '../install/plan.ts';
import { applyAll } from '../install/planned.ts';
import { withCluster } from './context.ts';

export interface InstallFlags extends ChangeFlags {
  readonly file?: readonly string[] | undefined;
  readonly variant?: string | undefined;
  readonly values?: readonly string[] | undefined;
  readonly waitTimeout?: string | undefined;
  /** Packages that are not installed are refused. */
  readonly mustExist?: boolean | undefined;
}

/** Applies what is asked for, and waits until it is ready or has failed. */
export async function runInstall(host: CliHost, packages: readonly string[], flags: InstallFlags): Promise<ExitCode> {
  const words = { ...flags, packages, files: flags.file ?? [], values: flags.values ?? [] };
  const input = await readInput(host, words);
  return withCluster(host, flags, async ({ cluster }) => {
    if (flags.mustExist === true) {
      await findPackages(cluster, input.names, (name) => `it is not installed: kubepkg install ${name}`);
    }
    return carryOut(host, flags, { cluster, input });
  });
}

interface Work {
  readonly cluster: Cluster;
  readonly input: InstallInput;
}

async function carryOut(host: CliHost, flags: InstallFlags, { cluster, input }: Work): Promise<ExitCode> {
  const { waitMs } = input;
  const plan = await planInstall(cluster, input);
  if (!(await isAgreed(host, flags, plan))) return declined(host);
  if (flags.dryRun === true) {
    const changed = plan.packages.map(({ name, after }) => ({ object: after, line: `${name} would be applied` }));
    return finish(host, flags, { cluster, waitMs, changed });
  }
  const applied = await applyAll(cluster, { ...plan, now: host.clock.now() });
  const changed = applied.map((one) => ({ ...one, line: `${one.awaited.name} applied` }));
  return finish(host, flags, { cluster, waitMs, changed });
}

function isAgreed(host: CliHost, flags: InstallFlags, { changes }: InstallPlan): Promise<boolean> {
  const isSettled = flags.yes === true || flags.dryRun === true || changes.every(({ action }) => action === 'keep');
  const width = host.stderr.isTerminal ? host.stderr.size().columns : Number.POSITIVE_INFINITY;
  return isConfirmed(host, { lines: changesTable(changes, width), isSettled, byDefault: 'yes' });
}
