import { KubepkgError } from '../../api/errors.ts';
import { targetOf } from '../../domain/decide/views.ts';
import { recordedChart } from '../../domain/release/snapshot.ts';
import type { ArtifactSource, ChartShelf, FetchedChart, KeptChart } from '../../ports/artifacts.ts';
import type { ReleaseArchive } from '../../ports/backend.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Clock } from '../../ports/system.ts';
import type { RecordedChart } from './recorded-chart.ts';
import { RevisionIndex } from './revision-index.ts';
import { Slots } from './slots.ts';

export interface ChartFinderDeps {
  readonly artifacts: ChartShelf & ArtifactSource;
  readonly cluster: Pick<Cluster, 'list' | 'read'>;
  readonly clock: Clock;
  /** Of the backend of that name, or of the default one: charts that were made of a release record are made again. */
  readonly archiveOf: (backend: string | undefined) => ReleaseArchive | undefined;
}

/** Charts that are fetched at once because the cache lacks them. */
const FETCHES_AT_ONCE = 4;

/** Finds charts by the digest of their archive: in the cache, else by the revision that recorded it. */
export class ChartFinder implements ChartShelf {
  readonly #deps: ChartFinderDeps;
  readonly #revisions: RevisionIndex;
  readonly #slots = new Slots(FETCHES_AT_ONCE);
  readonly #running = new Map<string, Promise<KeptChart | undefined>>();

  constructor(deps: ChartFinderDeps) {
    this.#deps = deps;
    this.#revisions = new RevisionIndex(deps.cluster, deps.clock);
  }

  async find(digest: string): Promise<KeptChart | undefined> {
    return (await this.#deps.artifacts.find(digest)) ?? this.#obtainOnce(digest);
  }

  #obtainOnce(digest: string): Promise<KeptChart | undefined> {
    const running = this.#running.get(digest);
    if (running !== undefined) return running;
    const obtained = this.#obtain(digest).finally(() => this.#running.delete(digest));
    this.#running.set(digest, obtained);
    return obtained;
  }

  async #obtain(digest: string): Promise<KeptChart | undefined> {
    const record = await this.#revisions.find(digest);
    if (record === undefined) return undefined;
    const chart = await this.#slots.run(() => this.#fetch(record));
    if (chart?.digest === digest) return chart;
    throw new KubepkgError(
      'ArtifactNotFound',
      `nothing gives the chart ${digest} of component ${nameOf(record)} any more`,
      {
        hint: 'its registry, tree or release record has another one now, or none',
      },
    );
  }

  async #fetch(record: RecordedChart): Promise<FetchedChart | undefined> {
    const { artifacts } = this.#deps;
    const ref = recordedChart(record.component);
    return ref === undefined ? this.#remake(record) : artifacts.fetch(ref);
  }

  async #remake({ revision, component }: RecordedChart): Promise<FetchedChart | undefined> {
    const archive = this.#deps.archiveOf(revision.spec.backend);
    const recalled = await archive?.recall(targetOf(revision, component), component.chart?.record);
    return recalled && this.#deps.artifacts.pack(recalled.chartName, recalled.files);
  }
}

function nameOf({ revision, component }: RecordedChart): string {
  return `${component.name} of PackageRevision ${revision.metadata.name}`;
}
