import type { KubeObject } from '../../api/kube.ts';
import { GROUP, LABEL } from '../../api/names.ts';
import { asArray, asNumber, asString, at } from '../../lib/json.ts';
import type { Selection, WatchEvent } from '../../ports/cluster.ts';
import type { Metrics } from '../../ports/metrics.ts';

const OUTCOMES: ReadonlyMap<unknown, 'applied' | 'failed' | 'rolled_back'> = new Map([
  ['Applied', 'applied'],
  ['Failed', 'failed'],
  ['RolledBack', 'rolled_back'],
]);

/** Measures packages by what the watches on them deliver. */
export class PackageMeter {
  readonly #metrics: Metrics;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  /** A listener for the watch on such objects; undefined for kinds that tell nothing. */
  tap({ apiVersion, kind }: Selection): ((event: WatchEvent) => void) | undefined {
    if (!apiVersion.startsWith(`${GROUP}/`)) return undefined;
    if (kind === 'Package') return this.#packages();
    return kind === 'PackageRevision' ? this.#revisions() : undefined;
  }

  #packages(): (event: WatchEvent) => void {
    return (event) => {
      if (event.type === 'set') this.#metrics.setPackage(sampleOf(event.object));
      if (event.type === 'gone') this.#metrics.removePackage(event.object.metadata.name);
    };
  }

  /** What was there at the start was counted by whoever saw it end. */
  #revisions(): (event: WatchEvent) => void {
    const phases = new Map<string, unknown>();
    let counting = false;
    return (event) => {
      if (event.type === 'synced') counting = true;
      if (event.type === 'gone') phases.delete(event.object.metadata.name);
      if (event.type !== 'set') return;
      const { name } = event.object.metadata;
      const phase = at(event.object, 'status', 'phase');
      const changed = phases.get(name) !== phase;
      phases.set(name, phase);
      if (counting && changed) this.#count(event.object, phase);
    };
  }

  #count(revision: KubeObject, phase: unknown): void {
    const outcome = OUTCOMES.get(phase);
    const name = revision.metadata.labels?.[LABEL.package];
    if (outcome !== undefined && name !== undefined) this.#metrics.countRevision(name, outcome);
  }
}

function sampleOf(pkg: KubeObject): Parameters<Metrics['setPackage']>[0] {
  const conditions = asArray(at(pkg, 'status', 'conditions'));
  return {
    name: pkg.metadata.name,
    ready: conditions.some((each) => at(each, 'type') === 'Ready' && at(each, 'status') === 'True'),
    version: asString(at(pkg, 'status', 'version')),
    revision: asNumber(at(pkg, 'status', 'currentRevision')),
  };
}
