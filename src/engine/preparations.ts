import { asKubepkgError } from '../api/errors.ts';
import type { Preparation } from '../domain/decide/world.ts';
import type { PreparedChart } from '../domain/release/snapshot.ts';
import type { DesiredPackage } from '../domain/resolve/desired.ts';
import { backoffDelay } from '../lib/backoff.ts';
import type { ArtifactSource } from '../ports/artifacts.ts';
import type { Clock } from '../ports/system.ts';

const RETRY = { baseMs: 2000, maxMs: 120_000 };

interface Entry {
  readonly digest: string;
  readonly failures: number;
  preparation: Preparation;
}

/** The charts of desired states: fetched in the background, once for a digest, tried again after a pause. */
export class Preparations {
  readonly #artifacts: ArtifactSource;
  readonly #clock: Clock;
  readonly #byPackage = new Map<string, Entry>();

  constructor(artifacts: ArtifactSource, clock: Clock) {
    this.#artifacts = artifacts;
    this.#clock = clock;
  }

  view(pkg: string, digest: string): Preparation {
    const entry = this.#byPackage.get(pkg);
    if (entry?.digest !== digest) return { kind: 'none' };
    const { preparation } = entry;
    const due =
      preparation.kind === 'failed' && preparation.class === 'transient' && this.#clock.now() >= preparation.retryAt;
    return due ? { kind: 'none' } : preparation;
  }

  start(desired: DesiredPackage, onEnd: () => void): void {
    const former = this.#byPackage.get(desired.package);
    const failures = former?.digest === desired.digest ? former.failures : 0;
    const entry: Entry = { digest: desired.digest, failures: failures + 1, preparation: { kind: 'running' } };
    this.#byPackage.set(desired.package, entry);
    void this.#fetchAll(desired, entry.failures).then((preparation) => {
      entry.preparation = preparation;
      onEnd();
    });
  }

  forget(pkg: string): void {
    this.#byPackage.delete(pkg);
  }

  async #fetchAll(desired: DesiredPackage, failures: number): Promise<Preparation> {
    const charts: Record<string, PreparedChart> = {};
    for (const component of desired.components) {
      try {
        const { ref, digest, valuesKeys } = await this.#artifacts.fetch(component.chart);
        charts[component.name] = { ref, digest, ...(valuesKeys === undefined ? {} : { valuesKeys }) };
      } catch (thrown) {
        const error = asKubepkgError(thrown);
        const retryAt = this.#clock.now() + backoffDelay(RETRY, failures, this.#clock.random());
        const message = `component ${component.name}: ${error.message}${error.hint === undefined ? '' : `; ${error.hint}`}`;
        return { kind: 'failed', code: error.code, class: error.class, message, retryAt };
      }
    }
    return { kind: 'ready', charts };
  }
}
