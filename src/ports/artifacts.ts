import type { ChartRef, PublishedChartRef } from '../api/chart-ref.ts';

export type { ChartRef, PublishedChartRef, TreeChartRef } from '../api/chart-ref.ts';

/** A chart on the local disk whose digest was verified. */
export interface FetchedChart {
  /** The reference with its digests filled in: fetching it again gives the same bytes or fails. */
  readonly ref: ChartRef;
  /** `sha256:…`: of the archive for a published chart, of the built archive for one from a tree. */
  readonly digest: string;
  /** Absolute path of the .tgz. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly sizeBytes: number;
  /** The chart, or a subchart, has post-install or post-upgrade hooks. */
  readonly hasPostHooks: boolean;
  /** Top-level keys of values that its schema allows; absent: it allows any. */
  readonly valuesKeys?: readonly string[];
}

/** A published chart whose archive was verified. */
export type PinnedChartRef = PublishedChartRef & { readonly digest: string };

/** A chart that is kept, by whatever reference it came. */
export type KeptChart = Omit<FetchedChart, 'ref'>;

/** Charts that were fetched or packed before, by the digest of their archive. */
export interface ChartShelf {
  /** Verified anew; undefined: there is none (any more). */
  find(digest: string): Promise<KeptChart | undefined>;
}

/** Charts and trees, fetched once, verified before every use, cached by digest. */
export interface ArtifactSource {
  fetch(ref: ChartRef, signal?: AbortSignal): Promise<FetchedChart>;
  /** Makes a chart of files, by their path in it; the same files give the same digest. */
  pack(name: string, files: Readonly<Record<string, string>>): Promise<FetchedChart>;
}
