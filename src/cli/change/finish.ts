import type { KubeObject } from '../../api/kube.ts';
import { paintFor } from '../commands/context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { errorLines } from '../failure.ts';
import type { CliHost, Cluster } from '../host.ts';
import { seeWorker, warnOfDoubt } from '../install/operator-alive.ts';
import { type Goal, outcomeOf } from '../install/outcome.ts';
import { asObject } from '../objects.ts';
import { printObjects } from '../output-format.ts';
import { type AwaitedPackage, awaitPackages } from '../watch/await-packages.ts';
import { createDisplay } from '../watch/progress-display.ts';
import type { Awaited } from '../watch/verdict.ts';
import { writeSentences } from '../write-sentences.ts';
import type { ChangeFlags } from './flags.ts';

/** One object that was written, or would be. */
export interface Changed {
  /** Absent: it is gone already. */
  readonly object: KubeObject | undefined;
  /** Said of it when nothing is awaited: `shop is to be suspended`. */
  readonly line: string;
  /** Absent: there is nothing to wait for. */
  readonly awaited?: Awaited | undefined;
}

export interface Finish {
  readonly cluster: Cluster;
  readonly changed: readonly Changed[];
  readonly waitMs: number;
  readonly goal?: Goal | undefined;
  /** How far the clock here is ahead of the operator's, where that is known. */
  readonly skewMs?: number | undefined;
  /** What is printed of an object; absent: all of it. */
  readonly shown?: ((object: KubeObject) => KubeObject) | undefined;
}

type FinishFlags = Omit<ChangeFlags, 'timeout'>;

/** What comes after the writes: waiting, unless that is not wanted, and the results. */
export async function finish(host: CliHost, flags: FinishFlags, request: Finish): Promise<ExitCode> {
  const { cluster, changed } = request;
  const awaited = changed.flatMap((one) => one.awaited ?? []);
  host.onSubjects?.(awaited.map(({ name }) => name));
  if (flags.dryRun === true || awaited.length === 0) return showWritten(host, flags, request);
  warnOfDoubt(host, flags, await seeWorker(host, eyesOf(flags, request), cluster));
  return flags.wait ? waitFor(host, flags, request) : showWritten(host, flags, request);
}

function eyesOf({ local }: FinishFlags, { skewMs = 0 }: Finish): Parameters<typeof seeWorker>[1] {
  return { local, skewMs };
}

function showWritten(host: CliHost, flags: FinishFlags, { changed, shown = asItIs }: Finish): ExitCode {
  const suffix = flags.dryRun === true ? ' (dry run: nothing was written)' : '';
  const table = (): readonly string[] => changed.map(({ line }) => line + suffix);
  const objects = changed.flatMap(({ object }) => object ?? []);
  printObjects(host.stdout, objects.map(shown), { output: flags.output, table, single: true });
  return EXIT.ok;
}

function asItIs(object: KubeObject): KubeObject {
  return object;
}

async function waitFor(host: CliHost, flags: FinishFlags, request: Finish): Promise<ExitCode> {
  const { cluster, changed, waitMs: timeoutMs, goal, shown = asItIs } = request;
  const paint = paintFor(host, flags, 'stderr');
  const display = createDisplay(host, host.stderr, paint);
  const packages = changed.flatMap(({ awaited }) => awaited ?? []);
  const result = await awaitPackages(host, { cluster, packages, timeoutMs, display });
  const { worker } = await seeWorker(host, eyesOf(flags, request), cluster);
  const outcome = outcomeOf(result, { waitMs: timeoutMs, goal, worker });
  const objects = changed.flatMap(({ object }) => (object === undefined ? [] : newest(result.packages, object)));
  const settled = changed.flatMap(({ awaited, line }) => (awaited === undefined ? [line] : []));
  const table = (): readonly string[] => [...settled, ...outcome.results];
  printObjects(host.stdout, objects.map(shown), { output: flags.output, table, single: true });
  for (const { error, hint } of outcome.problems) writeSentences(host.stderr, errorLines(paint, error, hint));
  return outcome.exitCode;
}

/** As it was seen last; what is gone is shown as it was before. */
function newest(packages: readonly AwaitedPackage[], object: KubeObject): KubeObject {
  const found = packages.find(({ name }) => name === object.metadata.name)?.package;
  return found === undefined ? object : asObject(found);
}
