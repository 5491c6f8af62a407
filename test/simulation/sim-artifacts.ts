import type { ChartRef } from '../../src/api/chart-ref.ts';
import { KubepkgError } from '../../src/api/errors.ts';
import { digestOf } from '../../src/lib/digest.ts';
import type { ArtifactSource, FetchedChart } from '../../src/ports/artifacts.ts';

import type { Life, Stage } from './stage.ts';

/** A registry that has the charts of the universe, and is away now and then. */
export class SimArtifacts implements ArtifactSource {
  readonly #world: Stage;
  readonly #process: Life;

  constructor(world: Stage, process: Life) {
    this.#world = world;
    this.#process = process;
  }

  fetch(ref: ChartRef): Promise<FetchedChart> {
    return this.#process.question(() => this.#find(ref));
  }

  pack(name: string): Promise<FetchedChart> {
    return Promise.reject(
      new KubepkgError('Unsupported', `nothing was taken over, so there is no chart ${name} to make`),
    );
  }

  async #find(ref: ChartRef): Promise<FetchedChart> {
    await Promise.resolve();
    if (ref.kind !== 'tree') throw new KubepkgError('ArtifactNotFound', `there is no chart ${ref.name}`);
    if (this.#world.chaos.strikes('fault')) {
      this.#world.trace.add('registry', `does not answer for ${ref.url}`);
      throw new KubepkgError('RegistryUnreachable', 'the registry does not answer');
    }
    const chart = this.#world.shelf.find(ref.url, ref.path);
    if (chart === undefined) throw new KubepkgError('ArtifactNotFound', `${ref.url} has no chart ${ref.path}`);
    const digest = digestOf(chart.content);
    if (ref.digest !== undefined && ref.digest !== digest) {
      throw new KubepkgError('DigestMismatch', `chart ${ref.path} is not the one that was recorded`);
    }
    const version = ref.url.slice(ref.url.lastIndexOf(':') + 1);
    return {
      ref: { ...ref, digest },
      digest,
      path: chart.content,
      name: ref.path,
      version,
      sizeBytes: 1000,
      hasPostHooks: false,
    };
  }
}
