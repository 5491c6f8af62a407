import { findPackages, namesOf } from '../change/find-packages.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { seeWorker, warnOfDoubt } from '../install/operator-alive.ts';
import { watchPackages } from '../watch/watch-packages.ts';
import { type GlobalFlags, paintFor, withCluster } from './context.ts';

export interface WatchFlags extends GlobalFlags {
  readonly output: 'table' | 'json';
}

export async function runWatch(host: CliHost, words: readonly string[], flags: WatchFlags): Promise<ExitCode> {
  const names = words.length === 0 ? undefined : namesOf(words);
  return withCluster(host, flags, async ({ cluster }) => {
    await findPackages(cluster, names ?? []);
    warnOfDoubt(host, flags, await seeWorker(host, flags, cluster));
    const paint = paintFor(host, flags, 'stdout');
    return watchPackages(host, { cluster, names, paint, json: flags.output === 'json' });
  });
}
