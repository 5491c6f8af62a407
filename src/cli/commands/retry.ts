import type { Package } from '../../api/package.ts';
import type { ComponentProgress, PackageRevision } from '../../api/package-revision.ts';
import { ANNOTATION } from '../../api/names.ts';
import { isInProgress, isMoveTo, isRestoring } from '../../domain/decide/views.ts';
import { hasReadiness } from '../../domain/readiness/assess.ts';
import { formatTime } from '../../lib/time.ts';
import { declined, isConfirmed } from '../change/ask.ts';
import { editPackage } from '../change/edit-package.ts';
import { describeLost, howToPutBack, lossInTheWay, type LostObject, lostObjects } from '../change/lost-objects.ts';
import { findPackages, namesOf, refuseLeaving } from '../change/find-packages.ts';
import { type Changed, finish } from '../change/finish.ts';
import { type ChangeFlags, waitMsOf } from '../change/flags.ts';
import { retryJudge } from '../change/judges.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { CliHost, Cluster } from '../host.ts';
import { openSight, type Sight } from '../look/sight.ts';
import { Troubles } from '../look/troubles.ts';
import { asObject, ownRevisions, revisionsOf } from '../objects.ts';
import { conditionOf, packageState } from '../report/package-state.ts';
import { oneLine } from '../text/sanitize.ts';
import { paintFor, withCluster } from './context.ts';

/** P12: a new token releases a package that is held, and makes one that is well be applied once more. */
export async function runRetry(host: CliHost, words: readonly string[], flags: ChangeFlags): Promise<ExitCode> {
  const names = namesOf(words);
  const waitMs = waitMsOf(flags);
  return withCluster(host, flags, async ({ cluster }) => {
    const packages = await findPackages(cluster, names);
    refuseLeaving(packages);
    // Who may ask for a retry need not be allowed to see what it is about.
    const sight = openSight(host, cluster);
    const subjects = await Promise.all(packages.map((pkg) => lookAt(sight, pkg)));
    const isSettled = flags.yes === true || flags.dryRun === true;
    if (!(await isConfirmed(host, { lines: subjects.flatMap(meaningOf), isSettled, byDefault: 'yes' }))) {
      return declined(host);
    }
    const now = host.clock.now();
    const token = formatTime(now);
    const patch = { metadata: { annotations: { [ANNOTATION.retry]: token } } };
    const changed: Changed[] = [];
    for (const { package: pkg, lost } of subjects) {
      const written = await editPackage(cluster, pkg, { patch, dryRun: flags.dryRun === true });
      const { name, generation = 1 } = written.metadata;
      const obstacle = lossInTheWay(name, token, lost);
      const awaited = { name, generation, judge: retryJudge(token, now), obstacle };
      changed.push({ object: asObject(written), line: `${name} is to be tried again`, awaited });
    }
    const exitCode = await finish(host, flags, { cluster, waitMs, changed });
    if (flags.wait && flags.dryRun !== true) await tellLost(host, flags, { cluster, subjects });
    return exitCode;
  });
}

interface Subject {
  readonly package: Package;
  readonly revision: PackageRevision | undefined;
  /** That have run already on the way to the version that is tried again. */
  readonly hooks: readonly ComponentProgress[];
  readonly lost: readonly LostObject[];
}

async function lookAt(sight: Sight, pkg: Package): Promise<Subject> {
  const { items } = await sight.cluster.list(revisionsOf([pkg.metadata.name]));
  const revisions = ownRevisions(pkg, items);
  const revision = revisions.at(-1);
  return { package: pkg, revision, hooks: hooksToRepeat(revisions), lost: await lostObjects(sight, revision) };
}

/** P13 P16: a retry is another attempt, and moves from what runs to another version unless that one runs already. */
function hooksToRepeat(revisions: readonly PackageRevision[]): readonly ComponentProgress[] {
  const tried = revisions.findLast((one) => !isRestoring(one));
  if (tried === undefined || isInProgress(tried) || !isMoveTo({ revisions }, tried.spec.version)) return [];
  return (tried.status?.hooks ?? []).filter(({ attempt = 0 }) => attempt > 0);
}

/** A revision waits for nothing that is ready by existing, and so does not miss it either. */
async function tellLost(
  host: CliHost,
  flags: ChangeFlags,
  { cluster, subjects }: { readonly cluster: Cluster; readonly subjects: readonly Subject[] },
): Promise<void> {
  const sight = openSight(host, cluster);
  const told = new Troubles();
  for (const { package: pkg, revision, lost } of subjects) {
    const silent = lost.filter(({ ref }) => !hasReadiness(ref));
    const still = silent.length === 0 ? [] : await lostObjects(sight, revision);
    const left = still.filter(({ ref }) => !hasReadiness(ref));
    if (left.length === 0) continue;
    const { name } = pkg.metadata;
    told.note(`package ${name}: ${describeLost(left)} still does not exist`, howToPutBack(name, left));
  }
  told.report(host, paintFor(host, flags, 'stderr'));
}

/** What a retry does to a package depends on how that is. */
function meaningOf({ package: pkg, hooks, lost }: Subject): readonly string[] {
  const { name } = pkg.metadata;
  const repeated = hooks.map((hook) => {
    const former = hook.state === 'Ready' ? ', which has completed before,' : '';
    return oneLine(`${name}: hook ${hook.name}${former} runs again from its beginning`);
  });
  const missing = lost.length === 0 ? [] : [`${name} lacks ${describeLost(lost)}`];
  return [meaningFor(pkg), ...repeated, ...missing];
}

function meaningFor(pkg: Package): string {
  const { name } = pkg.metadata;
  if (pkg.spec.suspend === true) return `${name} is suspended: it is tried again once it is resumed`;
  const reason = conditionOf(pkg, 'Ready')?.reason;
  if (reason === 'RolledBack') return `${name} was rolled back as requested: it goes on to the version that is wanted`;
  switch (packageState(pkg)) {
    case 'Ready':
      return `${name} is ready: every release that somebody has changed or removed is put back; a release that Helm knows as it was delivered stays`;
    case 'Progressing':
      return `${name} is at work on a revision: it is applied once more after that`;
    case 'Waiting':
      return `${name} waits (${reason ?? ''}): a retry does not change what it waits for`;
    case 'Failed':
      return `${name} has failed (${reason ?? ''}): it is tried again`;
    case 'Unknown':
      return `${name} has not been looked at by the operator yet`;
  }
}
