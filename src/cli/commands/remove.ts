import { isCode, KubepkgError } from '../../api/errors.ts';
import { LABEL } from '../../api/names.ts';
import type { Package } from '../../api/package.ts';
import type { PackageSource } from '../../api/package-source.ts';
import { declined, isConfirmed } from '../change/ask.ts';
import { type Installed, type Need, needsAgainst, orphansAfter } from '../change/dependents.ts';
import { findPackages, namesOf } from '../change/find-packages.ts';
import { type Changed, finish } from '../change/finish.ts';
import { type ChangeFlags, waitMsOf } from '../change/flags.ts';
import { removalJudge } from '../change/judges.ts';
import { planRemoval, type RemovalPlan } from '../change/removal-plan.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { CliHost, Cluster } from '../host.ts';
import { asObject, asPackage, ownRevisions, PACKAGE_SOURCES, PACKAGES, REVISIONS } from '../objects.ts';
import { oneLine } from '../text/sanitize.ts';
import { formatTable } from '../text/table.ts';
import { withCluster } from './context.ts';

export interface RemoveFlags extends ChangeFlags {
  readonly autoremove?: boolean | undefined;
}

/** P20: deletes packages that nothing needs which stays, and waits until they are really gone. */
export async function runRemove(host: CliHost, words: readonly string[], flags: RemoveFlags): Promise<ExitCode> {
  const names = namesOf(words);
  const waitMs = waitMsOf(flags);
  return withCluster(host, flags, async ({ cluster }) => {
    await findPackages(cluster, names);
    const all = await readInstalled(cluster);
    const orphans = flags.autoremove === true ? orphansAfter(new Set(names), all) : [];
    const leaving = new Set([...names, ...orphans]);
    refuseNeeded(needsAgainst(leaving, all));
    const plan = await planRemoval(
      cluster,
      all.filter(({ package: pkg }) => leaving.has(pkg.metadata.name)),
    );
    const isSettled = flags.yes === true || flags.dryRun === true;
    const lines = planLines(plan, new Set(orphans));
    if (!(await isConfirmed(host, { lines, isSettled, byDefault: 'no' }))) return declined(host);
    const changed: Changed[] = [];
    for (const { installed } of plan.packages) changed.push(await removeOne(cluster, installed.package, flags));
    const goal = { state: 'gone', reached: ({ name }: { readonly name: string }) => `${name} is removed` };
    return finish(host, flags, { cluster, waitMs, changed, goal });
  });
}

async function readInstalled(cluster: Cluster): Promise<readonly Installed[]> {
  const [packages, sources, revisions] = await Promise.all(
    [PACKAGES, PACKAGE_SOURCES, REVISIONS].map(async (selection) => (await cluster.list(selection)).items),
  );
  const sourceOf = new Map((sources ?? []).map((source) => [source.metadata.name, source as unknown as PackageSource]));
  return (packages ?? []).map(asPackage).map((pkg) => {
    const { name } = pkg.metadata;
    const own = (revisions ?? []).filter(({ metadata }) => metadata.labels?.[LABEL.package] === name);
    return { package: pkg, source: sourceOf.get(name), revisions: ownRevisions(pkg, own) };
  });
}

function refuseNeeded(needs: readonly Need[]): void {
  const [first] = needs;
  if (first === undefined) return;
  const dependents = [...new Set(needs.map(({ by }) => by))];
  const why = needs.map(
    ({ needed, by, what }) => `${by} requires ${what}${what.includes(needed) ? '' : `, which only ${needed} provides`}`,
  );
  throw new KubepkgError('InvalidInput', `package ${first.needed} is needed: ${why.join('; ')}`, {
    hint: `remove them together: kubepkg remove ${[...new Set(needs.map(({ needed }) => needed)), ...dependents].join(' ')}`,
  });
}

function planLines({ packages, stays }: RemovalPlan, orphans: ReadonlySet<string>): readonly string[] {
  const rows = packages.map(({ installed: { package: pkg } }) => [
    pkg.metadata.name,
    oneLine(pkg.status?.version ?? '') || '-',
    whyGoing(pkg, orphans),
  ]);
  const goes = packages.flatMap(({ installed, releases, crds }) => [
    ...releases.map((release) => `  release ${oneLine(release)}`),
    ...(installed.package.spec.crdPolicy === 'Delete' ? crds : []).map(
      (name) => `  CustomResourceDefinition ${oneLine(name)} and all its objects (crdPolicy: Delete)`,
    ),
  ]);
  return [
    ...formatTable(['PACKAGE', 'VERSION', 'WHY IT GOES'], rows),
    ...(goes.length === 0 ? [] : ['goes, in this order:', ...goes]),
    ...(stays.length === 0 ? [] : ['stays:', ...stays.map((line) => `  ${oneLine(line)}`)]),
  ];
}

function whyGoing({ metadata }: Package, orphans: ReadonlySet<string>): string {
  if (metadata.deletionTimestamp !== undefined) return 'it is being removed already';
  return orphans.has(metadata.name) ? 'nothing needs it any more (--autoremove)' : 'asked for';
}

async function removeOne(cluster: Cluster, pkg: Package, { dryRun }: RemoveFlags): Promise<Changed> {
  const { name, uid, generation = 1 } = pkg.metadata;
  const ref = { apiVersion: pkg.apiVersion, kind: 'Package', name };
  try {
    await cluster.write({ verb: 'delete', ref, uid, dryRun: dryRun === true });
  } catch (error) {
    // Somebody else was quicker.
    if (!isCode(error, 'ApiNotFound')) throw error;
  }
  const awaited = { name, generation, judge: removalJudge(uid) };
  return { object: asObject(pkg), line: `${name} is to be removed`, awaited };
}
