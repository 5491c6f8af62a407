import { asKubepkgError, describeError, KubepkgError } from '../api/errors.ts';
import type { Preparation } from '../domain/decide/world.ts';
import type { PreparedChart } from '../domain/release/snapshot.ts';
import type { DesiredPackage } from '../domain/resolve/desired.ts';
import { backoffDelay } from '../lib/backoff.ts';
import type { ArtifactSource } from '../ports/artifacts.ts';
import type { Backend, BackendSurroundings } from '../ports/backend.ts';
import type { Clock } from '../ports/system.ts';

const RETRY = { baseMs: 2000, maxMs: 120_000 };

interface Entry {
  readonly digest: string;
  readonly failures: number;
  preparation: Preparation;
}

interface PreparationDeps {
  readonly artifacts: ArtifactSource;
  readonly backends: ReadonlyMap<string, Backend>;
  readonly clock: Clock;
}

/** What the backend needs, and the charts of desired states: fetched in the background, once for a digest, tried again after a pause. */
export class Preparations {
  readonly #deps: PreparationDeps;
  readonly #byPackage = new Map<string, Entry>();

  constructor(deps: PreparationDeps) {
    this.#deps = deps;
  }

  view(pkg: string, digest: string): Preparation {
    const entry = this.#byPackage.get(pkg);
    if (entry?.digest !== digest) return { kind: 'none' };
    const { preparation } = entry;
    const due =
      preparation.kind === 'failed' &&
      preparation.class === 'transient' &&
      this.#deps.clock.now() >= preparation.retryAt;
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
    const missing = await this.#missingFor(desired);
    if (missing !== undefined) return this.#failed(missing, describeError(missing), failures);
    const charts: Record<string, PreparedChart> = {};
    for (const component of desired.components) {
      try {
        const chart = await this.#deps.artifacts.fetch(component.chart);
        const refusal = this.#surroundingsOf(desired)?.refuses(chart);
        if (refusal !== undefined) throw refusal;
        const { ref, digest, valuesKeys } = chart;
        charts[component.name] = { ref, digest, ...(valuesKeys === undefined ? {} : { valuesKeys }) };
      } catch (thrown) {
        const error = asKubepkgError(thrown);
        return this.#failed(error, `component ${component.name}: ${describeError(error)}`, failures);
      }
    }
    return { kind: 'ready', charts };
  }

  #surroundingsOf({ backend }: DesiredPackage): BackendSurroundings | undefined {
    return this.#deps.backends.get(backend)?.surroundings;
  }

  async #missingFor(desired: DesiredPackage): Promise<KubepkgError | undefined> {
    try {
      const missing = await this.#surroundingsOf(desired)?.check();
      return missing === undefined ? undefined : unavailable(missing);
    } catch (thrown) {
      return asKubepkgError(thrown);
    }
  }

  #failed({ code, class: kind }: KubepkgError, message: string, failures: number): Preparation {
    const { clock } = this.#deps;
    const retryAt = clock.now() + backoffDelay(RETRY, failures, clock.random());
    return { kind: 'failed', code, class: kind, message, retryAt };
  }
}

/** Whatever it is that is missing: it is looked for again, and blamed on no registry. */
function unavailable(error: KubepkgError): KubepkgError {
  if (error.class === 'configuration') return error;
  const hint = error.hint === undefined ? {} : { hint: error.hint };
  return new KubepkgError('BackendUnavailable', error.message, { ...hint, cause: error });
}
