import type { KubeObject } from '../../../src/api/kube.ts';
import { API_VERSION, LABEL } from '../../../src/api/names.ts';
import { isOlderVersion } from '../../../src/lib/resource-version.ts';
import type { Cluster, Selection, Subscription } from '../../../src/ports/cluster.ts';
import { conditionsOf, lossOf, newsOf, releaseOf, withoutRepeats } from './words.ts';

interface Entry {
  readonly resourceVersion: string | undefined;
  readonly lines: readonly string[];
}

/**
 * What a package's journal, its Ready condition and Helm's records say one after the other, as the API server tells it:
 * the same on every cluster. Resource versions put what comes by several watches into one order. Times, UIDs and the
 * texts for people, which tell of single pods, are left out.
 */
export class Recording {
  readonly #cluster: Cluster;
  readonly #id: string;
  readonly #watches: readonly Subscription[];
  readonly #seen = new Map<string, KubeObject>();
  readonly #synced = new Set<string>();
  readonly #waiting = new Set<() => void>();
  #entries: Entry[] = [];

  private constructor(cluster: Cluster, id: string) {
    this.#cluster = cluster;
    this.#id = id;
    this.#watches = this.#selections().map((selection) => this.#watch(selection));
  }

  /** Of a package, in its namespace and in the one it may move to; what exists already is no news. */
  static async begin(cluster: Cluster, id: string): Promise<Recording> {
    const recording = new Recording(cluster, id);
    await recording.#until(() => recording.#synced.size === recording.#selections().length);
    return recording;
  }

  stop(): void {
    for (const watch of this.#watches) watch.stop();
  }

  /** Resolves once everything has been seen that there is. */
  async caughtUp(): Promise<void> {
    for (const selection of this.#selections()) {
      const { items } = await this.#cluster.list(selection);
      const own = items.filter((object) => this.#isOwn(object));
      await this.#until(() => own.every((object) => !this.#isBehind(object)) && !this.#hasMore(selection.kind, own));
    }
  }

  /** What has been decided since the last time that this was asked. */
  take(): readonly string[] {
    const sorted = this.#entries.toSorted((a, b) => {
      if (isOlderVersion(a.resourceVersion, b.resourceVersion)) return -1;
      return isOlderVersion(b.resourceVersion, a.resourceVersion) ? 1 : 0;
    });
    this.#entries = [];
    const lines = sorted.flatMap((entry) => entry.lines).map((line) => line.replaceAll(this.#id, 'PACKAGE'));
    return withoutRepeats(lines);
  }

  /** Every condition of the package. */
  conditions(): readonly string[] {
    const [pkg] = this.#of('Package');
    return conditionsOf(pkg)
      .map(({ type, status, reason }) => `${type} ${status} ${reason}`)
      .toSorted();
  }

  #selections(): readonly Selection[] {
    return [
      { apiVersion: API_VERSION, kind: 'Package', fieldSelector: `metadata.name=${this.#id}` },
      { apiVersion: API_VERSION, kind: 'PackageRevision', labelSelector: `${LABEL.package}=${this.#id}` },
      { apiVersion: 'v1', kind: 'Secret', fieldSelector: 'type=helm.sh/release.v1', metadataOnly: true },
    ];
  }

  #watch(selection: Selection): Subscription {
    const { kind } = selection;
    return this.#cluster.watch(selection, (event) => {
      if (event.type === 'synced') this.#synced.add(kind);
      else if (event.type !== 'disturbed' && this.#isOwn(event.object)) {
        this.#see(event.object, { gone: event.type === 'gone', isNews: this.#synced.has(kind) });
      }
      for (const look of [...this.#waiting]) look();
    });
  }

  #isOwn({ kind, metadata: { namespace = '' } }: KubeObject): boolean {
    return kind !== 'Secret' || namespace === this.#id || namespace === movedTo(this.#id);
  }

  #see(object: KubeObject, { gone, isNews }: { readonly gone: boolean; readonly isNews: boolean }): void {
    const key = keyOf(object);
    const before = this.#seen.get(key);
    if (gone) this.#seen.delete(key);
    else this.#seen.set(key, object);
    const lines = gone ? lossOf(object) : newsOf(before, object);
    if (isNews) this.#entries.push({ resourceVersion: object.metadata.resourceVersion, lines });
  }

  /** Helm drops its records while the engine goes on already: that a release is gone has no place in the order. */
  releases(): readonly string[] {
    const names = this.#of('Secret').map((object) => releaseOf(object).replaceAll(this.#id, 'PACKAGE'));
    return [...new Set(names)].toSorted();
  }

  #of(kind: string): readonly KubeObject[] {
    return [...this.#seen.values()].filter((object) => object.kind === kind);
  }

  #isBehind(object: KubeObject): boolean {
    const known = this.#seen.get(keyOf(object))?.metadata.resourceVersion;
    return known === undefined || isOlderVersion(known, object.metadata.resourceVersion);
  }

  #hasMore(kind: string, own: readonly KubeObject[]): boolean {
    const keys = new Set(own.map(keyOf));
    return this.#of(kind).some((object) => !keys.has(keyOf(object)));
  }

  #until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }
}

/** The second namespace of a package. */
export function movedTo(id: string): string {
  return `${id}-moved`;
}

function keyOf({ kind, metadata: { namespace = '', name, uid = '' } }: KubeObject): string {
  return [kind, namespace, name, uid].join('/');
}
