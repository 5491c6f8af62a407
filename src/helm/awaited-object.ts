import { KubepkgError } from '../api/errors.ts';
import { type KubeObject, nameOf, type ObjectRef } from '../api/kube.ts';
import type { ReleaseTarget } from '../ports/backend.ts';
import type { Cluster } from '../ports/cluster.ts';
import { describeHold } from './describe-hold.ts';
import { manifestDocuments } from './manifest.ts';
import { readMetadata } from './ownership.ts';
import type { ReleaseStore } from './release-store.ts';
import { isTerminating } from './remains.ts';

const CONFLICT = /(\w+) "([^"]+)" in namespace "([^"]*)" exists and cannot be imported into the current release/;
const UNSIGNED = /missing key "meta\.helm\.sh\//;
const NAME = ownerPattern('release-name');
const NAMESPACE = ownerPattern('release-namespace');

type Place = Pick<ReleaseTarget, 'namespace' | 'releaseName'>;

interface Tools {
  readonly cluster: Cluster;
  readonly store: ReleaseStore;
}

/** An object that helm has found to be of another release. */
interface Conflict {
  readonly kind: string;
  readonly name: string;
  /** Empty for one that is in none. */
  readonly namespace: string;
  readonly owner: Place;
}

/**
 * An object that passes from one release to another may be going still when its new release comes: that is waited for.
 * Undefined: what helm says is about no such object, and stays what it is.
 */
export async function awaitedObject(
  said: string,
  target: ReleaseTarget,
  { cluster, store }: Tools,
): Promise<KubepkgError | undefined> {
  const conflict = conflictIn(said, target);
  const ref = conflict === undefined ? undefined : await findRef(conflict, store);
  if (conflict === undefined || ref === undefined) return undefined;
  const object = await readMetadata(ref, cluster);
  if (object === undefined) return lockedBy(target, `${nameOf(ref)} was in the way and is gone`);
  if (!isTerminating(object)) return undefined;
  return goingObject(object, { target, owner: `release ${placeOf(conflict.owner)}` }, cluster);
}

/** Once it is gone the release can have one of its own. */
export async function goingObject(
  object: KubeObject,
  { target, owner }: { readonly target: ReleaseTarget; readonly owner?: string | undefined },
  cluster: Cluster,
): Promise<KubepkgError> {
  const held = (await describeHold([object], cluster)) ?? '';
  return lockedBy(target, `${held}${owner === undefined ? '' : `; it was of ${owner}`}, and has to be gone first`);
}

function lockedBy(target: ReleaseTarget, message: string): KubepkgError {
  return new KubepkgError('ReleaseLocked', `release ${placeOf(target)}: ${message}`);
}

function placeOf({ namespace, releaseName }: Place): string {
  return `${namespace}/${releaseName}`;
}

/** Helm names of an owner only what is not as it should be; undefined where nobody has signed the object. */
function conflictIn(said: string, { namespace: own, releaseName: ownName }: ReleaseTarget): Conflict | undefined {
  const [, kind, name, namespace] = CONFLICT.exec(said) ?? [];
  if (kind === undefined || name === undefined || namespace === undefined || UNSIGNED.test(said)) return undefined;
  const owner = { releaseName: NAME.exec(said)?.[1] ?? ownName, namespace: NAMESPACE.exec(said)?.[1] ?? own };
  return { kind, name, namespace, owner };
}

function ownerPattern(annotation: string): RegExp {
  return new RegExp(`key "meta\\.helm\\.sh/${annotation}" must equal "[^"]*": current value is "([^"]*)"`);
}

/** Helm does not tell its group: a record of its owner does. */
async function findRef(
  { kind, name, namespace, owner }: Conflict,
  store: ReleaseStore,
): Promise<ObjectRef | undefined> {
  for (const head of await store.heads({ ...owner, package: '', component: '' })) {
    const stored = await store.read(head);
    const documents = manifestDocuments(stored?.record.manifest ?? '');
    const placed = await store.placed(documents, owner.namespace);
    const found = placed.find(
      ({ ref }) => ref.kind === kind && ref.name === name && (ref.namespace ?? '') === namespace,
    );
    if (found !== undefined) return found.ref;
  }
  return undefined;
}
