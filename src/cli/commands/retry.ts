import type { Package } from '../../api/package.ts';
import { ANNOTATION } from '../../api/names.ts';
import { formatTime } from '../../lib/time.ts';
import { declined, isConfirmed } from '../change/ask.ts';
import { editPackage } from '../change/edit-package.ts';
import { findPackages, namesOf, refuseLeaving } from '../change/find-packages.ts';
import { type Changed, finish } from '../change/finish.ts';
import { type ChangeFlags, waitMsOf } from '../change/flags.ts';
import { retryJudge } from '../change/judges.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { asObject } from '../objects.ts';
import { conditionOf, packageState } from '../report/package-state.ts';
import { withCluster } from './context.ts';

/** P12: a new token releases a package that is held, and makes one that is well be applied once more. */
export async function runRetry(host: CliHost, words: readonly string[], flags: ChangeFlags): Promise<ExitCode> {
  const names = namesOf(words);
  const waitMs = waitMsOf(flags);
  return withCluster(host, flags, async ({ cluster }) => {
    const packages = await findPackages(cluster, names);
    refuseLeaving(packages);
    const isSettled = flags.yes === true || flags.dryRun === true;
    if (!(await isConfirmed(host, { lines: packages.map(meaningOf), isSettled, byDefault: 'yes' }))) {
      return declined(host);
    }
    const now = host.clock.now();
    const token = formatTime(now);
    const patch = { metadata: { annotations: { [ANNOTATION.retry]: token } } };
    const changed: Changed[] = [];
    for (const pkg of packages) {
      const written = await editPackage(cluster, pkg, { patch, dryRun: flags.dryRun === true });
      const { name, generation = 1 } = written.metadata;
      const awaited = { name, generation, judge: retryJudge(token, now) };
      changed.push({ object: asObject(written), line: `${name} is to be tried again`, awaited });
    }
    return finish(host, flags, { cluster, waitMs, changed });
  });
}

/** What a retry does to a package depends on how that is. */
function meaningOf(pkg: Package): string {
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
