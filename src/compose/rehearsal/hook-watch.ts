import type { EmbeddedApi, Watching } from '../../embedded/model/api.ts';
import type { StoredObject } from '../../embedded/model/object.ts';
import { controllerOf, releaseOf } from './release-of.ts';

const PODS = { group: '', version: 'v1', plural: 'pods' } as const;

/** Counts how often the Jobs of hooks have run: each Job of which a pod was made is one run. */
export class HookWatch {
  readonly #api: EmbeddedApi;
  readonly #runs = new Map<string, Set<string>>();
  #watching: Watching | undefined;

  constructor(api: EmbeddedApi) {
    this.#api = api;
  }

  /** Of releases of these names. */
  begin(releases: readonly string[]): void {
    for (const release of releases) this.#runs.set(release, new Set());
    const { resourceVersion } = this.#api.list(PODS);
    this.#watching = this.#api.watch(PODS, { resourceVersion }, (event) => {
      if (event.type === 'ADDED') this.#count(event.object);
    });
  }

  runs(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#runs].map(([release, jobs]) => [release, jobs.size]));
  }

  end(): void {
    this.#watching?.stop();
  }

  #count(pod: StoredObject): void {
    const job = controllerOf(this.#api, pod);
    if (job?.kind === 'Job') this.#runs.get(releaseOf(this.#api, job) ?? '')?.add(job.metadata.uid);
  }
}
