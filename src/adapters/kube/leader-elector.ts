import { asKubepkgError, describeError, isCode, KubepkgError } from '../../api/errors.ts';
import type { KubeObject, ObjectRef } from '../../api/kube.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Clock, Log, Timer } from '../../ports/system.ts';
import {
  heldLease,
  type LeaseHold,
  leaseMark,
  type LeaseRecord,
  leaseRecord,
  newLease,
  releasedLease,
} from './lease-record.ts';

export interface LeaderElectorOptions {
  readonly cluster: Pick<Cluster, 'read' | 'write'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly namespace: string;
  readonly name: string;
  /** Of this process alone, for ever. */
  readonly identity: string;
  /** How long others wait after the last renewal that they saw. */
  readonly leaseMs?: number;
  /** A leader gives up so long after it sent the last renewal that succeeded: before others may take over. */
  readonly renewDeadlineMs?: number;
  readonly retryMs?: number;
  /** That the holder with the identity is dead for certain; asked when its lease is first seen, which then is not waited out. */
  isKnownDead?(identity: string): boolean;
  /** From now on nobody else leads. */
  onStarted(): void;
  /** Others may lead in `leaseMs - renewDeadlineMs`: what only a leader may do must have ended by then. */
  onLost(reason: string): void;
  /** A try to take or renew it has failed, and is followed by another. */
  onFailure?(error: KubepkgError): void;
}

type Outcome =
  | { readonly kind: 'held'; readonly lease: KubeObject }
  | { readonly kind: 'other'; readonly holder: string }
  | { readonly kind: 'failed'; readonly error: KubepkgError };

const RELEASE_TRIES = 3;
/** What a process had sent when it died may still take effect: time for that is left to the server. */
const IN_FLIGHT_MS = 2000;

/**
 * Leads while it can renew a Lease, in client-go's format. Nothing is judged by a wall clock: a lease has run out
 * when no change of it was seen for its duration, and timers follow the monotonic clock.
 *
 *     renewal sent ──────── renew deadline: onLost ───── lease over: others may lead
 */
export class LeaderElector {
  readonly #options: LeaderElectorOptions;
  readonly #ref: ObjectRef;
  readonly #leaseMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryMs: number;
  #leading = false;
  #stopped = false;
  #loop: Promise<void> | undefined;
  #wake: () => void = () => undefined;
  /** The lease as this process wrote it last, while nobody is known to have changed it. */
  #mine: KubeObject | undefined;
  #deadline: Timer | undefined;
  #seen: { readonly mark: string; expired: boolean; readonly expiry: Timer } | undefined;

