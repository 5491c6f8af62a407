import { KubepkgError } from '../../api/errors.ts';
import type { Package } from '../../api/package.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { didYouMeanHint } from '../../lib/did-you-mean.ts';
import { requireKinds } from '../cluster-kinds.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost, Cluster } from '../host.ts';
import { requirePackageName } from '../install/package-argument.ts';
import { asPackage, ownRevisions, PACKAGES, revisionsOf } from '../objects.ts';
import { type DataFormat, formatList } from '../output-format.ts';
import { statusReport } from '../report/status-report.ts';
import type { Followed } from '../watch/package-follower.ts';
import { watchStatus } from '../watch/watch-status.ts';
import { writeLines } from '../write-lines.ts';
import { type GlobalFlags, paintFor, withCluster } from './context.ts';

export interface StatusFlags extends GlobalFlags {
  readonly output: 'table' | DataFormat;
  readonly watch?: boolean | undefined;
}

export async function runStatus(host: CliHost, name: string, flags: StatusFlags): Promise<ExitCode> {
  requirePackageName(name);
  const { output } = flags;
  if (flags.watch === true && output !== 'table') {
    throw new KubepkgError('InvalidInput', `--watch does not go with --output ${output}`, {
      hint: `for data as it changes: kubectl get package ${name} --watch -o ${output}`,
    });
  }
  return withCluster(host, flags, async ({ cluster }) => {
    await requireKinds(cluster);
    const followed = await readPackage(cluster, name);
    if (flags.watch === true) return watchStatus(host, { cluster, name, paint: paintFor(host, flags, 'stdout') });
    if (output !== 'table') host.stdout.write(formatList(allOf(followed), output));
    else writeLines(host.stdout, statusLines(host, flags, followed));
    return EXIT.ok;
  });
}

function allOf({ package: pkg, revisions }: Followed): readonly (Package | PackageRevision)[] {
  return pkg === undefined ? revisions : [pkg, ...revisions];
}

function statusLines(host: CliHost, flags: StatusFlags, { package: pkg, revisions }: Followed): readonly string[] {
  if (pkg === undefined) return [];
  return statusReport(pkg, revisions, { now: host.clock.now(), paint: paintFor(host, flags, 'stdout') });
}

async function readPackage(cluster: Cluster, name: string): Promise<Followed> {
  const [pkg, revisions] = await Promise.all([cluster.read({ ...PACKAGES, name }), cluster.list(revisionsOf([name]))]);
  if (pkg === undefined) throw await packageNotFound(cluster, name);
  return { package: asPackage(pkg), revisions: ownRevisions(asPackage(pkg), revisions.items) };
}

async function packageNotFound(cluster: Cluster, name: string): Promise<KubepkgError> {
  const names = (await cluster.list(PACKAGES)).items.map(({ metadata }) => metadata.name);
  return new KubepkgError('NotFound', `no package is named ${name}`, {
    hint: didYouMeanHint(name, names, 'list those that are installed: kubepkg list'),
  });
}
