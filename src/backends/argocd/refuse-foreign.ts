import { KubepkgError } from '../../api/errors.ts';
import { type KubeObject, nameOf, type ObjectRef, refKey, refOf } from '../../api/kube.ts';
import { goingObject } from '../../helm/awaited-object.ts';
import { isCrd, readMetadata } from '../../helm/ownership.ts';
import { isTerminating } from '../../helm/remains.ts';
import type { DesiredRelease } from '../../ports/backend.ts';
import { APPLICATION } from './application.ts';
import { readInventory } from './inventory.ts';
import type { ArgoCdTools } from './tools.ts';
import { isOurs, trackedBy } from './tracking.ts';

/** Argo CD writes over whatever has the name of an object of its Application (P21). */
export async function refuseForeign(
  refs: readonly ObjectRef[],
  { release, live }: { readonly release: DesiredRelease; readonly live: KubeObject | undefined },
  tools: ArgoCdTools,
): Promise<void> {
  const inventory = live === undefined ? undefined : await readInventory(live, tools.store);
  const known = new Set(inventory?.every.map((ref) => refKey(ref)));
  for (const ref of refs) {
    const object = await readMetadata(ref, tools.cluster);
    if (object === undefined || isOurs(object, release)) continue;
    // Whose a CRD is, Argo CD marks nowhere: what the Application has, it has.
    if (isCrd(ref) && known.has(refKey(ref))) continue;
    await refuse(object, release, tools);
  }
}

async function refuse(object: KubeObject, release: DesiredRelease, tools: ArgoCdTools): Promise<void> {
  const name = nameOf(refOf(object));
  const other = await otherApplication(object, tools);
  if (isTerminating(object)) throw await goingObject(object, { target: release, owner: other }, tools.cluster);
  if (other !== undefined) {
    throw new KubepkgError('OwnershipConflict', `${name} exists and belongs to ${other}`, {
      hint: 'delete that Application without its objects first, or remove the object from it',
    });
  }
  if (release.adopt) return;
  const ours = `release ${release.namespace}/${release.releaseName}`;
  throw new KubepkgError('OwnershipConflict', `${name} exists and is not of ${ours}`, {
    hint: 'remove it, or adopt it with the annotation kubepkg.dev/adopt',
  });
}

/** Two Applications would fight for it; one that was deleted without its objects does not. */
async function otherApplication(object: KubeObject, { cluster, options }: ArgoCdTools): Promise<string | undefined> {
  const name = trackedBy(object) ?? '';
  if (name === '') return undefined;
  const ref = { ...APPLICATION, namespace: options.namespace, name };
  return (await readMetadata(ref, cluster)) === undefined ? undefined : nameOf(ref);
}
