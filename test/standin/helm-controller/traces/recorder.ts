import type { KubeObject } from '../../../../src/api/kube.ts';
import type { Cluster, Subscription, WatchEvent } from '../../../../src/ports/cluster.ts';
import type { Clock } from '../../../../src/ports/system.ts';
import { HELM_RELEASE } from '../turn.ts';
import { distinct, Names, normalForm, type Scene } from './normal-form.ts';
import { isReady, type TraceRelease } from './trace-file.ts';

interface Waiting {
  readonly isMet: () => boolean;
  readonly done: () => void;
}

/** Notes every version of the HelmReleases, and every release record, of one namespace. */
export class Recorder {
  readonly #scene: Scene;
  readonly #states = new Map<string, string[]>();
  readonly #records: string[] = [];
  readonly #known = new Map<string, KubeObject>();
  readonly #readySources = new Set<string>();
  readonly #subscriptions: readonly Subscription[];
  readonly #waiting = new Set<Waiting>();
  readonly #clock: Clock;

  constructor(cluster: Cluster, namespace: string, clock: Clock) {
    this.#clock = clock;
    this.#scene = { namespace, names: new Names() };
    const source = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'OCIRepository', namespace };
    const secrets = { apiVersion: 'v1', kind: 'Secret', namespace, labelSelector: 'owner=helm' };
    this.#subscriptions = [
      cluster.watch({ ...HELM_RELEASE, namespace }, (event) =>
        this.#note(event, (object) => this.#onRelease(event.type, object)),
      ),
      cluster.watch(secrets, (event) => this.#note(event, (object) => this.#onRecord(event.type, object))),
      cluster.watch(source, (event) => this.#note(event, (object) => this.#onSource(event.type, object))),
    ];
  }

  stop(): void {
    for (const subscription of this.#subscriptions) subscription.stop();
  }

  states(name: string): readonly string[] {
    return distinct(this.#states.get(name) ?? []);
  }

  get records(): readonly string[] {
    return this.#records;
  }

  isSourceReady(name: string): boolean {
    return this.#readySources.has(name);
  }

  /** Resolves when it is so; false when that takes too long. */
  until(isMet: () => boolean, patienceMs: number): Promise<boolean> {
    if (isMet()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const finish = (result: boolean): void => {
        this.#waiting.delete(waiting);
        timer.cancel();
        resolve(result);
      };
      const timer = this.#clock.after(patienceMs, () => finish(false));
      const waiting = { isMet, done: () => finish(true) };
      this.#waiting.add(waiting);
    });
  }

  #note(event: WatchEvent, take: (object: KubeObject) => void): void {
    if (event.type !== 'set' && event.type !== 'gone') return;
    take(event.object);
    for (const waiting of [...this.#waiting]) if (waiting.isMet()) waiting.done();
  }

  #onRelease(type: string, object: KubeObject): void {
    const { name, generation = 0, deletionTimestamp, finalizers = [] } = object.metadata;
    const spec = object['spec'] as { readonly suspend?: boolean } | undefined;
    const version: TraceRelease = {
      type: 'helmrelease',
      change: type === 'gone' ? 'DELETED' : 'MODIFIED',
      name,
      generation,
      suspend: spec?.suspend === true,
      isBeingDeleted: deletionTimestamp !== undefined,
      finalizers: finalizers.length,
      status: object['status'],
    };
    this.#states.set(name, [...(this.#states.get(name) ?? []), normalForm(version, this.#scene)]);
  }

  #onRecord(type: string, object: KubeObject): void {
    const { name, labels = {} } = object.metadata;
    const change = type === 'gone' ? 'DELETED' : this.#known.has(name) ? 'MODIFIED' : 'ADDED';
    if (type === 'gone') this.#known.delete(name);
    else this.#known.set(name, object);
    this.#records.push(`${change} ${name} ${labels['status'] ?? ''}`);
  }

  #onSource(type: string, object: KubeObject): void {
    const { name, generation } = object.metadata;
    const status = object['status'] as { readonly observedGeneration?: number } | undefined;
    const isUpToDate = type === 'set' && isReady(status) && status?.observedGeneration === generation;
    if (isUpToDate) this.#readySources.add(name);
    else this.#readySources.delete(name);
  }
}
