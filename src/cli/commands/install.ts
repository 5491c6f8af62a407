import { KubepkgError } from '../../api/errors.ts';
import type { PlanSettings } from '../../compose/create-plan.ts';
import { VERSION_REMEDY, versionFault } from '../../domain/plan/predictions/odd-version.ts';
import { asString, at } from '../../lib/json.ts';
import { declined, isConfirmed } from '../change/ask.ts';
import { findPackages } from '../change/find-packages.ts';
import { finish } from '../change/finish.ts';
import type { ChangeFlags } from '../change/flags.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { CliHost, Cluster } from '../host.ts';
import { changesTable } from '../install/changes.ts';
import { DEFAULT_WAIT_MS, readInput } from '../install/input.ts';
import { INSTALLED } from '../install/outcome.ts';
import { requireDuration } from '../install/package-argument.ts';
import { type InstallPlan, planInstall } from '../install/plan.ts';
import { applyAll } from '../install/planned.ts';
import { writeSentences } from '../write-sentences.ts';
import { paintFor, withCluster } from './context.ts';

export interface InstallFlags extends ChangeFlags {
  readonly file?: readonly string[] | undefined;
  readonly variant?: string | undefined;
  readonly values?: readonly string[] | undefined;
  readonly waitTimeout?: string | undefined;
  /** A saved plan, which is carried out as it is or not at all. */
  readonly plan?: string | undefined;
  /** Where this machine has what the plan was made with, as far as it is elsewhere. */
  readonly helm?: string | undefined;
  readonly cacheDir?: string | undefined;
  readonly registryConfig?: string | undefined;
  readonly registryCaFile?: string | undefined;
  /** Packages that are not installed are refused. */
  readonly mustExist?: boolean | undefined;
}

/** Applies what is asked for, and waits until it is ready or has failed. */
export async function runInstall(host: CliHost, packages: readonly string[], flags: InstallFlags): Promise<ExitCode> {
  if (flags.plan !== undefined) return runSaved(host, packages, { ...flags, plan: flags.plan });
  const words = { ...flags, packages, files: flags.file ?? [], values: flags.values ?? [] };
  const input = await readInput(host, words);
  return withCluster(host, flags, async ({ cluster }) => {
    if (flags.mustExist === true) {
      await findPackages(cluster, input.names, (name) => `it is not installed: kubepkg install ${name}`);
    }
    const plan = await planInstall(cluster, input);
    return carryOut(host, flags, { cluster, plan, waitMs: input.waitMs });
  });
}

/** Exactly what was planned, unless the world or the plan has changed since. */
async function runSaved(
  host: CliHost,
  packages: readonly string[],
  flags: InstallFlags & { readonly plan: string },
): Promise<ExitCode> {
  refuseMore(packages, flags);
  const { plan: file, waitTimeout, kubeconfig, context } = flags;
  const waitMs = waitTimeout === undefined ? DEFAULT_WAIT_MS : requireDuration('--wait-timeout', waitTimeout);
  const { approvedInstall } = await import('../plan/approve.ts');
  return withCluster(host, flags, async ({ cluster }) => {
    const target = { kubeconfig, context, cluster };
    const plan = await approvedInstall(host, { file, target, places: placesOf(flags), waitMs });
    return carryOut(host, flags, { cluster, plan, waitMs });
  });
}

function refuseMore(packages: readonly string[], { file, variant, values, timeout }: InstallFlags): void {
  const said = [...packages, ...(file ?? []), ...(values ?? [])].length > 0;
  if (!said && variant === undefined && timeout === undefined) return;
  throw new KubepkgError('InvalidInput', '--plan says what is to be installed, and nothing can be added to it', {
    hint: 'leave out packages, -f, --values, --variant and --timeout, or plan anew with them: kubepkg plan NAME --save FILE',
  });
}

function placesOf(flags: InstallFlags): Partial<PlanSettings> {
  const { helm, cacheDir, registryConfig, registryCaFile } = flags;
  return Object.fromEntries(
    Object.entries({ helm, cacheDir, registryConfig, registryCaFile }).filter(([, place]) => place !== undefined),
  );
}

interface Work {
  readonly cluster: Cluster;
  readonly plan: InstallPlan;
  readonly waitMs: number;
}

async function carryOut(host: CliHost, flags: InstallFlags, { cluster, plan, waitMs }: Work): Promise<ExitCode> {
  warnOfVersions(host, flags, plan);
  if (!(await isAgreed(host, flags, plan))) return declined(host);
  if (flags.dryRun === true) {
    const changed = plan.packages.map(({ name, after }) => ({ object: after, line: `${name} would be applied` }));
    return finish(host, flags, { cluster, waitMs, changed });
  }
  const applied = await applyAll(cluster, { ...plan, now: host.clock.now() });
  const changed = applied.map((one) => ({ ...one, line: `${one.awaited.name} applied` }));
  return finish(host, flags, { cluster, waitMs, changed, goal: INSTALLED });
}

/** The API accepts any text; whoever gives a source can still correct it. */
function warnOfVersions(host: CliHost, flags: InstallFlags, { sources }: InstallPlan): void {
  const paint = paintFor(host, flags, 'stderr');
  for (const { name, after } of sources) {
    const fault = versionFault(asString(at(after, 'spec', 'version')));
    if (fault === undefined) continue;
    writeSentences(host.stderr, [
      `${paint('yellow', 'warning:')} PackageSource ${name} ${fault}`,
      `${paint('cyan', 'hint:')} ${VERSION_REMEDY}`,
    ]);
  }
}

function isAgreed(host: CliHost, flags: InstallFlags, { changes }: InstallPlan): Promise<boolean> {
  const isSettled = flags.yes === true || flags.dryRun === true || !changes.some(({ isNew }) => isNew);
  const width = host.stderr.isTerminal ? host.stderr.size().columns : Number.POSITIVE_INFINITY;
  return isConfirmed(host, { lines: changesTable(changes, width), isSettled, byDefault: 'yes' });
}
