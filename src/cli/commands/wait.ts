import { didYouMean } from '../../lib/did-you-mean.ts';
import { parseDuration } from '../../lib/duration.ts';
import { findPackages, namesOf, readPackages } from '../change/find-packages.ts';
import { type Changed, finish } from '../change/finish.ts';
import { waitMsOf } from '../change/flags.ts';
import { judgeOf, parseGoal, type WaitGoal, wordsOf } from '../change/goals.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { errorLines } from '../failure.ts';
import type { CliHost, Cluster } from '../host.ts';
import { makeSure, seeWorker, START_OPERATOR, type Worker } from '../install/operator-alive.ts';
import { outcomeOf } from '../install/outcome.ts';
import { Troubles } from '../look/troubles.ts';
import { asObject, ownRevisions, revisionsOf } from '../objects.ts';
import { type OutputFormat, printObjects } from '../output-format.ts';
import { reportOn } from '../report/package-report.ts';
import type { AwaitedPackage } from '../watch/await-packages.ts';
import { writeSentences } from '../write-sentences.ts';
import { type GlobalFlags, paintFor, withCluster } from './context.ts';

export interface WaitFlags extends GlobalFlags {
  readonly for: string;
  readonly timeout?: string | undefined;
  readonly output: OutputFormat;
}

interface Subject {
  readonly cluster: Cluster;
  readonly goal: WaitGoal;
  /** As it is before anything is awaited. */
  readonly packages: readonly AwaitedPackage[];
}

/** Changes nothing; ends when it holds, and at once when it cannot come about any more. */
export async function runWait(host: CliHost, words: readonly string[], flags: WaitFlags): Promise<ExitCode> {
  const names = namesOf(words);
  const goal = parseGoal(flags.for);
  const isOneLook = flags.timeout !== undefined && parseDuration(flags.timeout) === 0;
  const waitMs = isOneLook ? 0 : waitMsOf(flags);
  return withCluster(host, flags, async ({ cluster }) => {
    const looked = await look(cluster, { names, goal, now: host.clock.now() });
    tellAbsent(host, flags, looked);
    host.onSubjects?.(names);
    const { packages } = looked;
    const subject = { cluster, goal, packages };
    const isOpen = packages.some(({ verdict }) => verdict === 'pending');
    const isLost = packages.some(({ verdict }) => verdict === 'failed');
    const first = await seeWorker(host, flags, cluster);
    if (isOneLook || isLost || !isOpen) return conclude(host, flags, { ...subject, worker: first.worker });
    const { doubt, skewMs } = await makeSure(host, first, cluster);
    if (doubt !== undefined && !host.interrupted.aborted) return withoutOperator(host, flags, doubt);
    const changed = changedOf(subject);
    return finish(host, { ...flags, wait: true }, { cluster, waitMs, changed, goal: wordsOf(goal), skewMs });
  });
}

interface Looked {
  readonly packages: readonly AwaitedPackage[];
  /** Names of those that are there and not awaited. */
  readonly others: readonly string[];
}

async function look(
  cluster: Cluster,
  { names, goal, now }: { readonly names: readonly string[]; readonly goal: WaitGoal; readonly now: number },
): Promise<Looked> {
  // What is to be gone may be so already.
  const installed = goal.kind === 'removed' ? await readPackages(cluster) : await findPackages(cluster, names);
  const revisions = (await cluster.list(revisionsOf(names))).items;
  const packages = names.map((name) => {
    const pkg = installed.find(({ metadata }) => metadata.name === name);
    const own = revisions.filter((one) => ownsName(one, name));
    const followed = { package: pkg, revisions: ownRevisions(pkg, own) };
    return {
      name,
      ...followed,
      verdict: judgeOf(goal, pkg?.metadata.uid)(followed, now),
      report: reportOn(name, followed),
    };
  });
  const others = installed.map(({ metadata }) => metadata.name).filter((name) => !names.includes(name));
  return { packages, others };
}

/** Whether it has been removed or has never been, nobody knows. */
function tellAbsent(host: CliHost, flags: WaitFlags, { packages, others }: Looked): void {
  const troubles = new Troubles();
  for (const { name, package: pkg } of packages) {
    const meant = pkg === undefined ? didYouMean(name, others) : undefined;
    if (meant !== undefined) troubles.note(absence(name), `did you mean ${meant}?`);
  }
  troubles.report(host, paintFor(host, flags, 'stderr'));
}

function absence(name: string): string {
  return `there is no package ${name}`;
}

function ownsName(revision: { readonly [field: string]: unknown }, name: string): boolean {
  const spec = revision['spec'] as { readonly package?: string } | undefined;
  return spec?.package === name;
}

function changedOf({ packages, goal }: Subject): readonly Changed[] {
  return packages.map(({ name, package: pkg }) => {
    if (pkg === undefined) return { object: undefined, line: absence(name) };
    const { generation = 1, uid } = pkg.metadata;
    return { object: asObject(pkg), line: name, awaited: { name, generation, judge: judgeOf(goal, uid) } };
  });
}

/** By what was seen at the first look. */
function conclude(
  host: CliHost,
  flags: WaitFlags,
  { goal, packages, worker }: Subject & { readonly worker: Worker },
): ExitCode {
  const words =
    goal.kind === 'removed' ? { state: 'gone', reached: ({ name }: AwaitedPackage) => absence(name) } : wordsOf(goal);
  const isOver = packages.every(({ verdict }) => verdict !== 'pending');
  const outcome = outcomeOf({ end: isOver ? 'settled' : 'timeout', packages }, { waitMs: 0, goal: words, worker });
  const objects = packages.flatMap(({ package: pkg }) => (pkg === undefined ? [] : asObject(pkg)));
  printObjects(host.stdout, objects, { output: flags.output, table: () => outcome.results, single: true });
  const paint = paintFor(host, flags, 'stderr');
  for (const { error, hint } of outcome.problems) writeSentences(host.stderr, errorLines(paint, error, hint));
  return outcome.exitCode;
}

function withoutOperator(host: CliHost, flags: WaitFlags, doubt: string): ExitCode {
  const error = `no operator seems to be running: ${doubt}; what is awaited would never come about`;
  const hint = `${START_OPERATOR}; to wait for one that runs without a Lease, use kubectl wait`;
  writeSentences(host.stderr, errorLines(paintFor(host, flags, 'stderr'), error, hint));
  return EXIT.cluster;
}
