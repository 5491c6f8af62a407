import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import type { ChosenPackage } from '../../domain/resolve/solve/answer.ts';
import { at } from '../../lib/json.ts';
import { requireKinds } from '../cluster-kinds.ts';
import type { Cluster } from '../host.ts';
import { PACKAGE_SOURCES, PACKAGES } from '../objects.ts';
import { atOnce } from './at-once.ts';
import { changeOf, changeOfChosen, type PackageChange } from './changes.ts';
import type { InstallInput } from './input.ts';
import { isChanged, type Planned, planPackage, planSource } from './planned.ts';
import { checkAgainstSource, findSource } from './preflight.ts';
import { chooseVersions } from './versions.ts';
import { dependencyReason, whyOf } from './why.ts';

/** Everything that is about to be applied, checked as far as it can be without applying it. */
export interface InstallPlan {
  readonly sources: readonly Planned[];
  /** What is pulled in comes before what is asked for. */
  readonly packages: readonly Planned[];
  readonly changes: readonly PackageChange[];
  /** Of all packages that are installed or will be: which version is taken, and why. */
  readonly chosen: readonly ChosenPackage[];
}

interface PlannedPackage {
  readonly planned: Planned;
  readonly source: KubeObject | undefined;
}

interface Work {
  readonly cluster: Cluster;
  readonly input: InstallInput;
  readonly sources: readonly Planned[];
}

/** Fails with the remedy, or gives what is to be applied; writes nothing. */
export async function planInstall(cluster: Cluster, input: InstallInput): Promise<InstallPlan> {
  await requireKinds(cluster);
  const sources = await atOnce(input.manifests.sources, (source) => planSource(cluster, source));
  const work = { cluster, input, sources };
  const asked = await atOnce(input.names, (name) => planAsked(work, name));
  const chosen = await chooseVersions(cluster, {
    sources,
    packages: asked.map(({ planned }) => planned),
    constraints: givenConstraints(input),
  });
  const pulledIn = await planPulledIn(work, chosen);
  const all = [...pulledIn, ...asked];
  return {
    sources,
    packages: all.map(({ planned }) => planned),
    changes: changesOf(all, { sources, chosen, named: input.names }),
    chosen,
  };
}

async function planAsked({ cluster, input, sources }: Work, name: string): Promise<PlannedPackage> {
  const { manifests } = input;
  const source =
    sources.find((one) => one.name === name)?.after ?? (await findSource(cluster, name, manifests.sources));
  const settings = input.settings.get(name) ?? { values: {} };
  const planned = await planPackage(name, { cluster, manifests, settings });
  if (source !== undefined) checkAgainstSource(planned.after, source, planned.apply);
  return { planned, source };
}

/** On the command line, or in a Package that is given; what a Package says already is no demand of today. */
function givenConstraints({ names, settings, manifests }: InstallInput): ReadonlyMap<string, string> {
  return new Map(
    names.flatMap((name) => {
      const written = manifests.packages.find(({ metadata }) => metadata.name === name);
      const constraint = settings.get(name)?.constraint ?? at(written, 'spec', 'version');
      return typeof constraint === 'string' && constraint.trim() !== '' ? [[name, constraint] as const] : [];
    }),
  );
}

/** Packages that others require and that are not there: they are installed first, and marked as what they are. */
async function planPulledIn(
  { cluster, input, sources }: Work,
  chosen: readonly ChosenPackage[],
): Promise<readonly PlannedPackage[]> {
  const planned = await atOnce(
    chosen.filter((one) => one.pulledIn),
    async (one) => {
      const { name } = one;
      if (isThere(await cluster.read({ ...PACKAGES, name }))) return [];
      const source =
        sources.find((each) => each.name === name)?.after ?? (await cluster.read({ ...PACKAGE_SOURCES, name }));
      const settings = { values: {}, dependency: dependencyReason(one) };
      const planned = await planPackage(name, { cluster, manifests: input.manifests, settings });
      if (source !== undefined) checkAgainstSource(planned.after, source, planned.apply);
      return [{ planned, source }];
    },
  );
  return planned.flat();
}

/** One that is wanted already, though nothing of it runs yet, is the operator's. */
function isThere(pkg: KubeObject | undefined): boolean {
  if (pkg?.metadata.deletionTimestamp === undefined) return pkg !== undefined;
  const { name } = pkg.metadata;
  throw new KubepkgError('InvalidInput', `package ${name} is required, and is being removed`, {
    hint: `wait until it is gone: kubepkg wait ${name} --for=Removed`,
  });
}

function changesOf(
  packages: readonly PlannedPackage[],
  { sources, chosen, named }: Pick<InstallPlan, 'sources' | 'chosen'> & { readonly named: readonly string[] },
): readonly PackageChange[] {
  const names = new Set(packages.map(({ planned }) => planned.name));
  const given = new Set(sources.filter(isChanged).map(({ name }) => name));
  const written = packages.map(({ planned, source }) => {
    const { name } = planned;
    const choice = chosen.find((one) => one.name === name);
    const why = whyOf(choice, named.includes(name));
    return changeOf(planned, { source, sourceChanges: given.has(name), chosen: choice, why });
  });
  const others = chosen.filter(({ name, action }) => !names.has(name) && action !== 'keep');
  return [...written, ...others.map((one) => changeOfChosen(one, whyOf(one, false)))];
}
