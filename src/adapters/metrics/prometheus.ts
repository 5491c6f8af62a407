import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { LoadSample, Metrics, MetricsPage, PackageSample, TurnSample } from '../../ports/metrics.ts';

const OUTCOMES = ['applied', 'failed', 'rolled_back'] as const;
const TURN_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** A registry of its own, with the process's and Node.js's own numbers in it. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return new PrometheusMetrics(registry);
}

class PrometheusMetrics implements Metrics {
  readonly #registry: Registry;
  readonly #ready: Gauge<'package'>;
  readonly #info: Gauge<'package' | 'version' | 'revision'>;
  readonly #revisions: Counter<'package' | 'outcome'>;
  readonly #turns: Histogram<'result'>;
  readonly #queued: Gauge;
  readonly #delivering: Gauge;
  readonly #known = new Map<string, PackageSample>();

  constructor(registry: Registry) {
    const registers = [registry];
    this.#registry = registry;
    this.#ready = new Gauge({
      name: 'kubepkg_package_ready',
      help: 'Whether the wanted state of the package is applied and healthy.',
      labelNames: ['package'],
      registers,
    });
    this.#info = new Gauge({
      name: 'kubepkg_package_info',
      help: 'Applied version and newest revision of the package; always 1.',
      labelNames: ['package', 'version', 'revision'],
      registers,
    });
    this.#revisions = new Counter({
      name: 'kubepkg_revisions_total',
      help: 'Revisions that ended, by outcome; one that failed and was rolled back counts as both.',
      labelNames: ['package', 'outcome'],
      registers,
    });
    this.#turns = new Histogram({
      name: 'kubepkg_turn_duration_seconds',
      help: 'How long one turn of a package took.',
      labelNames: ['result'],
      buckets: TURN_SECONDS,
      registers,
    });
    this.#queued = new Gauge({
      name: 'kubepkg_queue_depth',
      help: 'Packages whose turn is due and has not begun.',
      registers,
    });
    this.#delivering = new Gauge({
      name: 'kubepkg_deliveries_running',
      help: 'Releases that are being delivered.',
      registers,
    });
  }

  setPackage(sample: PackageSample): void {
    const { name } = sample;
    const known = this.#known.get(name);
    if (known === undefined) this.#beginCounting(name);
    else if (!sameInfo(known, sample)) this.#info.remove(infoLabels(known));
    this.#known.set(name, sample);
    this.#ready.set({ package: name }, sample.ready ? 1 : 0);
    this.#info.set(infoLabels(sample), 1);
  }

  removePackage(name: string): void {
    const known = this.#known.get(name);
    if (known === undefined) return;
    this.#known.delete(name);
    this.#ready.remove({ package: name });
    this.#info.remove(infoLabels(known));
    for (const outcome of OUTCOMES) this.#revisions.remove({ package: name, outcome });
  }

  countRevision(packageName: string, outcome: (typeof OUTCOMES)[number]): void {
    // What a package that is gone leaves behind would stay on the page for ever.
    if (!this.#known.has(packageName)) return;
    this.#revisions.inc({ package: packageName, outcome });
  }

  observeTurn({ result, durationMs }: TurnSample): void {
    this.#turns.observe({ result }, durationMs / 1000);
  }

  async page({ queued, delivering }: LoadSample): Promise<MetricsPage> {
    this.#queued.set(queued);
    this.#delivering.set(delivering);
    return { contentType: this.#registry.contentType, body: await this.#registry.metrics() };
  }

  /** From 0, so that the first failure of a package is an increase that an alert can see. */
  #beginCounting(name: string): void {
    for (const outcome of OUTCOMES) this.#revisions.inc({ package: name, outcome }, 0);
  }
}

function sameInfo(a: PackageSample, b: PackageSample): boolean {
  return a.version === b.version && a.revision === b.revision;
}

function infoLabels({ name, version, revision }: PackageSample): Record<'package' | 'version' | 'revision', string> {
  return { package: name, version: version ?? '', revision: revision === undefined ? '' : String(revision) };
}
