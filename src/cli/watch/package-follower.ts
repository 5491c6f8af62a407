import type { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { LABEL } from '../../api/names.ts';
import type { Package } from '../../api/package.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import type { Cluster, Selection, Subscription, WatchEvent } from '../../ports/cluster.ts';
import { asPackage, ownRevisions, PACKAGES, REVISIONS, revisionsOf } from '../objects.ts';

/** What a follower has seen last. */
export interface Followed {
  readonly package: Package | undefined;
  /** Oldest first. */
  readonly revisions: readonly PackageRevision[];
}

/** Keeps the newest state of some packages and their revisions, and says when it changes. */
export class PackageFollower {
  readonly #cluster: Cluster;
  readonly #names: readonly string[] | undefined;
  readonly #onChange: () => void;
  readonly #packages = new Map<string, KubeObject>();
  readonly #revisions = new Map<string, KubeObject>();
  readonly #unsynced = new Set(['packages', 'revisions']);
  readonly #subscriptions: Subscription[] = [];
  #disturbance: KubepkgError | undefined;

  /** Without names: all packages, those included that are yet to come. */
  constructor(cluster: Cluster, names: readonly string[] | undefined, onChange: () => void) {
    this.#cluster = cluster;
    this.#names = names;
    this.#onChange = onChange;
  }

  start(): void {
    const [only, ...more] = this.#names ?? [];
    const single = only === undefined || more.length > 0 ? {} : { fieldSelector: `metadata.name=${only}` };
    this.#follow('packages', { ...PACKAGES, ...single }, this.#packages);
    this.#follow('revisions', this.#names === undefined ? REVISIONS : revisionsOf(this.#names), this.#revisions);
  }

  stop(): void {
    for (const subscription of this.#subscriptions.splice(0)) subscription.stop();
  }

  /** True once everything that existed at the start has been seen. */
  get synced(): boolean {
    return this.#unsynced.size === 0;
  }

  /** Why what is known may be out of date; undefined while it is not. */
  get disturbance(): KubepkgError | undefined {
    return this.#disturbance;
  }

  /** Those that there are, sorted. */
  get existing(): readonly string[] {
    const wanted = [...this.#packages.keys()].filter((name) => this.#names?.includes(name) ?? true);
    return wanted.sort();
  }

  get(name: string): Followed {
    const object = this.#packages.get(name);
    const pkg = object === undefined ? undefined : asPackage(object);
    const revisions = [...this.#revisions.values()].filter(({ metadata }) => metadata.labels?.[LABEL.package] === name);
    return { package: pkg, revisions: ownRevisions(pkg, revisions) };
  }

  #follow(what: string, selection: Selection, store: Map<string, KubeObject>): void {
    const onEvent = (event: WatchEvent): void => {
      this.#note(what, event, store);
      this.#onChange();
    };
    this.#subscriptions.push(this.#cluster.watch(selection, onEvent));
  }

  #note(what: string, event: WatchEvent, store: Map<string, KubeObject>): void {
    switch (event.type) {
      case 'set':
        store.set(event.object.metadata.name, event.object);
        this.#disturbance = undefined;
        break;
      case 'gone':
        store.delete(event.object.metadata.name);
        break;
      case 'synced':
        this.#unsynced.delete(what);
        this.#disturbance = undefined;
        break;
      case 'disturbed':
        this.#disturbance = event.error;
        break;
    }
  }
}
