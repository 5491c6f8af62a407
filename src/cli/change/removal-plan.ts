import type { KubeObject } from '../../api/kube.ts';
import { isCode } from '../../api/errors.ts';
import type { PackageRevision, RevisionComponent } from '../../api/package-revision.ts';
import { componentsOf, membersOf, progressOf } from '../../domain/decide/views.ts';
import { releaseKey } from '../../domain/decide/world.ts';
import { orderGraph } from '../../lib/graph.ts';
import type { Cluster } from '../host.ts';
import { type Installed, providersOf, requirementsIn } from './dependents.ts';

/** What a removal takes, and what it leaves. */
export interface RemovalPlan {
  /** Those that need others first. */
  readonly packages: readonly Removal[];
  readonly stays: readonly string[];
}

export interface Removal {
  readonly installed: Installed;
  /** `namespace/name`, in the order in which they go. */
  readonly releases: readonly string[];
  readonly crds: readonly string[];
}

export async function planRemoval(cluster: Cluster, leaving: readonly Installed[]): Promise<RemovalPlan> {
  const packages = dependentsFirst(leaving).map(removalOf);
  const namespaces = [...new Set(packages.flatMap(namespacesOf))].sort();
  const claims = (await Promise.all(namespaces.map((namespace) => claimsIn(cluster, namespace)))).flat();
  const stays = [
    ...namespaces.map((name) => `Namespace ${name}`),
    ...packages.flatMap(crdsThatStay),
    ...claims,
    ...packages.flatMap(({ installed }) => sourceThatStays(installed)),
  ];
  return { packages, stays };
}

/** P20: with packages that go together, dependents before what they require. */
function dependentsFirst(leaving: readonly Installed[]): readonly Installed[] {
  const byName = new Map(leaving.map((one) => [one.package.metadata.name, one]));
  const nodes = leaving.map((one) => ({
    name: one.package.metadata.name,
    dependsOn: requirementsIn(one)
      .flatMap((requirement) => providersOf(requirement, leaving))
      .filter((name) => name !== one.package.metadata.name),
  }));
  const ordered = orderGraph(nodes);
  if (ordered.kind !== 'ordered') return leaving;
  return [...ordered.order].reverse().flatMap((name) => byName.get(name) ?? []);
}

/** Newest revision first, each from its last component to its first: releases of older ones may still be there. */
function removalOf(installed: Installed): Removal {
  const revisions = [...installed.revisions].reverse();
  const releases = revisions.flatMap((revision) => releasesOf(revision).reverse());
  const crds = new Set([...(installed.source?.spec.crds ?? []), ...revisions.flatMap(crdsOf)]);
  return { installed, releases: [...new Set(releases)], crds: [...crds].sort() };
}

/** P16: of a revision that is over, a hook that has succeeded has no release any more. */
function releasesOf(revision: PackageRevision): string[] {
  const { phase } = revision.status ?? {};
  const isOver = phase === 'Applied' || phase === 'Superseded';
  const isDone = ({ name }: RevisionComponent): boolean => progressOf(revision, name, 'hooks').state === 'Ready';
  const hooks = membersOf(revision, 'hooks').filter((hook) => !isOver || !isDone(hook));
  return [...hooks, ...componentsOf(revision)].map((one) => releaseKey(one));
}

function crdsOf({ spec }: PackageRevision): readonly string[] {
  return spec.crds ?? [];
}

function namespacesOf({ releases }: Removal): readonly string[] {
  return releases.map((release) => release.slice(0, release.indexOf('/')));
}

function crdsThatStay({ installed, crds }: Removal): readonly string[] {
  if (installed.package.spec.crdPolicy === 'Delete') return [];
  return crds.map((name) => `CustomResourceDefinition ${name} and its objects (crdPolicy: Retain)`);
}

/** One that a repository delivered goes with its package. */
function sourceThatStays({ package: pkg, source }: Installed): readonly string[] {
  if (source === undefined) return [];
  const isOwned = source.metadata.ownerReferences?.some(({ uid }) => uid === pkg.metadata.uid) === true;
  return isOwned ? [] : [`PackageSource ${source.metadata.name}`];
}

const ANY_CLAIMS = 'PersistentVolumeClaims that no chart has made itself';

async function claimsIn(cluster: Cluster, namespace: string): Promise<readonly string[]> {
  const selection = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, metadataOnly: true };
  try {
    const { items } = await cluster.list(selection);
    return items.filter(isLeft).map(({ metadata }) => `PersistentVolumeClaim ${namespace}/${metadata.name}`);
  } catch (error) {
    if (!isCode(error, 'ApiForbidden')) throw error;
    return [`${ANY_CLAIMS}, in namespace ${namespace} (which may not be listed)`];
  }
}

/** Those of a chart go with its release, and those of an owner with that. */
function isLeft({ metadata }: KubeObject): boolean {
  const isOfRelease = metadata.annotations?.['meta.helm.sh/release-name'] !== undefined;
  return !isOfRelease && (metadata.ownerReferences ?? []).length === 0;
}
