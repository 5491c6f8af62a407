import type { KubeObject } from '../../../src/api/kube.ts';
import type { Subscription } from '../../../src/ports/cluster.ts';
import type { Delivered } from './backends/backend.ts';
import type { OperatorWorld } from './world.ts';

/** What was delivered and which Jobs ran in a namespace, learnt by watching: what is gone again counts as well. */
export class Ledger {
  readonly #deliveries = new Map<string, Delivered>();
  readonly #jobs = new Map<string, string>();
  readonly #watches: readonly Subscription[];

  constructor({ cluster, backend }: OperatorWorld, namespace: string) {
    this.#watches = [
      cluster.watch(backend.deliverySelection(namespace), (event) => {
        if (event.type !== 'set') return;
        for (const delivered of backend.deliveriesIn(event.object)) {
          if (delivered.namespace === namespace) this.#deliveries.set(keyOf(delivered), delivered);
        }
      }),
      cluster.watch({ apiVersion: 'batch/v1', kind: 'Job', namespace, metadataOnly: true }, (event) => {
        if (event.type === 'set') this.#noteJob(event.object);
      }),
    ];
  }

  stop(): void {
    for (const watch of this.#watches) watch.stop();
  }

  /** How often each release was delivered: what was only begun is no delivery. */
  deliveries(): Readonly<Record<string, number>> {
    return tally([...this.#deliveries.values()].map(({ name }) => name));
  }

  /** Releases of which one attempt was delivered more than once. */
  repeated(): readonly string[] {
    const seen = new Set<string>();
    return [...this.#deliveries.values()].flatMap(({ name, token }) => {
      if (seen.has(token)) return [name];
      seen.add(token);
      return [];
    });
  }

  /** How many Jobs of each name there ever were. */
  jobs(): Readonly<Record<string, number>> {
    return tally([...this.#jobs.values()]);
  }

  #noteJob({ metadata: { uid = '', name } }: KubeObject): void {
    this.#jobs.set(uid, name);
  }
}

function keyOf({ name, token, id }: Delivered): string {
  return `${name} ${token} ${id}`;
}

function tally(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of [...names].sort()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
