import { isCode, KubepkgError } from '../api/errors.ts';
import { type KubeObject, nameOf, refOf } from '../api/kube.ts';
import { ANNOTATION } from '../api/names.ts';
import type { DesiredRelease } from '../ports/backend.ts';
import type { Cluster } from '../ports/cluster.ts';
import { awaitCrd } from './await-crd.ts';
import { judgeReplacement } from './crd-replacement.ts';
import { withSpecTaken } from './crd-fields.ts';
import type { CrdPolicy } from './crd-policy.ts';
import { isCrd } from './ownership.ts';

/** One object of a `crds/` folder, and what is to be done with it. */
export interface CrdStep {
  readonly verb: 'create' | 'replace' | 'keep';
  readonly object: KubeObject;
}

/**
 * What the policy makes of the objects of the `crds/` folders, each tried on the API server without effect: what it
 * refuses is found before anything is written. Throws for a CRD of somebody else that would be replaced.
 */
export async function planCrds(
  objects: readonly KubeObject[],
  { release, policy }: { readonly release: DesiredRelease; readonly policy: CrdPolicy },
  cluster: Cluster,
): Promise<readonly CrdStep[]> {
  const steps: CrdStep[] = [];
  for (const object of objects) steps.push(await planObject(object, { release, policy }, cluster));
  return steps;
}

async function planObject(
  object: KubeObject,
  { release, policy }: { readonly release: DesiredRelease; readonly policy: CrdPolicy },
  cluster: Cluster,
): Promise<CrdStep> {
  if (!isCrd(refOf(object))) return { verb: 'create', object };
  const ours = marked(object, release.package);
  const live = await cluster.read(refOf(object));
  if (live === undefined) {
    await createMissing(ours, { cluster, dryRun: true });
    return { verb: 'create', object: ours };
  }
  if (policy !== 'CreateReplace') return { verb: 'keep', object };
  const refusal = judgeReplacement(live, object, release);
  if (refusal !== undefined) throw refusal;
  await cluster.write({ verb: 'apply', object: ours, force: true, dryRun: true });
  return { verb: 'replace', object: ours };
}

/** Does the steps, then waits until the kinds can be used. A delivery that was killed here is just done again. */
export async function writeCrds(
  steps: readonly CrdStep[],
  signal: AbortSignal,
  { release, cluster }: { readonly release: DesiredRelease; readonly cluster: Cluster },
): Promise<void> {
  for (const { verb, object } of steps) {
    if (signal.aborted) throw new KubepkgError('HelmKilled', 'stopped while CRDs of the chart were written');
    if (verb === 'create') await createMissing(object, { cluster });
    if (verb === 'replace') await replace(object, { release, cluster });
  }
  for (const { object } of steps) {
    if (isCrd(refOf(object))) await awaitCrd(object.metadata.name, cluster, signal);
  }
}

async function createMissing(
  object: KubeObject,
  { cluster, dryRun = false }: { readonly cluster: Cluster; readonly dryRun?: boolean },
): Promise<void> {
  try {
    await cluster.write({ verb: 'create', object, ...(dryRun ? { dryRun } : {}) });
  } catch (error) {
    if (!isCode(error, 'ApiAlreadyExists')) throw error;
  }
}

/**
 * By server-side apply, so that what others hold of it stays theirs: labels, an injected bundle of certificates. It is
 * judged once more, and written only as it was judged: it may have become another's since it was planned.
 */
async function replace(
  object: KubeObject,
  { release, cluster }: { readonly release: DesiredRelease; readonly cluster: Cluster },
): Promise<void> {
  const ref = refOf(object);
  const live = await cluster.read(ref);
  if (live === undefined) throw new KubepkgError('ApiConflict', `${nameOf(ref)} was removed while it was replaced`);
  const refusal = judgeReplacement(live, object, release);
  if (refusal !== undefined) throw refusal;
  const { resourceVersion } = await takeSpec(live, cluster);
  await cluster.write({ verb: 'apply', object: withVersion(object, resourceVersion), force: true });
}

/** From whoever wrote it by an update; fails when somebody changed it since it was read. */
async function takeSpec(live: KubeObject, cluster: Cluster): Promise<KubeObject['metadata']> {
  const { resourceVersion, managedFields: held = [] } = live.metadata;
  const managedFields = withSpecTaken(held);
  if (managedFields === undefined) return live.metadata;
  const patch = { metadata: { resourceVersion, managedFields } };
  return (await cluster.write({ verb: 'merge-patch', ref: refOf(live), patch })).metadata;
}

function withVersion(object: KubeObject, resourceVersion: string | undefined): KubeObject {
  return { ...object, metadata: { ...object.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
}

function marked(object: KubeObject, pkg: string): KubeObject {
  const annotations = { ...object.metadata.annotations, [ANNOTATION.ownedBy]: pkg };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
