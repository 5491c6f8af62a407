import type { Package } from '../../api/package.ts';
import { parseDuration } from '../../lib/duration.ts';
import { findPackages, namesOf } from '../change/find-packages.ts';
import { type Changed, finish } from '../change/finish.ts';
import { waitMsOf } from '../change/flags.ts';
import { judgeOf, parseGoal, type WaitGoal, wordsOf } from '../change/goals.ts';
import { requireKinds } from '../cluster-kinds.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { errorLines } from '../failure.ts';
import type { CliHost, Cluster } from '../host.ts';
import { operatorDoubt } from '../install/operator-alive.ts';
import { outcomeOf } from '../install/outcome.ts';
import { asObject, asPackage, ownRevisions, PACKAGES, revisionsOf } from '../objects.ts';
import { type OutputFormat, printObjects } from '../output-format.ts';
import { reportOn } from '../report/package-report.ts';
import type { AwaitedPackage } from '../watch/await-packages.ts';
import { writeLines } from '../write-lines.ts';
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
    const packages = await look(cluster, { names, goal, now: host.clock.now() });
    const subject = { cluster, goal, packages };
    const isOpen = packages.some(({ verdict }) => verdict === 'pending');
    const isLost = packages.some(({ verdict }) => verdict === 'failed');
    if (isOneLook || isLost || !isOpen) return conclude(host, flags, subject);
    const doubt = flags.local === true ? undefined : await operatorDoubt(cluster, host.clock.now());
    if (doubt !== undefined) return withoutOperator(host, flags, doubt);
    return finish(
      host,
      { ...flags, wait: true },
      { cluster, waitMs, changed: changedOf(subject), goal: wordsOf(goal) },
    );
  });
}

async function look(
  cluster: Cluster,
  { names, goal, now }: { readonly names: readonly string[]; readonly goal: WaitGoal; readonly now: number },
): Promise<readonly AwaitedPackage[]> {
  const packages = goal.kind === 'removed' ? await existing(cluster, names) : await findPackages(cluster, names);
  const revisions = (await cluster.list(revisionsOf(names))).items;
  return names.map((name) => {
    const pkg = packages.find(({ metadata }) => metadata.name === name);
    const own = revisions.filter((one) => ownsName(one, name));
    const followed = { package: pkg, revisions: ownRevisions(pkg, own) };
    return {
      name,
      ...followed,
      verdict: judgeOf(goal, pkg?.metadata.uid)(followed, now),
      report: reportOn(name, followed),
    };
  });
}

function ownsName(revision: { readonly [field: string]: unknown }, name: string): boolean {
  const spec = revision['spec'] as { readonly package?: string } | undefined;
  return spec?.package === name;
}

/** What is to be gone may be so already. */
async function existing(cluster: Cluster, names: readonly string[]): Promise<readonly Package[]> {
  await requireKinds(cluster);
  const { items } = await cluster.list(PACKAGES);
  return items.map(asPackage).filter(({ metadata }) => names.includes(metadata.name));
}

function changedOf({ packages, goal }: Subject): readonly Changed[] {
  return packages.map(({ name, package: pkg }) => {
    const awaited = { name, generation: pkg?.metadata.generation ?? 1, judge: judgeOf(goal, pkg?.metadata.uid) };
    return { object: pkg === undefined ? undefined : asObject(pkg), line: `${name} is removed`, awaited };
  });
}

/** By what was seen at the first look. */
function conclude(host: CliHost, flags: WaitFlags, { goal, packages }: Subject): ExitCode {
  const isOver = packages.every(({ verdict }) => verdict !== 'pending');
  const outcome = outcomeOf({ end: isOver ? 'settled' : 'timeout', packages }, 0, wordsOf(goal));
  const objects = packages.flatMap(({ package: pkg }) => (pkg === undefined ? [] : asObject(pkg)));
  printObjects(host.stdout, objects, { output: flags.output, table: () => outcome.results, single: true });
  const paint = paintFor(host, flags, 'stderr');
  for (const { error, hint } of outcome.problems) writeLines(host.stderr, errorLines(paint, error, hint));
  return outcome.exitCode;
}

function withoutOperator(host: CliHost, flags: WaitFlags, doubt: string): ExitCode {
  const error = `no operator seems to be running: ${doubt}; what is awaited would never come about`;
  const hint = 'start the operator; to wait for one that runs without a Lease, use kubectl wait';
  writeLines(host.stderr, errorLines(paintFor(host, flags, 'stderr'), error, hint));
  return EXIT.cluster;
}
