import { type KubeObject, refOf } from '../../api/kube.ts';
import { ANNOTATION, FIELD_MANAGER } from '../../api/names.ts';
import { asNumber, asString, at } from '../../lib/json.ts';
import type { Cluster } from '../host.ts';
import { PACKAGE_SOURCES, PACKAGES } from '../objects.ts';
import type { Awaited } from '../watch/verdict.ts';
import type { Manifests } from './manifest-files.ts';
import { isAppliedAlready, ownedFields } from './owned-fields.ts';
import { askedFor, type PackageSettings, packageToApply } from './wanted-packages.ts';

/** One object: as it is, as it is to be applied, and what the API server would make of it. */
export interface Planned {
  readonly name: string;
  readonly before: KubeObject | undefined;
  readonly apply: KubeObject;
  readonly after: KubeObject;
}

export interface PlanRequest {
  readonly cluster: Cluster;
  readonly manifests: Manifests;
  readonly settings: PackageSettings;
}

/** Writes nothing. */
export async function planPackage(name: string, { cluster, manifests, settings }: PlanRequest): Promise<Planned> {
  const before = await cluster.read({ ...PACKAGES, name });
  const written = manifests.packages.find(({ metadata }) => metadata.name === name);
  const base = written ?? (before === undefined ? {} : askedFor(ownedFields(before, FIELD_MANAGER)));
  const apply = packageToApply(name, base, settings);
  return { name, before, apply, after: await tryObject(cluster, before, apply) };
}

/** Writes nothing. */
export async function planSource(cluster: Cluster, apply: KubeObject): Promise<Planned> {
  const { name } = apply.metadata;
  const before = await cluster.read({ ...PACKAGE_SOURCES, name });
  return { name, before, apply, after: await tryObject(cluster, before, apply) };
}

export function isChanged({ before, after }: Planned): boolean {
  return before === undefined || before.metadata.generation !== after.metadata.generation;
}

/** A trial costs the API server more than all else of a plan: there is none of what would not be written. */
async function tryObject(cluster: Cluster, before: KubeObject | undefined, object: KubeObject): Promise<KubeObject> {
  if (before !== undefined && isAppliedAlready(before, object, FIELD_MANAGER)) return before;
  return applyObject(cluster, object, { dryRun: true });
}

/** What was there already when it was planned may have changed since. */
async function writeObject(cluster: Cluster, { before, after }: Planned, object: KubeObject): Promise<KubeObject> {
  const now = after === before ? await cluster.read(refOf(object)) : undefined;
  if (now !== undefined && isAppliedAlready(now, object, FIELD_MANAGER)) return now;
  return applyObject(cluster, object);
}

/** The user names the object and the fields: whoever else has set them gives way. */
function applyObject(cluster: Cluster, object: KubeObject, { dryRun = false } = {}): Promise<KubeObject> {
  return cluster.write({ verb: 'apply', object, force: true, dryRun });
}

export interface AppliedPackage {
  readonly object: KubeObject;
  readonly awaited: Awaited;
}

/** Sources first: a Package whose source is missing would be reported as such for a moment. */
export async function applyAll(
  cluster: Cluster,
  planned: { readonly sources: readonly Planned[]; readonly packages: readonly Planned[]; readonly now: number },
): Promise<readonly AppliedPackage[]> {
  const changed = new Map<string, KubeObject>();
  for (const source of planned.sources) {
    const pkg = planned.packages.find(({ name }) => name === source.name);
    const applied = await writeObject(cluster, source, pkg === undefined ? source.apply : awaiting(source.apply, pkg));
    if (source.before?.metadata.generation !== applied.metadata.generation) changed.set(source.name, applied);
  }
  const packages: AppliedPackage[] = [];
  for (const pkg of planned.packages) {
    const object = await unmark(cluster, pkg, await writeObject(cluster, pkg, pkg.apply));
    const source = sourceToAwait(pkg, changed.get(pkg.name), planned.now);
    packages.push({ object, awaited: { name: pkg.name, generation: object.metadata.generation ?? 1, source } });
  }
  return packages;
}

/** Two objects are two writes: the version waits for the values that are given with it. */
function awaiting(source: KubeObject, { before, after }: Planned): KubeObject {
  const { uid, generation } = after.metadata;
  if (before === undefined || generation === undefined || generation === before.metadata.generation) return source;
  const annotations = {
    ...source.metadata.annotations,
    [ANNOTATION.awaitsGeneration]: `${uid ?? ''}/${String(generation)}`,
  };
  return { ...source, metadata: { ...source.metadata, annotations } };
}

/** Somebody else's mark does not go by being left out. */
async function unmark(cluster: Cluster, { name, apply }: Planned, applied: KubeObject): Promise<KubeObject> {
  const isMarked = ({ metadata }: KubeObject): boolean => metadata.annotations?.[ANNOTATION.dependency] !== undefined;
  if (!isMarked(applied) || isMarked(apply)) return applied;
  const patch = { metadata: { annotations: { [ANNOTATION.dependency]: null } } };
  return cluster.write({ verb: 'merge-patch', ref: { ...PACKAGES, name }, patch });
}

/** The status of a Package that is new can only be about the source as it is now. */
function sourceToAwait(pkg: Planned, source: KubeObject | undefined, writtenAt: number): Awaited['source'] {
  if (source === undefined || pkg.before === undefined) return undefined;
  return {
    generation: source.metadata.generation ?? 1,
    version: asString(at(source, 'spec', 'version')) ?? '',
    revisionBefore: asNumber(at(pkg.before, 'status', 'currentRevision')) ?? 0,
    writtenAt,
  };
}
