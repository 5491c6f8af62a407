import type { OciArtifacts } from '../../adapters/oci/index.ts';
import type { TreeChartRef } from '../../api/chart-ref.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { Activity } from '../../embedded/time/activity.ts';
import { stableJson } from '../../lib/stable-json.ts';
import type { FetchedChart } from '../../ports/artifacts.ts';
import { chartOfTree, type PackedTree } from '../author-package.ts';
import type { Workshop } from '../author-workshop.ts';

/** Charts of recipes from this machine, all others from where they are published; no time passes while they come. */
export class RehearsedArtifacts implements OciArtifacts {
  readonly #workshop: Workshop;
  readonly #activity: Activity;
  readonly #trees: ReadonlyMap<string, PackedTree>;
  readonly #made: Map<string, Promise<FetchedChart>>;

  constructor({ workshop, trees, made }: LocalCharts, activity: Activity) {
    this.#workshop = workshop;
    this.#trees = trees;
    this.#made = made;
    this.#activity = activity;
  }

  fetch: OciArtifacts['fetch'] = (ref, signal) =>
    this.#activity.during(() => {
      const tree = ref.kind === 'tree' ? this.#trees.get(ref.url) : undefined;
      return tree === undefined || ref.kind !== 'tree'
        ? this.#workshop.artifacts.fetch(ref, signal)
        : this.#chartOf(tree, ref);
    });

  pack: OciArtifacts['pack'] = (name, files) => this.#activity.during(() => this.#workshop.artifacts.pack(name, files));

  find: OciArtifacts['find'] = (digest) =>
    this.#activity.during(async () => {
      for (const made of this.#made.values()) {
        const chart = await made;
        if (chart.digest === digest) return chart;
      }
      return this.#workshop.artifacts.find(digest);
    });

  manifestDigest: OciArtifacts['manifestDigest'] = (ref, signal) =>
    this.#activity.during(() => this.#workshop.artifacts.manifestDigest(ref, signal));

  async #chartOf(tree: PackedTree, ref: TreeChartRef): Promise<FetchedChart> {
    const { digest: wanted, ...place } = ref;
    const key = stableJson(place);
    const making = this.#made.get(key) ?? chartOfTree(tree, { ...place, treeDigest: tree.digest }, this.#workshop);
    this.#made.set(key, making);
    const chart = await making;
    if (wanted === undefined || wanted === chart.digest) return chart;
    throw new KubepkgError(
      'DigestMismatch',
      `chart ${ref.path} of ${ref.url} is not what was recorded: ${chart.digest}`,
    );
  }
}

/** What the rehearsals of one command share. */
export interface LocalCharts {
  readonly workshop: Workshop;
  readonly trees: ReadonlyMap<string, PackedTree>;
  /** Charts that were made of the trees. */
  readonly made: Map<string, Promise<FetchedChart>>;
}
