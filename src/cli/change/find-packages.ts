import { KubepkgError } from '../../api/errors.ts';
import type { Package } from '../../api/package.ts';
import { didYouMeanHint } from '../../lib/did-you-mean.ts';
import { requireKinds } from '../cluster-kinds.ts';
import type { Cluster } from '../host.ts';
import { requirePackageName } from '../install/package-argument.ts';
import { asPackage, PACKAGES } from '../objects.ts';

/** The names of a command line, each once; found wrong before the cluster is asked. */
export function namesOf(words: readonly string[]): readonly string[] {
  for (const word of words) requirePackageName(word);
  return [...new Set(words)];
}

type Remedy = (name: string) => string;

const LIST: Remedy = () => 'list those that are installed: kubepkg list';

/** Every one of them, in that order; fails when one does not exist. */
export async function findPackages(
  cluster: Cluster,
  names: readonly string[],
  remedy = LIST,
): Promise<readonly Package[]> {
  const all = await readPackages(cluster);
  return names.map((name) => pick(all, name, remedy));
}

export async function findPackage(cluster: Cluster, name: string): Promise<Package> {
  return pick(await readPackages(cluster), name, LIST);
}

export async function readPackages(cluster: Cluster): Promise<readonly Package[]> {
  await requireKinds(cluster);
  return (await cluster.list(PACKAGES)).items.map(asPackage);
}

function pick(all: readonly Package[], name: string, remedy: Remedy): Package {
  const found = all.find(({ metadata }) => metadata.name === name);
  if (found !== undefined) return found;
  throw packageNotFound(name, all, remedy);
}

/** `existing`: all that there are, of which one may have been meant. */
export function packageNotFound(
  name: string,
  existing: readonly Pick<Package, 'metadata'>[],
  remedy = LIST,
): KubepkgError {
  const names = existing.map(({ metadata }) => metadata.name);
  return new KubepkgError('NotFound', `no package is named ${name}`, {
    hint: didYouMeanHint(name, names, remedy(name)),
  });
}

/** What is on its way out can only go. */
export function refuseLeaving(packages: readonly Package[]): void {
  const leaving = packages.find(({ metadata }) => metadata.deletionTimestamp !== undefined);
  if (leaving === undefined) return;
  const { name } = leaving.metadata;
  throw new KubepkgError('InvalidInput', `package ${name} is being removed`, {
    hint: `wait until it is gone: kubepkg wait ${name} --for=Removed`,
  });
}
