import { KubepkgError } from '../../api/errors.ts';
import type { PlanSettings } from '../../compose/create-plan.ts';
import type { PlanResult } from '../../compose/planning.ts';
import type { Severity } from '../../domain/plan/finding.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { readInput } from '../install/input.ts';
import { type InstallPlan, planInstall } from '../install/plan.ts';
import { formatData } from '../output-format.ts';
import { savedPlan } from '../plan/approve.ts';
import { planDocument } from '../plan/document.ts';
import { dryCluster } from '../plan/dry-cluster.ts';
import { planReport } from '../plan/report.ts';
import { writeLines } from '../write-lines.ts';
import { type GlobalFlags, paintFor, withCluster } from './context.ts';

export interface PlanFlags extends GlobalFlags {
  readonly file?: readonly string[] | undefined;
  readonly variant?: string | undefined;
  readonly values?: readonly string[] | undefined;
  readonly timeout?: string | undefined;
  readonly output: 'table' | 'wide' | 'json' | 'yaml';
  readonly failOn: 'error' | 'warning' | 'never';
  readonly save?: string | undefined;
  /** False with `--no-objects`. */
  readonly objects: boolean;
  readonly backend?: string | undefined;
  readonly operatorNamespace?: string | undefined;
  readonly valuesSecret?: string | undefined;
  readonly helm?: string | undefined;
  readonly cacheDir?: string | undefined;
  readonly registryConfig?: string | undefined;
  readonly registryCaFile?: string | undefined;
  readonly plainHttp: boolean;
}

/** Shows what an install or upgrade of the same words would do. Writes nothing to the cluster. */
export async function runPlan(host: CliHost, packages: readonly string[], flags: PlanFlags): Promise<ExitCode> {
  const words = { ...flags, packages, files: flags.file ?? [], values: flags.values ?? [] };
  const input = await readInput(host, words);
  const settings = settingsOf(flags);
  return withCluster(host, flags, async ({ cluster }) => {
    const wanting = dryCluster(cluster, input.names.length).then((still) => planInstall(still, input));
    const request = wanting.then(({ packages, sources }) => {
      return { packages, sources: sources.map(({ after }) => after), objects: flags.objects };
    });
    const planned = await host.plan({ ...targetOf(flags), cluster }, settings, request);
    const wanted = await wanting;
    const result = withNewer(planned, wanted);
    if (flags.save !== undefined) await save(host, flags.save, savedPlan(result, wanted, settings));
    show(host, flags, result);
    return exitCodeOf(result, flags.failOn);
  });
}

/** Which versions are on offer, and who stands against them, is known from the choice. */
function withNewer(result: PlanResult, { chosen }: Pick<InstallPlan, 'chosen'>): PlanResult {
  const packages = result.packages.map((plan) => {
    const newer = chosen.find(({ name }) => name === plan.name)?.newer;
    // Where the source has it all the same, the plan goes by that.
    return newer === undefined || newer.version === plan.version.to
      ? plan
      : { ...plan, version: { ...plan.version, newer } };
  });
  return { ...result, packages };
}

function targetOf({ kubeconfig, context }: PlanFlags): Pick<PlanFlags, 'kubeconfig' | 'context'> {
  return { kubeconfig, context };
}

export function settingsOf(flags: Omit<PlanFlags, 'output' | 'failOn' | 'objects' | 'color'>): PlanSettings {
  const { backend, operatorNamespace: namespace, helm, cacheDir, registryConfig, registryCaFile, plainHttp } = flags;
  const rest = { backend, namespace, helm, cacheDir, registryConfig, registryCaFile, plainHttp };
  return { ...rest, valuesSecret: secretOf(flags.valuesSecret) };
}

function secretOf(text: string | undefined): PlanSettings['valuesSecret'] {
  if (text === undefined) return undefined;
  const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (namespace !== undefined && name !== undefined) return { namespace, name };
  throw new KubepkgError('InvalidInput', `--values-secret ${text} names no namespace and Secret`, {
    hint: 'write --values-secret NAMESPACE/NAME, as the operator was told',
  });
}

async function save(host: CliHost, file: string, plan: unknown): Promise<void> {
  try {
    await host.writeFile(file, `${JSON.stringify(plan, null, 2)}\n`);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new KubepkgError('InvalidInput', `cannot write ${file}: ${why}`, {
      hint: 'name a file that can be written with --save',
      cause,
    });
  }
}

function show(host: CliHost, flags: PlanFlags, result: PlanResult): void {
  const { output } = flags;
  if (output === 'json' || output === 'yaml') {
    host.stdout.write(formatData(planDocument(result), output));
    return;
  }
  const width = host.stdout.isTerminal ? host.stdout.size().columns : Infinity;
  const style = { paint: paintFor(host, flags, 'stdout'), width, wide: output === 'wide' };
  writeLines(host.stdout, planReport(result.packages, style));
}

function exitCodeOf({ packages }: PlanResult, failOn: PlanFlags['failOn']): ExitCode {
  const counted: readonly Severity[] = failOn === 'warning' ? ['error', 'warning'] : ['error'];
  const isBad = packages.some(({ findings }) => findings.some(({ severity }) => counted.includes(severity)));
  return isBad && failOn !== 'never' ? EXIT.failed : EXIT.ok;
}
