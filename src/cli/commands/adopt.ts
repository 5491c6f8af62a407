import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { API_VERSION, FIELD_MANAGER } from '../../api/names.ts';
import { DEFAULT_VARIANT } from '../../api/package.ts';
import { asString, at } from '../../lib/json.ts';
import {
  adoptingPackage,
  type Adoption,
  adoptionTable,
  candidatesOf,
  parsePlaces,
  refuseAdoption,
  withoutTakenValues,
} from '../change/adoption.ts';
import { declined, isConfirmed } from '../change/ask.ts';
import { finish } from '../change/finish.ts';
import { type ChangeFlags, waitMsOf } from '../change/flags.ts';
import { adoptJudge } from '../change/judges.ts';
import { requireKinds } from '../cluster-kinds.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { CliHost, Cluster } from '../host.ts';
import { type InstallInput, readInput } from '../install/input.ts';
import { ownedFields } from '../install/owned-fields.ts';
import { planInstall } from '../install/plan.ts';
import { applyAll } from '../install/planned.ts';
import { findSource } from '../install/preflight.ts';
import { PACKAGES } from '../objects.ts';
import { withCluster } from './context.ts';

export interface AdoptFlags extends ChangeFlags {
  readonly file?: readonly string[] | undefined;
  readonly variant?: string | undefined;
  readonly component?: readonly string[] | undefined;
}

/** P21: makes releases that somebody else installed the package's own, with the values that they have. */
export async function runAdopt(host: CliHost, word: string, flags: AdoptFlags): Promise<ExitCode> {
  const waitMs = waitMsOf(flags);
  const places = parsePlaces(flags.component ?? []);
  const { variant, file: files = [] } = flags;
  const input = await readInput(host, { packages: [word], files, variant, values: [] });
  return withCluster(host, flags, async ({ cluster }) => {
    await requireKinds(cluster);
    const { adoptions, manifests } = await prepare(host, cluster, { input, places });
    const plan = await planInstall(cluster, { ...input, manifests });
    const isSettled = flags.yes === true || flags.dryRun === true;
    if (!(await isConfirmed(host, { lines: adoptionTable(adoptions), isSettled, byDefault: 'yes' })))
      return declined(host);
    const shown = (object: KubeObject): KubeObject => withoutTakenValues(object, adoptions);
    if (flags.dryRun === true) {
      const changed = plan.packages.map(({ name, after }) => ({ object: after, line: `${name} would adopt` }));
      return finish(host, flags, { cluster, waitMs, changed, shown });
    }
    const now = host.clock.now();
    const applied = await applyAll(cluster, { ...plan, now });
    const changed = applied.map(({ object, awaited }) => ({
      object,
      line: `${awaited.name} is to adopt`,
      awaited: { ...awaited, judge: adoptJudge(awaited, now) },
    }));
    return finish(host, flags, { cluster, waitMs, changed, shown });
  });
}

interface Wanted {
  readonly input: InstallInput;
  readonly places: ReturnType<typeof parsePlaces>;
}

interface Prepared {
  readonly adoptions: readonly Adoption[];
  readonly manifests: InstallInput['manifests'];
}

async function prepare(host: CliHost, cluster: Cluster, { input, places }: Wanted): Promise<Prepared> {
  const [name = ''] = input.names;
  const { manifests } = input;
  const source = await requireSource(cluster, name, manifests);
  const before = await cluster.read({ ...PACKAGES, name });
  const written = manifests.packages.find(({ metadata }) => metadata.name === name);
  const base = written ?? (before === undefined ? {} : ownedFields(before, FIELD_MANAGER));
  const variant = input.settings.get(name)?.variant ?? variantOf([base, before]);
  const adoptions: Adoption[] = [];
  for (const candidate of candidatesOf({ source, variant, package: written ?? before, places })) {
    const live = await host.liveRelease(cluster, { package: name, ...candidate.place });
    adoptions.push({ ...candidate, live });
  }
  refuseAdoption(name, adoptions);
  const pkg = { apiVersion: API_VERSION, kind: 'Package', ...adoptingPackage(name, base, adoptions) };
  return { adoptions, manifests: { ...manifests, packages: [pkg] } };
}

async function requireSource(
  cluster: Cluster,
  name: string,
  { sources }: InstallInput['manifests'],
): Promise<KubeObject> {
  const given = sources.find(({ metadata }) => metadata.name === name);
  const source = given ?? (await findSource(cluster, name, []));
  if (source !== undefined) return source;
  throw new KubepkgError('NotFound', `no PackageSource is named ${name} yet`, {
    hint: `give it with the package: kubepkg adopt ${name} -f FILE`,
  });
}

/** The first that says one. */
function variantOf(packages: readonly unknown[]): string {
  const said = packages.flatMap((pkg) => asString(at(pkg, 'spec', 'variant')) ?? []);
  return said[0] ?? DEFAULT_VARIANT;
}
