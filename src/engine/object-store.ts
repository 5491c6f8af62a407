import type { KubeObject } from '../api/kube.ts';
import { LABEL } from '../api/names.ts';
import { isOlderVersion } from '../lib/resource-version.ts';
import type { Cluster, Selection, Subscription, WatchEvent } from '../ports/cluster.ts';

/** More than can end while one write is under way. */
const REMEMBERED = 1000;

/**
 * All objects of one of our kinds, by name, kept by a watch. What this process has written itself is seen at once,
 * so that the next turn does not decide on what was there before.
 */
export class ObjectStore {
  readonly #selection: Selection;
  readonly #onChange: (object: KubeObject) => void;
  readonly #objects = new Map<string, KubeObject>();
  /** Names of objects by the package that they belong to. */
  readonly #byPackage = new Map<string, Set<string>>();
  /** UIDs of objects that are no more: the answer to a last write of ours may come after the news of their end. */
  readonly #gone = new Set<string>();
  #subscription: Subscription | undefined;

  constructor(selection: Selection, onChange: (object: KubeObject) => void) {
    this.#selection = selection;
    this.#onChange = onChange;
  }

  /** Resolves once everything that exists has been delivered. */
  start(cluster: Cluster): Promise<void> {
    return new Promise((resolve) => {
      this.#subscription = cluster.watch(this.#selection, (event) => {
        this.#take(event);
        if (event.type === 'synced') resolve();
      });
    });
  }

  stop(): void {
    this.#subscription?.stop();
  }

  get(name: string): KubeObject | undefined {
    return this.#objects.get(name);
  }

  all(): readonly KubeObject[] {
    return [...this.#objects.values()];
  }

  /** Objects that carry the label of a package. */
  ofPackage(pkg: string): readonly KubeObject[] {
    return [...(this.#byPackage.get(pkg) ?? [])].flatMap((name) => this.#objects.get(name) ?? []);
  }

  /** Takes in the object that a write of ours gave back, unless the watch has brought a newer one, or its end, meanwhile. */
  written(object: KubeObject): void {
    if (this.#isWelcome(object)) this.#keep(object);
  }

  /** Takes in an object that was read, in the same way; unlike what was written it is news, which the watch will not repeat. */
  found(object: KubeObject): void {
    if (this.#isWelcome(object)) this.#learn(object);
  }

  #isWelcome(object: KubeObject): boolean {
    const { name, uid = '' } = object.metadata;
    const known = this.#objects.get(name)?.metadata.uid;
    const isAnother = known !== undefined && known !== uid;
    return !isAnother && !this.#isPast(object);
  }

  #take(event: WatchEvent): void {
    if (event.type === 'set') this.#set(event.object);
    if (event.type === 'gone') this.#remove(event.object);
  }

  #set(object: KubeObject): void {
    if (!this.#isPast(object)) this.#learn(object);
  }

  #learn(object: KubeObject): void {
    const known = this.#objects.get(object.metadata.name);
    const echo = known?.metadata.resourceVersion === object.metadata.resourceVersion;
    this.#keep(object);
    if (!echo) this.#onChange(object);
  }

  #keep(object: KubeObject): void {
    const { name } = object.metadata;
    this.#objects.set(name, object);
    const pkg = packageOf(object);
    if (pkg === undefined) return;
    const names = this.#byPackage.get(pkg) ?? new Set();
    this.#byPackage.set(pkg, names.add(name));
  }

  #drop(object: KubeObject): void {
    const { name } = object.metadata;
    this.#objects.delete(name);
    const pkg = packageOf(object) ?? '';
    const names = this.#byPackage.get(pkg);
    names?.delete(name);
    if (names?.size === 0) this.#byPackage.delete(pkg);
  }

  #bury(uid: string | undefined): void {
    if (uid === undefined) return;
    this.#gone.add(uid);
    const [oldest] = this.#gone;
    if (this.#gone.size > REMEMBERED && oldest !== undefined) this.#gone.delete(oldest);
  }

  /** It is gone, or newer news of it is here already. */
  #isPast({ metadata }: KubeObject): boolean {
    if (this.#gone.has(metadata.uid ?? '')) return true;
    const known = this.#objects.get(metadata.name)?.metadata;
    return known?.uid === metadata.uid && isOlderVersion(metadata.resourceVersion, known?.resourceVersion);
  }

  #remove(object: KubeObject): void {
    this.#bury(object.metadata.uid);
    const known = this.#objects.get(object.metadata.name);
    if (known !== undefined && known.metadata.uid !== object.metadata.uid) return;
    this.#drop(known ?? object);
    this.#onChange(object);
  }
}

function packageOf(object: KubeObject): string | undefined {
  return object.metadata.labels?.[LABEL.package];
}
