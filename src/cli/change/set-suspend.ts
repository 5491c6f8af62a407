import type { Package } from '../../api/package.ts';
import { withCluster } from '../commands/context.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { CliHost, Cluster } from '../host.ts';
import type { Goal } from '../install/outcome.ts';
import { asObject } from '../objects.ts';
import type { Judge } from '../watch/verdict.ts';
import { editPackage } from './edit-package.ts';
import { findPackages, namesOf, refuseLeaving } from './find-packages.ts';
import { type Changed, finish } from './finish.ts';
import { type ChangeFlags, waitMsOf } from './flags.ts';

/** One of the two directions of `spec.suspend`. */
export interface Suspension {
  readonly suspend: boolean;
  /** `is suspended` */
  readonly done: string;
  /** Of the generation that was written; absent: ready is what is awaited. */
  readonly judge?: ((generation: number) => Judge) | undefined;
  readonly goal?: Goal | undefined;
}

interface Work {
  readonly cluster: Cluster;
  readonly suspension: Suspension;
}

/** Packages that are so already are left as they are. */
export async function setSuspend(
  host: CliHost,
  flags: ChangeFlags & { readonly packages: readonly string[] },
  suspension: Suspension,
): Promise<ExitCode> {
  const names = namesOf(flags.packages);
  const waitMs = waitMsOf(flags);
  return withCluster(host, flags, async ({ cluster }) => {
    const packages = await findPackages(cluster, names);
    refuseLeaving(packages);
    const changed: Changed[] = [];
    for (const pkg of packages) changed.push(await setOne(pkg, flags, { cluster, suspension }));
    return finish(host, flags, { cluster, waitMs, changed, goal: suspension.goal });
  });
}

async function setOne(pkg: Package, { dryRun }: ChangeFlags, { cluster, suspension }: Work): Promise<Changed> {
  const { suspend, done, judge } = suspension;
  const { name } = pkg.metadata;
  if ((pkg.spec.suspend === true) === suspend) return { object: asObject(pkg), line: `${name} ${done} already` };
  const patch = { spec: { suspend: suspend ? true : null } };
  const written = await editPackage(cluster, pkg, { patch, dryRun: dryRun === true });
  const { generation = 1 } = written.metadata;
  const awaited = { name, generation, judge: judge?.(generation) };
  return { object: asObject(written), line: `${name} ${done}`, awaited };
}
