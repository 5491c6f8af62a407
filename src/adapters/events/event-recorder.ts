import { asKubepkgError, describeError, isCode } from '../../api/errors.ts';
import { type KubeObject, nameOf, refOf } from '../../api/kube.ts';
import { backoffDelay } from '../../lib/backoff.ts';
import { asNumber } from '../../lib/json.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Clock, Log, RecordedEvent, Recorder } from '../../ports/system.ts';
import { Correlator } from './correlator.ts';
import { type DueEvent, eventRef, newEvent, repeatPatch } from './event-object.ts';
import { RecentMap } from './recent-map.ts';

export interface EventRecorderOptions {
  readonly cluster: Pick<Cluster, 'read' | 'write'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Names this process in what it records. */
  readonly instance: string;
}

export function createEventRecorder(options: EventRecorderOptions): Recorder {
  return new EventRecorder(options);
}

const TRIES = 4;
const BACKOFF = { baseMs: 500, maxMs: 10_000 };
/** Events that wait for an API server that does not answer; what comes on top is dropped. */
const MAX_WAITING = 1000;
const MEMORY = 4096;

/** Writes events one after the other, in the background: whoever records never waits, and never hears of trouble. */
class EventRecorder implements Recorder {
  readonly #options: EventRecorderOptions;
  readonly #correlator = new Correlator();
  readonly #waiting: DueEvent[] = [];
  /** How often each event that this process has written was seen, by its name. */
  readonly #counts = new RecentMap<number>(MEMORY);
  #writing = false;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  record(about: KubeObject, event: RecordedEvent): void {
    const now = this.#options.clock.now();
    const correlated = this.#correlator.correlate(about, event, now);
    if (correlated.kind === 'drop' || this.#waiting.length >= MAX_WAITING) {
      this.#options.log.debug('event not written: too many', fieldsOf(about, event));
      return;
    }
    this.#waiting.push({ about, event: correlated.event, key: correlated.key, time: now });
    if (!this.#writing) void this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    for (let due = this.#waiting.shift(); due !== undefined; due = this.#waiting.shift()) await this.#writeOne(due);
    this.#writing = false;
  }

  async #writeOne(due: DueEvent): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#write(due);
        return;
      } catch (thrown) {
        const error = asKubepkgError(thrown);
        if (error.class !== 'transient' || tries === TRIES) {
          this.#options.log.warn('event not written', {
            ...fieldsOf(due.about, due.event),
            error: describeError(error),
          });
          return;
        }
        await this.#pause(
          Math.max(error.retryAfterMs ?? 0, backoffDelay(BACKOFF, tries, this.#options.clock.random())),
        );
      }
    }
  }

  async #write(due: DueEvent): Promise<void> {
    const { name } = eventRef(due);
    const count = this.#counts.get(name);
    if (count !== undefined && (await this.#repeat(due, count + 1))) return;
    await this.#create(due);
  }

  async #create(due: DueEvent): Promise<void> {
    const { cluster, instance } = this.#options;
    try {
      await cluster.write({ verb: 'create', object: newEvent(due, { instance }) });
      this.#counts.set(eventRef(due).name, 1);
    } catch (error) {
      if (!isCode(error, 'ApiAlreadyExists')) throw error;
      // Written by a former run: equal events have equal names.
      const existing = await cluster.read(eventRef(due));
      await this.#repeat(due, (asNumber(existing?.['count']) ?? 0) + 1);
    }
  }

  /** False: it has expired meanwhile. */
  async #repeat(due: DueEvent, count: number): Promise<boolean> {
    const ref = eventRef(due);
    try {
      await this.#options.cluster.write({ verb: 'merge-patch', ref, patch: repeatPatch(due, count) });
      this.#counts.set(ref.name, count);
      return true;
    } catch (error) {
      if (!isCode(error, 'ApiNotFound')) throw error;
      return false;
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#options.clock.after(ms, resolve);
    });
  }
}

function fieldsOf(about: KubeObject, event: RecordedEvent): Readonly<Record<string, string>> {
  return { about: nameOf(refOf(about)), reason: event.reason, message: event.message };
}
