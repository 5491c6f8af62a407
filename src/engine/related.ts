import { asKubepkgError, isCode } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import type { RelatedQuery } from '../domain/readiness/verdict.ts';
import { stableJson } from '../lib/stable-json.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Clock } from '../ports/system.ts';

/** What only explains a verdict is not read more often than a person could read it. */
const CAUSE_LIFE_MS = 1000;

/** Reads what judges or explains objects that are not ready. */
export class RelatedReader {
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #causes = new Map<string, { readonly readAt: number; readonly objects: readonly KubeObject[] }>();

  constructor(cluster: Cluster, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
  }

  /** `of` is the version of an object that has ended: what explains it is not from before its end. */
  async read(queries: readonly RelatedQuery[], of?: string): Promise<readonly KubeObject[]> {
    const found = await Promise.all(
      queries.map((query) => (query.purpose === 'cause' ? this.#cause(query, of) : this.#ask(query))),
    );
    return found.flat();
  }

  async #cause(query: RelatedQuery, of = ''): Promise<readonly KubeObject[]> {
    const key = `${stableJson(query)} ${of}`;
    const now = this.#clock.now();
    const known = this.#causes.get(key);
    if (known !== undefined && now - known.readAt < CAUSE_LIFE_MS) return known.objects;
    for (const [name, { readAt }] of this.#causes) if (now - readAt >= CAUSE_LIFE_MS) this.#causes.delete(name);
    const objects = await this.#askPatiently(query);
    this.#causes.set(key, { readAt: now, objects });
    return objects;
  }

  /** A verdict does not wait for what only explains it. */
  async #askPatiently(query: RelatedQuery): Promise<readonly KubeObject[]> {
    try {
      return await this.#ask(query);
    } catch (thrown) {
      if (asKubepkgError(thrown).class !== 'transient') throw thrown;
      return [];
    }
  }

  /** What may not be read explains nothing; the verdict stands without it. */
  async #ask(query: RelatedQuery): Promise<readonly KubeObject[]> {
    try {
      if (query.kind === 'selected') return (await this.#cluster.list(query.selection)).items;
      const object = await this.#cluster.read(query.ref);
      return object === undefined ? [] : [object];
    } catch (error) {
      if (isCode(error, 'ApiForbidden', 'KindNotServed')) return [];
      throw error;
    }
  }
}
