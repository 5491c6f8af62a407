import { releaseKey } from '../domain/decide/world.ts';
import type { Backend, BackendWatch, RecordedRelease } from '../ports/backend.ts';
import { isCode } from '../api/errors.ts';
import type { Cluster, Subscription, WatchEvent } from '../ports/cluster.ts';

interface Deps {
  readonly cluster: Cluster;
  readonly backends: ReadonlyMap<string, Backend>;
  /** The release of that key may have changed, by something outside. */
  readonly onChange: (key: string, pkg: string) => void;
}

/** Watches what the backends deliver with; those of a backend that no package asks for are never opened. */
export class BackendWatches {
  readonly #deps: Deps;
  readonly #opened = new Map<string, Promise<void>>();
  readonly #subscriptions: Subscription[] = [];

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Resolves once what exists is known, or it is known that nothing of that kind can be seen yet. */
  need(id: string): Promise<void> {
    const known = this.#opened.get(id);
    if (known !== undefined) return known;
    const watches = this.#deps.backends.get(id)?.watches() ?? [];
    const opened = Promise.all(watches.map((watch) => this.#open(watch))).then(() => undefined);
    this.#opened.set(id, opened);
    return opened;
  }

  stop(): void {
    for (const subscription of this.#subscriptions) subscription.stop();
  }

  #open(watch: BackendWatch): Promise<void> {
    return new Promise((resolve) => {
      const subscription = this.#deps.cluster.watch(watch.selection, (event) => {
        if (event.type === 'synced' || isNotThere(event)) resolve();
        if (event.type === 'set' || event.type === 'gone') this.#tell(watch.owner(event.object));
      });
      this.#subscriptions.push(subscription);
    });
  }

  #tell(release: RecordedRelease | undefined): void {
    if (release !== undefined) this.#deps.onChange(releaseKey(release), release.package);
  }
}

/** A backend that is not installed, or may not be looked at, must not keep the others from working. */
function isNotThere(event: WatchEvent): boolean {
  return event.type === 'disturbed' && isCode(event.error, 'KindNotServed', 'ApiForbidden');
}
