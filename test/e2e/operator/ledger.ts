import type { KubeClient } from '../../../src/adapters/kube/kube-client.ts';
import type { KubeObject } from '../../../src/api/kube.ts';
import { LABEL } from '../../../src/api/names.ts';
import type { Subscription } from '../../../src/ports/cluster.ts';

interface SeenRecord {
  readonly release: string;
  readonly token: string;
  readonly delivered: boolean;
}

const RECORDS = { apiVersion: 'v1', kind: 'Secret', fieldSelector: 'type=helm.sh/release.v1', metadataOnly: true };

/** What was delivered and which Jobs ran in a namespace, learnt by watching: what is gone again counts as well. */
export class Ledger {
  readonly #records = new Map<string, SeenRecord>();
  readonly #jobs = new Map<string, string>();
  readonly #watches: readonly Subscription[];

  constructor(cluster: KubeClient, namespace: string) {
    this.#watches = [
      cluster.watch({ ...RECORDS, namespace }, (event) => {
        if (event.type === 'set') this.#note(event.object);
      }),
      cluster.watch({ apiVersion: 'batch/v1', kind: 'Job', namespace, metadataOnly: true }, (event) => {
        if (event.type === 'set') this.#jobs.set(event.object.metadata.uid ?? '', event.object.metadata.name);
      }),
    ];
  }

  stop(): void {
    for (const watch of this.#watches) watch.stop();
  }

  /** How often each release was delivered: a record that only a dead helm began is no delivery. */
  deliveries(): Readonly<Record<string, number>> {
    return tally(this.#delivered().map(({ release }) => release));
  }

  /** Releases of which one attempt was delivered more than once. */
  repeated(): readonly string[] {
    const seen = new Set<string>();
    return this.#delivered().flatMap(({ release, token }) => {
      if (seen.has(token)) return [release];
      seen.add(token);
      return [];
    });
  }

  /** How many Jobs of each name there ever were. */
  jobs(): Readonly<Record<string, number>> {
    return tally([...this.#jobs.values()]);
  }

  #delivered(): readonly SeenRecord[] {
    return [...this.#records.values()].filter(({ delivered }) => delivered);
  }

  #note({ metadata: { uid = '', labels = {} } }: KubeObject): void {
    const delivered = this.#records.get(uid)?.delivered === true || labels['status'] === 'deployed';
    this.#records.set(uid, { release: labels['name'] ?? '', token: labels[LABEL.attempt] ?? '', delivered });
  }
}

function tally(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of [...names].sort()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
