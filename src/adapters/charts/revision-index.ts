import { API_VERSION } from '../../api/names.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Clock } from '../../ports/system.ts';
import { FreshList } from './fresh-list.ts';
import { digestsIn, type RecordedChart, recordIn } from './recorded-chart.ts';

const REVISIONS = { apiVersion: API_VERSION, kind: 'PackageRevision' } as const;

/** Names of revisions by the digests of their charts. */
type Names = ReadonlyMap<string, readonly string[]>;

/**
 * Which revision recorded a chart. All of them are listed only for a digest that the newest list did not have: the
 * charts of a package are recorded together, and asked for one after the other.
 */
export class RevisionIndex {
  readonly #cluster: Pick<Cluster, 'list' | 'read'>;
  readonly #lists: FreshList<Names>;
  #newest: Names = new Map();

  constructor(cluster: Pick<Cluster, 'list' | 'read'>, clock: Clock) {
    this.#cluster = cluster;
    this.#lists = new FreshList(() => this.#list(), clock);
  }

  async find(digest: string): Promise<RecordedChart | undefined> {
    return (await this.#read(digest, this.#newest)) ?? this.#read(digest, await this.#lists.next());
  }

  async #read(digest: string, names: Names): Promise<RecordedChart | undefined> {
    for (const name of names.get(digest) ?? []) {
      const object = await this.#cluster.read({ ...REVISIONS, name });
      const record = object && recordIn(object, digest);
      if (record !== undefined) return record;
    }
    return undefined;
  }

  async #list(): Promise<Names> {
    const names = new Map<string, string[]>();
    for (const object of (await this.#cluster.list(REVISIONS)).items) {
      for (const digest of digestsIn(object)) names.set(digest, [...(names.get(digest) ?? []), object.metadata.name]);
    }
    this.#newest = names;
    return names;
  }
}
