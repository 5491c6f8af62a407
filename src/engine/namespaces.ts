import { isCode, KubepkgError } from '../api/errors.ts';
import type { KubeObject, ObjectRef } from '../api/kube.ts';
import { ANNOTATION } from '../api/names.ts';
import type { PackageRevision, RevisionComponent } from '../api/package-revision.ts';
import type { World } from '../domain/decide/world.ts';
import { at } from '../lib/json.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Journal } from './journal.ts';

const ENFORCE = 'pod-security.kubernetes.io/enforce';
/** The level that was there before; absent: there was none. */
const FORMER_LEVEL = `${ANNOTATION.podSecurity}-before`;

export interface NamespaceNeeds {
  readonly privileged?: boolean | undefined;
  /** Added where a namespace has no label of that name; never changed or taken away. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** Makes sure that a namespace can take objects: created when absent, waited for while it goes. Never deleted by us. */
export async function ensureNamespace(cluster: Cluster, name: string, needs: NamespaceNeeds = {}): Promise<void> {
  const ref = refTo(name);
  const found = (await cluster.read(ref)) ?? (await createNamespace(cluster, name));
  if (found.metadata.deletionTimestamp !== undefined) {
    throw new KubepkgError('NamespaceTerminating', `namespace ${name} is being deleted${whatHolds(found)}`, {
      hint: 'kubepkg waits until it is gone and then creates it',
    });
  }
  const { labels, annotations } = lacking(found, needs);
  if (Object.keys(labels).length === 0) return;
  await cluster.write({ verb: 'merge-patch', ref, patch: { metadata: { labels, annotations } } });
}

interface Marks {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

function lacking({ metadata }: KubeObject, { privileged = false, labels = {} }: NamespaceNeeds): Marks {
  const known = metadata.labels ?? {};
  const added = Object.fromEntries(Object.entries(labels).filter(([key]) => known[key] === undefined));
  const level = known[ENFORCE];
  if (!privileged || level === 'privileged') return { labels: added, annotations: {} };
  return {
    labels: { ...added, [ENFORCE]: 'privileged' },
    annotations: {
      [ANNOTATION.podSecurity]: 'privileged',
      ...(level === undefined ? {} : { [FORMER_LEVEL]: level }),
    },
  };
}

function refTo(name: string): ObjectRef {
  return { apiVersion: 'v1', kind: 'Namespace', name };
}

async function createNamespace(cluster: Cluster, name: string): Promise<KubeObject> {
  const annotations = { [ANNOTATION.helmKeep]: 'keep' };
  const object: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations } };
  try {
    return await cluster.write({ verb: 'create', object });
  } catch (error) {
    // Another component of ours, or anybody, was quicker: what that one is like counts.
    if (!isCode(error, 'ApiAlreadyExists')) throw error;
    return (await cluster.read(refTo(name))) ?? object;
  }
}

function whatHolds(namespace: KubeObject): string {
  const conditions = at(namespace, 'status', 'conditions');
  const remaining: unknown = Array.isArray(conditions)
    ? conditions.find(
        (condition) =>
          at(condition, 'type') === 'NamespaceContentRemaining' ||
          at(condition, 'type') === 'NamespaceFinalizersRemaining',
      )
    : undefined;
  const message = at(remaining, 'message');
  return typeof message === 'string' ? `: ${message}` : '';
}

export interface NamespaceSight {
  readonly journal: Journal;
  /** What is known to be settled: `revision UID/namespace`. */
  readonly settledNamespaces: Set<string>;
}

/** Namespaces that had a privileged component of this package and need the level no more; each is named until it was looked at. */
export function surplusPrivileges(sight: NamespaceSight, world: World): readonly string[] {
  const former = new Set(world.revisions.flatMap((revision) => privilegedIn(revision)));
  if (former.size === 0) return [];
  const open = [...former].filter((name) => !sight.settledNamespaces.has(settledKey(world, name)));
  const needed = open.length === 0 ? new Set<string>() : neededPrivileges(sight.journal, world);
  return open.filter((name) => !needed.has(name)).sort();
}

/** Takes the level back if it is kubepkg's and nobody needs it; asked again at the last moment. */
export async function restoreNamespace(
  sight: NamespaceSight & { readonly deps: { readonly cluster: Cluster } },
  world: World,
  name: string,
): Promise<void> {
  const { cluster } = sight.deps;
  const live = await cluster.read(refTo(name), { metadataOnly: true });
  if (neededPrivileges(sight.journal, world).has(name)) return;
  const patch = live === undefined ? undefined : restoration(live);
  if (patch !== undefined) await cluster.write({ verb: 'merge-patch', ref: refTo(name), patch });
  sight.settledNamespaces.add(settledKey(world, name));
}

/** A level that somebody else has set since stays. */
function restoration({ metadata }: KubeObject): unknown {
  const { annotations = {}, labels = {}, resourceVersion } = metadata;
  if (annotations[ANNOTATION.podSecurity] === undefined) return undefined;
  const level = labels[ENFORCE] === 'privileged' ? { labels: { [ENFORCE]: annotations[FORMER_LEVEL] ?? null } } : {};
  return {
    metadata: { ...level, annotations: { [ANNOTATION.podSecurity]: null, [FORMER_LEVEL]: null }, resourceVersion },
  };
}

function settledKey({ package: pkg, revisions }: World, namespace: string): string {
  const uid = pkg.metadata.deletionTimestamp === undefined ? revisions.at(-1)?.metadata.uid : pkg.metadata.uid;
  return `${uid ?? ''}/${namespace}`;
}

/** Of every package: what runs since its last applied revision, and what is being installed. */
function neededPrivileges(journal: Journal, world: World): ReadonlySet<string> {
  const needed = new Set<string>();
  for (const name of journal.packageNames()) {
    const parsed = journal.package(name);
    if (parsed?.ok !== true) continue;
    // Nothing of a package that is being removed is left once this is asked.
    const isLeaving = name === world.package.metadata.name && world.package.metadata.deletionTimestamp !== undefined;
    const revisions = isLeaving ? [] : liveRevisions(journal.revisions(parsed.value));
    for (const namespace of revisions.flatMap((revision) => privilegedIn(revision))) needed.add(namespace);
  }
  return needed;
}

function liveRevisions(revisions: readonly PackageRevision[]): readonly PackageRevision[] {
  const applied = revisions.findLast((revision) => revision.status?.phase === 'Applied');
  return applied === undefined ? revisions : revisions.slice(revisions.indexOf(applied));
}

function privilegedIn({ spec }: PackageRevision): readonly string[] {
  const all: readonly RevisionComponent[] = [...(spec.components ?? []), ...(spec.hooks ?? [])];
  return all.filter(({ privileged }) => privileged === true).map(({ namespace }) => namespace);
}
