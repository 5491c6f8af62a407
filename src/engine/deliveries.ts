import { asKubepkgError, ERROR_CODES, KubepkgError } from '../api/errors.ts';
import type { DeliveryView } from '../domain/release/component-view.ts';
import { backoffDelay } from '../lib/backoff.ts';
import type { SubmitOutcome } from '../ports/backend.ts';
import type { Clock } from '../ports/system.ts';

const RETRY = { baseMs: 1000, maxMs: 30_000 };

interface Delivery {
  readonly token: string | undefined;
  readonly controller: AbortController;
  readonly done: Promise<void>;
  view: DeliveryView;
}

export interface DeliveryRequest {
  /** Of the release that it changes. */
  readonly key: string;
  readonly token: string | undefined;
  readonly work: (signal: AbortSignal) => Promise<SubmitOutcome>;
  readonly onEnd: () => void;
}

/** What this process is doing to releases right now, and how what it did ended. */
export class Deliveries {
  readonly #clock: Clock;
  readonly #byRelease = new Map<string, Delivery>();
  readonly #failures = new Map<string, number>();
  #aborted = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  view(key: string): DeliveryView {
    return this.#byRelease.get(key)?.view ?? { kind: 'none' };
  }

  running(): number {
    return [...this.#byRelease.values()].filter((delivery) => delivery.view.kind === 'running').length;
  }

  start(request: DeliveryRequest): void {
    const controller = new AbortController();
    // A turn that was under way when everything was ended must not begin anew.
    if (this.#aborted) controller.abort();
    const done = this.#run(request, controller.signal);
    this.#byRelease.set(request.key, { token: request.token, controller, done, view: { kind: 'running' } });
  }

  /** Ends a running one; its outcome says so once the process is gone. */
  stop(key: string): void {
    this.#byRelease.get(key)?.controller.abort();
  }

  forget(key: string): void {
    if (this.view(key).kind === 'running') return;
    this.#byRelease.delete(key);
    this.#failures.delete(key);
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
    const delivery = this.#byRelease.get(request.key);
    if (delivery !== undefined) delivery.view = this.#viewOf(request, outcome);
    request.onEnd();
  }

  #viewOf({ key, token }: DeliveryRequest, outcome: SubmitOutcome): DeliveryView {
    if (outcome.kind === 'accepted') {
      this.#failures.delete(key);
      return { kind: 'accepted', token };
    }
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const { error } = outcome;
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
