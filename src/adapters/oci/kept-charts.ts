import { stat } from 'node:fs/promises';
import type { ChartShelf, KeptChart } from '../../ports/artifacts.ts';
import { type ChartInspection, inspectChart } from './chart-inspection.ts';
import type { DiskCache } from './disk-cache.ts';
import { isDigest } from './reference.ts';

const REMEMBERED = 1000;

/** The charts in the cache. What was found in an archive holds for every copy of its bytes, so it is read once. */
export class KeptCharts implements ChartShelf {
  readonly #cache: DiskCache;
  readonly #inspections = new Map<string, ChartInspection>();

  constructor(cache: DiskCache) {
    this.#cache = cache;
  }

  async find(digest: string): Promise<KeptChart | undefined> {
    const file = isDigest(digest) ? await this.#cache.find('charts', digest) : undefined;
    if (file === undefined) return undefined;
    const inspection = this.#inspections.get(digest) ?? (await inspectChart(file.path, `chart ${digest}`));
    this.#remember(digest, inspection);
    const { size } = await stat(file.path);
    return { ...file, ...inspection, sizeBytes: size };
  }

  #remember(digest: string, inspection: ChartInspection): void {
    const [oldest] = this.#inspections.keys();
    if (this.#inspections.size >= REMEMBERED && oldest !== undefined) this.#inspections.delete(oldest);
    this.#inspections.set(digest, inspection);
  }
}