  constructor(options: LeaderElectorOptions) {
    this.#options = options;
    this.#ref = { ...leaseKind, namespace: options.namespace, name: options.name };
    this.#leaseMs = options.leaseMs ?? 8000;
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 5000;
    this.#retryMs = options.retryMs ?? 1500;
    if (this.#retryMs >= this.#renewDeadlineMs || this.#renewDeadlineMs >= this.#leaseMs) {
      throw new KubepkgError('Internal', 'leader election needs retry < renew deadline < lease');
    }
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Gives the lease away, so that the next leader need not wait for its end. `onLost` is not called. */
  async stop(): Promise<void> {
    const led = this.#leading;
    this.#stopped = true;
    this.#leading = false;
    this.#deadline?.cancel();
    this.#wake();
    await this.#loop;
    this.#seen?.expiry.cancel();
    if (!led) return;
    await this.#limited(this.#release(), (error) => {
      this.#warn('lease not released, the next leader waits for its end', error);
    });
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const pause = this.#pause();
      await this.#attempt();
      await pause;
    }
  }

  /** Counted from the start of an attempt; cut short when the lease of another runs out. */
  #pause(): Promise<void> {
    const ms = this.#retryMs * (1 + 0.2 * this.#options.clock.random());
    return new Promise((resolve) => {
      const timer = this.#options.clock.after(ms, resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  async #attempt(): Promise<void> {
    const deadline = this.#options.clock.after(this.#renewDeadlineMs, () => {
      this.#lose('it could not be renewed in time');
    });
    const outcome = await this.#limited<Outcome>(this.#hold(), (error) => ({ kind: 'failed', error }));
    this.#mine = outcome.kind === 'held' ? outcome.lease : undefined;
    if (outcome.kind === 'held' && !this.#stopped) {
      this.#deadline?.cancel();
      this.#deadline = deadline;
      this.#lead();
      return;
    }
    deadline.cancel();
    if (outcome.kind === 'other') this.#lose(`${outcome.holder} holds it`);
    if (outcome.kind !== 'failed') return;
    this.#warn('lease not renewed', outcome.error);
    this.#options.onFailure?.(outcome.error);
  }

  /** What hangs is given up in time for a second try. What it may still write is guarded by its resource version. */
  #limited<T>(work: Promise<T>, onFailure: (error: KubepkgError) => T): Promise<T> {
    return new Promise((resolve) => {
      const timer = this.#options.clock.after(this.#renewDeadlineMs / 2, () => {
        resolve(onFailure(new KubepkgError('ApiTimeout', 'the API server is too slow for the lease')));
      });
      work.then(
        (result) => {
          timer.cancel();
          resolve(result);
        },
        (error: unknown) => {
          timer.cancel();
          resolve(onFailure(asKubepkgError(error)));
        },
      );
    });
  }

  async #hold(): Promise<Outcome> {
    if (this.#mine !== undefined) {
      const renewed = await this.#replace(heldLease(this.#mine, this.#claim()));
      if (renewed !== undefined) return { kind: 'held', lease: renewed };
    }
    const lease = await this.#options.cluster.read(this.#ref);
    if (lease === undefined) return this.#create();
    const { holderIdentity } = leaseRecord(lease);
    if (!this.#isFree(lease)) return { kind: 'other', holder: holderIdentity };
    const taken = await this.#replace(heldLease(lease, this.#claim()));
    return taken === undefined ? { kind: 'other', holder: 'another process' } : { kind: 'held', lease: taken };
  }

  async #create(): Promise<Outcome> {
    const { namespace, name } = this.#options;
    const object = newLease({ namespace, name }, this.#claim());
    try {
      return { kind: 'held', lease: await this.#options.cluster.write({ verb: 'create', object }) };
    } catch (error) {
      if (isCode(error, 'ApiAlreadyExists')) return { kind: 'other', holder: 'another process' };
      throw error;
    }
  }

  /** Undefined when somebody else was faster, or the lease is gone. */
  async #replace(object: KubeObject): Promise<KubeObject | undefined> {
    try {
      return await this.#options.cluster.write({ verb: 'replace', object });
    } catch (error) {
      if (isCode(error, 'ApiConflict', 'ApiNotFound')) return undefined;
      throw error;
    }
  }

  #isFree(lease: KubeObject): boolean {
    const record = leaseRecord(lease);
    if (record.holderIdentity === '' || record.holderIdentity === this.#options.identity) return true;
    const mark = leaseMark(record);
    if (this.#seen?.mark === mark) return this.#seen.expired;
    this.#seen?.expiry.cancel();
    const expiry = this.#options.clock.after(this.#patience(record), () => {
      if (this.#seen?.mark === mark) this.#seen.expired = true;
      this.#wake();
    });
    this.#seen = { mark, expired: false, expiry };
    return false;
  }

  #patience({ holderIdentity, leaseDurationSeconds }: LeaseRecord): number {
    const ms = leaseDurationSeconds === undefined ? this.#leaseMs : leaseDurationSeconds * 1000;
    return this.#options.isKnownDead?.(holderIdentity) === true ? Math.min(ms, IN_FLIGHT_MS) : ms;
  }

  #claim(): LeaseHold {
    const { identity, clock } = this.#options;
    return { identity, durationSeconds: Math.ceil(this.#leaseMs / 1000), now: clock.now() };
  }

  #lead(): void {
    if (this.#leading) return;
    this.#leading = true;
    this.#options.onStarted();
  }

  #lose(reason: string): void {
    if (!this.#leading) return;
    this.#leading = false;
    this.#deadline?.cancel();
    this.#options.onLost(`the lease ${this.#options.namespace}/${this.#options.name} is lost: ${reason}`);
  }

  async #release(): Promise<void> {
    for (let tries = 0; tries < RELEASE_TRIES; tries += 1) if (await this.#releaseOnce()) return;
  }

  /** False when it was changed in between. */
  async #releaseOnce(): Promise<boolean> {
    const lease = await this.#options.cluster.read(this.#ref);
    if (lease === undefined || leaseRecord(lease).holderIdentity !== this.#options.identity) return true;
    return (await this.#replace(releasedLease(lease, this.#options.clock.now()))) !== undefined;
  }

  #warn(message: string, error: KubepkgError): void {
    const { namespace, name, log } = this.#options;
    log.warn(message, { lease: `${namespace}/${name}`, error: describeError(error) });
  }
}

const leaseKind = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' } as const;
