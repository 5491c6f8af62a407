import { isCode } from '../api/errors.ts';
import { type KubeObject, nameOf, type ObjectRef, refOf } from '../api/kube.ts';
import { ANNOTATION } from '../api/names.ts';
import type { Package } from '../api/package.ts';
import type { PackageRevision } from '../api/package-revision.ts';
import { parsePackageRevision } from '../api/parse.ts';
import { componentsOf } from '../domain/decide/views.ts';
import type { Action, CrdClaim } from '../domain/decide/decision.ts';
import { type CrdKnowledge, type CrdView, releaseKey, type World } from '../domain/decide/world.ts';
import { asArray, asString, at } from '../lib/json.ts';
import type { Backend, DesiredRelease } from '../ports/backend.ts';
import type { Cluster } from '../ports/cluster.ts';
import { CRD, type CrdBook, type CrdFact, crdFact, releaseMarks } from './crd-book.ts';
import type { Journal } from './journal.ts';

export interface CrdSight {
  readonly deps: { readonly cluster: Cluster };
  readonly journal: Journal;
  readonly crds: CrdBook;
}

/** What is known of the CRDs that a package lists or owns; undefined: it has to do with none. */
export async function viewCrds(sight: CrdSight, world: World): Promise<CrdKnowledge | undefined> {
  const { name, deletionTimestamp } = world.package.metadata;
  const listed = listedCrds(world);
  const isRemover = deletionTimestamp !== undefined && world.package.spec.crdPolicy === 'Delete';
  if (listed.length === 0 && !isRemover) {
    sight.crds.leave(name);
    return undefined;
  }
  const known = sight.crds.look(name, listed);
  if (known.kind !== 'read') return known;
  const crds = await Promise.all(known.facts.map((fact) => viewCrd(sight, world, fact)));
  return { kind: 'read', crds: crds.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

function listedCrds({ resolution, revisions }: World): readonly string[] {
  const wanted = resolution?.kind === 'resolved' ? resolution.desired.crds : [];
  const recorded = revisions.flatMap((revision) => revision.spec.crds ?? []);
  return [...new Set([...wanted, ...recorded])];
}

async function viewCrd({ deps, journal }: CrdSight, world: World, fact: CrdFact): Promise<CrdView> {
  const { name, uid, owner, isKept } = fact;
  const pkg = world.package.metadata.name;
  const isDeclaredByOwner = owner !== undefined && owner !== pkg && isDeclaredBy(journal, owner, name);
  const isAwaited = owner === pkg && world.package.metadata.deletionTimestamp !== undefined;
  const heldBy = fact.isDeleting ? await holderOf(deps.cluster, fact, isAwaited) : undefined;
  return { name, uid, owner, isKept, isDeclaredByOwner, ...(heldBy === undefined ? {} : { heldBy }) };
}

/** By what its source lists now; by what it applied last where there is no source. */
function isDeclaredBy(journal: Journal, owner: string, crd: string): boolean {
  const pkg = journal.package(owner);
  if (pkg === undefined) return false;
  const source = journal.source(owner);
  // What cannot be read may declare it.
  if (!pkg.ok || source?.ok === false) return true;
  const declared = source === undefined ? appliedCrds(journal, pkg.value) : source.value.spec.crds;
  return declared?.includes(crd) === true;
}

function appliedCrds(journal: Journal, pkg: Package): readonly string[] | undefined {
  return journal.revisions(pkg).findLast((revision) => revision.status?.phase === 'Applied')?.spec.crds;
}

/** A CRD goes only when its custom resources have gone. */
async function holderOf(cluster: Cluster, fact: CrdFact, isAwaited: boolean): Promise<string> {
  const own = fact.finalizers.length === 0 ? 'nothing holds it' : `it has finalizers ${fact.finalizers.join(', ')}`;
  if (!isAwaited) return own;
  try {
    const crd = await cluster.read({ ...CRD, name: fact.name });
    const instance = crd === undefined ? undefined : await firstInstance(cluster, crd);
    return instance ?? own;
  } catch (error) {
    // The kind may have ceased to be served, or its objects not be ours to see: its own finalizers say enough.
    if (isCode(error, 'KindNotServed', 'ApiForbidden', 'ApiNotFound')) return own;
    throw error;
  }
}

async function firstInstance(cluster: Cluster, crd: KubeObject): Promise<string | undefined> {
  const kind = asString(at(crd, 'spec', 'names', 'kind'));
  const stored = asArray(at(crd, 'spec', 'versions')).find((version) => at(version, 'served') !== false);
  const version = asString(at(stored, 'name'));
  if (kind === undefined || version === undefined) return undefined;
  const apiVersion = `${asString(at(crd, 'spec', 'group')) ?? ''}/${version}`;
  const { items } = await cluster.list({ apiVersion, kind, metadataOnly: true });
  const held = [...items].sort((a, b) => (nameOf(refOf(a)) < nameOf(refOf(b)) ? -1 : 1)).map((item) => describe(item));
  return held[0];
}

function describe(object: KubeObject): string {
  const { finalizers = [] } = object.metadata;
  const name = nameOf(refOf(object));
  return finalizers.length === 0 ? `${name} is still there` : `${name} has finalizers ${finalizers.join(', ')}`;
}

type CrdAction = Extract<Action, { kind: 'claim-crds' | 'release-crds' | 'delete-crd' }>;

/** Each by a live look, so that nothing is taken that has become another's meanwhile. */
export async function executeOnCrds(sight: CrdSight, pkg: string, action: CrdAction): Promise<void> {
  switch (action.kind) {
    case 'claim-crds':
      for (const crd of action.crds) await claim(sight, crd, { pkg, keep: action.keep });
      break;
    case 'release-crds':
      for (const crd of action.crds) await release(sight, crd, pkg);
      break;
    case 'delete-crd':
      await remove(sight, action.crd, pkg);
  }
}

async function claim(
  sight: CrdSight,
  crd: CrdClaim,
  { pkg, keep }: { readonly pkg: string; readonly keep: boolean },
): Promise<void> {
  const live = await readLive(sight, crd);
  if (live === undefined) return;
  const { owner, isKept } = crdFact(live);
  if (owner !== pkg && owner !== crd.from) return;
  if (owner === pkg && (isKept || !keep)) return;
  const kept = keep && !isKept ? { [ANNOTATION.helmKeep]: 'keep' } : {};
  await mark(sight, live, { annotations: { [ANNOTATION.ownedBy]: pkg, ...kept } });
}

async function release(sight: CrdSight, crd: CrdClaim, pkg: string): Promise<void> {
  const live = await readLive(sight, crd);
  if (live === undefined || crdFact(live).owner !== pkg) return;
  await mark(sight, live, { annotations: { [ANNOTATION.ownedBy]: null, [ANNOTATION.helmKeep]: 'keep' } });
}

async function remove(sight: CrdSight, crd: CrdClaim, pkg: string): Promise<void> {
  const live = await readLive(sight, crd);
  if (live === undefined || crdFact(live).owner !== pkg) return;
  const ref = { ...CRD, name: crd.name };
  try {
    const { uid, resourceVersion } = live.metadata;
    await sight.deps.cluster.write({ verb: 'delete', ref, uid, resourceVersion });
  } catch (error) {
    if (!isCode(error, 'ApiNotFound')) throw error;
  }
  sight.crds.note(crd.name, await sight.deps.cluster.read(ref, { metadataOnly: true }));
}

/** Undefined: it is another object, or gone. */
async function readLive({ deps, crds }: CrdSight, { name, uid }: CrdClaim): Promise<KubeObject | undefined> {
  const live = await deps.cluster.read({ ...CRD, name }, { metadataOnly: true });
  crds.note(name, live);
  return live?.metadata.uid === uid ? live : undefined;
}

interface Marks {
  readonly annotations: Readonly<Record<string, string | null>>;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Fails when somebody changed the object since it was read. */
async function mark({ deps, crds }: CrdSight, live: KubeObject, marks: Marks): Promise<void> {
  const { name, resourceVersion } = live.metadata;
  const patch = { metadata: { ...marks, resourceVersion } };
  const ref: ObjectRef = { ...CRD, name };
  crds.note(name, await deps.cluster.write({ verb: 'merge-patch', ref, patch }));
}

export interface Delivery {
  /** Name of the revision. */
  readonly revision: string;
  readonly backend: Backend;
  readonly release: DesiredRelease;
}

/**
 * CRDs that the package owns by now and that are still marked as part of a release that is not the package's: if this
 * release has them, they become part of it, or its delivery would be refused. Costs a rendering, and only then.
 */
export async function adoptPassedCrds(sight: CrdSight, { revision, backend, release }: Delivery): Promise<void> {
  const raw = sight.journal.rawRevision(revision);
  const parsed = raw === undefined ? undefined : parsePackageRevision(raw);
  const passed = parsed?.ok === true ? passedCrds(sight, parsed.value) : [];
  if (passed.length === 0 || !backend.capabilities.previewsObjects) return;
  const rendered = new Set((await backend.preview(release)).filter(isCrd).map(({ metadata }) => metadata.name));
  const marks = releaseMarks(release);
  for (const crd of passed.filter(({ name }) => rendered.has(name))) {
    const live = await readLive(sight, crd);
    if (live !== undefined && crdFact(live).owner === release.package) await mark(sight, live, marks);
  }
}

function passedCrds({ crds }: CrdSight, revision: PackageRevision): readonly CrdFact[] {
  const { package: pkg, crds: listed = [] } = revision.spec;
  if (listed.length === 0) return [];
  const own = new Set(componentsOf(revision).map((component) => releaseKey(component)));
  const owned = crds.facts().filter(({ name, owner }) => owner === pkg && listed.includes(name));
  return owned.filter(({ release }) => release !== undefined && !own.has(release));
}

function isCrd({ apiVersion, kind }: KubeObject): boolean {
  return kind === CRD.kind && apiVersion === CRD.apiVersion;
}
