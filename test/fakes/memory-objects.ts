import { type KubeObject, nameOf, type ObjectRef, refKey, refOf } from '../../src/api/kube.ts';
import { formatSeconds } from '../../src/lib/time.ts';
import type { ReleaseTarget } from '../../src/ports/backend.ts';
import type { MemoryCluster } from './memory-cluster.ts';

const RELEASE = 'meta.helm.sh/release-name';
const NAMESPACE = 'meta.helm.sh/release-namespace';
const FOREGROUND = 'foregroundDeletion';

/** The objects of releases in a cluster in memory: whose they are, and how they go. */
export class MemoryObjects {
  readonly #cluster: MemoryCluster;

  constructor(cluster: MemoryCluster) {
    this.#cluster = cluster;
  }

  /** As an apply does: the annotations that say whose it is come with it. */
  make({ releaseName, namespace }: ReleaseTarget, object: KubeObject): ObjectRef {
    const annotations = { ...object.metadata.annotations, [RELEASE]: releaseName, [NAMESPACE]: namespace };
    return refOf(this.#cluster.put({ ...object, metadata: { ...object.metadata, annotations } }));
  }

  /** It is there, and neither says that it is of this release nor is known to be. */
  isTheirs(target: ReleaseTarget, ref: ObjectRef, own: readonly ObjectRef[]): boolean {
    const live = this.#cluster.get(ref);
    if (live === undefined) return false;
    const isKnown = own.some((item) => refKey(item) === refKey(ref));
    return live.metadata.annotations?.[RELEASE] === undefined ? !isKnown : !belongsTo(live, target);
  }

  /** What an uninstall of the release removes, and is still there. */
  remains(target: ReleaseTarget, items: readonly ObjectRef[]): readonly KubeObject[] {
    this.#collect(items);
    return items.flatMap((ref) => {
      const live = this.#cluster.get(ref);
      return live === undefined || !belongsTo(live, target) || isLeft(live) ? [] : [live];
    });
  }

  /** What the newest revision has no longer; what holds data stays. */
  prune(target: ReleaseTarget, before: readonly ObjectRef[], now: readonly ObjectRef[]): void {
    const kept = new Set(now.map((ref) => refKey(ref)));
    const dropped = this.remains(target, before).filter((object) => !kept.has(refKey(refOf(object))));
    this.remove(dropped.filter(({ kind }) => kind !== 'PersistentVolumeClaim'));
  }

  /** Deletes them, each after its dependents. */
  remove(objects: readonly KubeObject[]): void {
    for (const object of objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined)) {
      const dependents = this.#dependentsOf(object);
      const finalizers = [...(object.metadata.finalizers ?? []), ...(dependents.length > 0 ? [FOREGROUND] : [])];
      const deletionTimestamp = formatSeconds(this.#cluster.now());
      this.#cluster.put({ ...object, metadata: { ...object.metadata, finalizers, deletionTimestamp } });
      this.remove(dependents);
    }
    this.#collect(objects.map((object) => refOf(object)));
  }

  /** What holds an object that is being deleted. */
  holdOf(object: KubeObject): string {
    const { finalizers = [], deletionTimestamp = '' } = object.metadata;
    const others = finalizers.filter((finalizer) => finalizer !== FOREGROUND);
    const dependent = others.length > 0 ? undefined : this.#dependentsOf(object)[0];
    if (dependent !== undefined) return this.holdOf(dependent);
    return `${nameOf(refOf(object))} is held by finalizer ${others.join(', ')} since ${deletionTimestamp}`;
  }

  /** The garbage collector: who waited for dependents that are gone goes too. */
  #collect(refs: readonly ObjectRef[]): void {
    for (const ref of refs) {
      const live = this.#cluster.get(ref);
      if (live?.metadata.finalizers?.includes(FOREGROUND) !== true || this.#dependentsOf(live).length > 0) continue;
      const finalizers = live.metadata.finalizers.filter((finalizer) => finalizer !== FOREGROUND);
      this.#cluster.put({ ...live, metadata: { ...live.metadata, finalizers } });
    }
  }

  #dependentsOf({ metadata: { uid } }: KubeObject): readonly KubeObject[] {
    const pods = this.#cluster.all('Pod');
    return pods.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) === true);
  }
}

/** What nobody signed was left there by a test, for the release that names it. */
function belongsTo({ metadata: { annotations } }: KubeObject, target: ReleaseTarget): boolean {
  const [name = target.releaseName, namespace = target.namespace] = [annotations?.[RELEASE], annotations?.[NAMESPACE]];
  return name === target.releaseName && namespace === target.namespace;
}

function isLeft({ kind, metadata }: KubeObject): boolean {
  if (kind === 'CustomResourceDefinition' || kind === 'Namespace') return true;
  return metadata.annotations?.['helm.sh/resource-policy'] === 'keep';
}
