import { asKubepkgError, ERROR_CODES, type ErrorCode, KubepkgError } from '../api/errors.ts';
import type { DeliveryView } from '../domain/release/component-view.ts';
import { backoffDelay } from '../lib/backoff.ts';
import type { SubmitOutcome } from '../ports/backend.ts';
import type { Clock } from '../ports/system.ts';

const RETRY = { baseMs: 1000, maxMs: 30_000 };
/** What a controller has to say that it has stopped; one that is away says nothing. */
const STOPPING_MS = 30_000;

/** The attempt that a controller was told to stop, and until when it has to say that it has (milliseconds since the epoch). */
export interface Stop {
  readonly token: string;
  readonly until: number;
}

interface Delivery {
  readonly token: string | undefined;
  readonly stops: boolean;
  readonly controller: AbortController;
  readonly done: Promise<void>;
  view: DeliveryView;
}

export interface DeliveryRequest {
  /** Of the release that it changes. */
  readonly key: string;
  readonly token: string | undefined;
  /** When the work is done the delivery is; otherwise a controller goes on with it, and may yet fail. */
  readonly ends: boolean;
  /** The attempt that it stops itself; it is not stopped. */
  readonly stops?: string | undefined;
  readonly work: (signal: AbortSignal) => Promise<SubmitOutcome>;
  readonly onEnd: () => void;
}

/** What this process is doing to releases right now, and how what it did ended. */
export class Deliveries {
  readonly #clock: Clock;
  readonly #byRelease = new Map<string, Delivery>();
  readonly #failures = new Map<string, number>();
  readonly #stops = new Map<string, Stop>();
  readonly #ends = new Map<string, number>();
  #aborted = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  view(key: string): DeliveryView {
    return this.#byRelease.get(key)?.view ?? { kind: 'none' };
  }

  /** How many have ended, stops included: what was seen of a release from before the last end does not tell of it. */
  endsOf(key: string): number {
    return this.#ends.get(key) ?? 0;
  }

  running(): number {
    return [...this.#byRelease.values()].filter((delivery) => delivery.view.kind === 'running').length;
  }

  start(request: DeliveryRequest): void {
    const controller = new AbortController();
    // A turn that was under way when everything was ended must not begin anew.
    if (this.#aborted) controller.abort();
    const done = this.#run(request, controller.signal);
    const { key, token, stops } = request;
    this.#byRelease.set(key, { token, stops: stops !== undefined, controller, done, view: { kind: 'running' } });
  }

  /** Ends a running one; its outcome says so once the process is gone. */
  stop(key: string): void {
    const delivery = this.#byRelease.get(key);
    if (delivery?.stops === false) delivery.controller.abort();
  }

  forget(key: string): void {
    if (this.view(key).kind === 'running') return;
    this.#byRelease.delete(key);
    this.#failures.delete(key);
    this.#stops.delete(key);
    this.#ends.delete(key);
  }

  /** Undefined: no controller was told to stop anything. */
  stopOf(key: string): Stop | undefined {
    return this.#stops.get(key);
  }

  /** How an attempt failed that a controller carries out, as its release tells; once for an attempt. */
  learn(key: string, token: string, { code, message }: { readonly code: ErrorCode; readonly message: string }): void {
    if (!this.#isNews(this.view(key), token)) return;
    const failed = this.#failedView({ key, token }, new KubepkgError(code, message));
    const ended = { stops: false, controller: new AbortController(), done: Promise.resolve() };
    this.#byRelease.set(key, { token, ...ended, view: failed });
  }

  #isNews(view: DeliveryView, token: string): boolean {
    switch (view.kind) {
      case 'none':
        return true;
      case 'running':
        return false;
      case 'accepted':
        // Of an attempt before the one that was submitted since: nothing new.
        return view.token === undefined || view.token === token;
      case 'failed':
        // What could not be stopped or removed is not tried again before its pause is over.
        return view.token === undefined && this.#clock.now() >= view.retryAt;
    }
  }

  async drain(): Promise<void> {
    await Promise.all([...this.#byRelease.values()].map((delivery) => delivery.done));
  }

  /** Ends everything that runs, and whatever is started from now on. */
  async abort(): Promise<void> {
    this.#aborted = true;
    for (const delivery of this.#byRelease.values()) delivery.controller.abort();
    await this.drain();
  }

  async #run(request: DeliveryRequest, signal: AbortSignal): Promise<void> {
    const outcome = await attempt(request, signal);
    this.#noteStop(request, outcome);
    const delivery = this.#byRelease.get(request.key);
    // Another package may have begun something on a release of that name meanwhile.
    if (delivery?.controller.signal === signal) delivery.view = this.#viewOf(request, outcome);
    this.#ends.set(request.key, this.endsOf(request.key) + 1);
    request.onEnd();
  }

  /** What cannot be stopped for good is not told again either. */
  #noteStop({ key, stops }: DeliveryRequest, outcome: SubmitOutcome): void {
    if (stops === undefined || (outcome.kind !== 'accepted' && isTransient(outcome.error))) return;
    this.#stops.set(key, { token: stops, until: this.#clock.now() + STOPPING_MS });
  }

  #viewOf(request: DeliveryRequest, outcome: SubmitOutcome): DeliveryView {
    if (outcome.kind !== 'accepted') return this.#failedView(request, outcome.error);
    if (request.ends) this.#failures.delete(request.key);
    return { kind: 'accepted', token: request.token };
  }

  #failedView({ key, token }: Pick<DeliveryRequest, 'key' | 'token'>, error: KubepkgError): DeliveryView {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const pause = Math.max(error.retryAfterMs ?? 0, backoffDelay(RETRY, failures, this.#clock.random()));
    return {
      kind: 'failed',
      token,
      code: error.code,
      message: error.message,
      transient: isTransient(error),
      retryAt: this.#clock.now() + pause,
    };
  }
}

function isTransient(error: KubepkgError): boolean {
  return ERROR_CODES[error.code].class === 'transient';
}

/** Starts in a later microtask, so that the delivery is known before it can end. */
async function attempt({ work }: DeliveryRequest, signal: AbortSignal): Promise<SubmitOutcome> {
  try {
    await Promise.resolve();
    return await work(signal);
  } catch (error) {
    return { kind: 'failed', error: signal.aborted ? stopped(error) : asKubepkgError(error) };
  }
}

/** What was stopped in the middle ends with whatever the part at work makes of it. */
function stopped(error: unknown): KubepkgError {
  if (error instanceof KubepkgError && error.class === 'transient') return error;
  return new KubepkgError('HelmKilled', 'it was stopped before it was done', { cause: error });
}
