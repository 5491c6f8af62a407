import { KubepkgError } from '../../src/api/errors.ts';
import { type KubeObject, nameOf, type ObjectRef, refKey, refOf } from '../../src/api/kube.ts';
import type {
  Cluster,
  LogRequest,
  ObjectList,
  Selection,
  ServedKind,
  Subscription,
  WatchEvent,
  WriteRequest,
} from '../../src/ports/cluster.ts';
import { never, PASSING_ERRORS, passingError } from './passing.ts';

import type { Life, Stage } from './stage.ts';

/** The API server as one process sees it over a bad network: late, sometimes failing, sometimes without an answer. */
export class FaultyCluster implements Cluster {
  readonly #world: Stage;
  readonly #process: Life;
  readonly #watches = new Set<FaultyWatch>();

  constructor(world: Stage, process: Life) {
    this.#world = world;
    this.#process = process;
  }

  read(ref: ObjectRef, options: { readonly metadataOnly?: boolean } = {}): Promise<KubeObject | undefined> {
    return this.#ask(`read ${nameOf(ref)}`, () => this.#world.cluster.read(ref, options));
  }

  list(selection: Selection): Promise<ObjectList> {
    return this.#ask(`list ${selection.kind}`, () => this.#world.cluster.list(selection));
  }

  async write(request: WriteRequest): Promise<KubeObject> {
    const { chaos, trace, cluster } = this.#world;
    const line = lineOfWrite(request);
    this.#world.sends(request);
    if (chaos.strikes('fault')) return this.#fail(line);
    const isLost = chaos.strikes('lost');
    const answer = await this.#process.effect(line, async () => {
      const result = await settled(cluster.write(request));
      trace.add('operator', `${line}${result.ok ? '' : `: ${result.error.code}`}${isLost ? ' (answer lost)' : ''}`);
      if (result.ok) this.#world.wrote(request, result.value);
      return result;
    });
    if (isLost) throw new KubepkgError('ApiTimeout', 'no answer in time');
    if (answer.ok) return answer.value;
    throw answer.error;
  }

  watch(selection: Selection, onEvent: (event: WatchEvent) => void): Subscription {
    const watch = new FaultyWatch(this.#world, selection, (event) => {
      if (this.#process.alive) onEvent(event);
    });
    this.#watches.add(watch);
    return {
      stop: () => {
        watch.stop();
        this.#watches.delete(watch);
      },
    };
  }

  async served(apiVersion: string, kind?: string): Promise<ServedKind | undefined> {
    const served = await this.#world.cluster.served(apiVersion, kind);
    return this.#process.alive ? served : never();
  }

  logs(request: LogRequest): Promise<string | undefined> {
    return this.#ask(`logs ${request.namespace}/${request.pod}`, () => this.#world.cluster.logs(request));
  }

  close(): void {
    for (const watch of this.#watches) watch.stop();
    this.#watches.clear();
  }

  #ask<T>(line: string, read: () => Promise<T>): Promise<T> {
    if (this.#world.chaos.strikes('fault', 0.5)) return this.#fail(line);
    return this.#process.question(read);
  }

  #fail<T>(line: string): Promise<T> {
    const { chaos, trace } = this.#world;
    const error = passingError(chaos.rng('error').int(0, PASSING_ERRORS - 1));
    return this.#process.question(() => {
      trace.add('operator', `${line}: ${error.code}`);
      return Promise.reject(error);
    });
  }
}

type Settled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: KubepkgError };

async function settled<T>(work: Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    if (error instanceof KubepkgError) return { ok: false, error };
    throw error;
  }
}

function lineOfWrite(request: WriteRequest): string {
  const ref = 'object' in request ? refOf(request.object) : request.ref;
  const subresource = request.verb === 'delete' ? undefined : request.subresource;
  return [request.verb, nameOf(ref), ...(subresource === undefined ? [] : [subresource])].join(' ');
}

/** A watch that lags, repeats itself, brings old news again, and breaks off now and then. */
class FaultyWatch {
  readonly #world: Stage;
  readonly #onEvent: (event: WatchEvent) => void;
  readonly #inner: Subscription;
  readonly #seen = new Map<string, KubeObject>();
  #due = 0;
  #isOpen = false;
  #stopped = false;

  constructor(world: Stage, selection: Selection, onEvent: (event: WatchEvent) => void) {
    this.#world = world;
    this.#onEvent = onEvent;
    this.#inner = world.cluster.watch(selection, (event) => {
      this.#take(event);
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#inner.stop();
  }

  #take(event: WatchEvent): void {
    const { chaos } = this.#world;
    const rng = chaos.rng('watch');
    const isLate = chaos.strikes('watch');
    this.#send(event, isLate ? rng.int(500, 12_000) : 0.5 + rng.next() * 20);
    // Whatever happens, nobody is told that all is known before it is.
    this.#isOpen ||= event.type === 'synced';
    if (isLate && this.#isOpen && rng.chance(0.3)) {
      this.#send({ type: 'disturbed', error: passingError(rng.int(0, PASSING_ERRORS - 1)) }, 1);
      this.#send({ type: 'synced' }, rng.int(1, 2000));
    }
    if (event.type === 'set' && chaos.strikes('watch')) this.#send(event, rng.int(1, 3000));
  }

  /** In order: what is late holds up what comes after it. */
  #send(event: WatchEvent, delayMs: number): void {
    const { scheduler } = this.#world;
    this.#due = Math.max(this.#due, scheduler.now() + delayMs);
    scheduler.after(this.#due - scheduler.now(), () => {
      this.#deliver(event);
    });
  }

  #deliver(event: WatchEvent): void {
    if (this.#stopped) return;
    this.#onEvent(event);
    if (event.type === 'gone') this.#seen.delete(refKey(refOf(event.object)));
    if (event.type === 'set') this.#remember(event.object);
  }

  /** The state before comes once more, as from a server whose cache is behind. */
  #remember(object: KubeObject): void {
    const key = refKey(refOf(object));
    const former = this.#seen.get(key);
    this.#seen.set(key, object);
    if (former === undefined || former.metadata.uid !== object.metadata.uid) return;
    if (!this.#world.chaos.strikes('watch')) return;
    this.#world.scheduler.after(1, () => {
      if (this.#stopped || !this.#seen.has(key)) return;
      this.#onEvent({ type: 'set', object: former });
    });
  }
}
