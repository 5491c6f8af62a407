import { requireKinds } from '../cluster-kinds.ts';
import type { Cluster } from '../host.ts';
import { changeOf, type PackageChange } from './changes.ts';
import type { InstallInput } from './input.ts';
import { isChanged, type Planned, planPackage, planSource } from './planned.ts';
import { checkAgainstSource, findSource } from './preflight.ts';

/** Everything that is about to be applied, checked as far as it can be without applying it. */
export interface InstallPlan {
  readonly sources: readonly Planned[];
  readonly packages: readonly Planned[];
  readonly changes: readonly PackageChange[];
}

/** Fails with the remedy, or gives what is to be applied; writes nothing. */
export async function planInstall(cluster: Cluster, input: InstallInput): Promise<InstallPlan> {
  await requireKinds(cluster);
  const sources: Planned[] = [];
  for (const source of input.manifests.sources) sources.push(await planSource(cluster, source));
  const packages: Planned[] = [];
  const changes: PackageChange[] = [];
  for (const name of input.names) {
    const given = sources.find((one) => one.name === name);
    const source = given?.after ?? (await findSource(cluster, name, input.manifests.sources));
    const settings = input.settings.get(name) ?? { values: {} };
    const pkg = await planPackage(name, { cluster, manifests: input.manifests, settings });
    if (source !== undefined) checkAgainstSource(pkg.after, source, pkg.apply);
    packages.push(pkg);
    changes.push(changeOf(pkg, source, given !== undefined && isChanged(given)));
  }
  return { sources, packages, changes };
}
