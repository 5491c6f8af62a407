import { asKubepkgError, ERROR_CODES, type ErrorCode, KubepkgError } from '../api/errors.ts';
import { releaseKey } from '../domain/decide/world.ts';
import type { DeliveryView } from '../domain/release/component-view.ts';
import { backoffDelay } from '../lib/backoff.ts';
import type { ReleaseTarget, SubmitOutcome } from '../ports/backend.ts';
import type { Clock } from '../ports/system.ts';

const RETRY = { baseMs: 1000, maxMs: 30_000 };
/** What a controller has to say that it has stopped; one that is away says nothing. */
const STOPPING_MS = 30_000;

/** The attempt that a controller was told to stop, and until when it has to say that it has (milliseconds since the epoch). */
export interface Stop {
  readonly token: string;
  readonly until: number;
}

/** Why it failed, as its release tells. */
interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
}

/** At work on a release, which is nobody else's to change meanwhile. */
interface Running {
  readonly package: string;
  readonly stops: boolean;
  readonly controller: AbortController;
  readonly done: Promise<void>;
  /** Other packages that want the release as well. */
  readonly awaitedBy: Set<string>;
  readonly view: DeliveryView;
}

/** What a package has done to a release so far. */
interface Past {
  readonly target: ReleaseTarget;
  view: DeliveryView;
  failures: number;
  ends: number;
  stop?: Stop;
}

export interface DeliveryRequest {
  /** The release that it changes, and the package that it is changed for. */
  readonly target: ReleaseTarget;
  readonly token: string | undefined;
  /** When the work is done the delivery is; otherwise a controller goes on with it, and may yet fail. */
  readonly ends: boolean;
  /** What it has, should that be lowered meanwhile. */
  readonly timeoutMs?: number | undefined;
  /** The attempt that it stops itself; it is not stopped. */
  readonly stops?: string | undefined;
  readonly work: (signal: AbortSignal) => Promise<SubmitOutcome>;
  /** Is given the other packages that wait for it. */
  readonly onEnd: (awaitedBy: readonly string[]) => void;
}

/**
 * What this process is doing to releases right now, and how what it did ended. Two packages may want one release
 * before either has a record of it (P21): one at a time is at work on it, and neither hears of what the other did.
 */
export class Deliveries {
  readonly #clock: Clock;
  /** By release, whichever package it is for. */
  readonly #running = new Map<string, Running>();
  /** By package and release. */
  readonly #past = new Map<string, Past>();
  #aborted = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  view(target: ReleaseTarget): DeliveryView {
    return this.#ownRunning(target)?.view ?? this.#past.get(pastKey(target))?.view ?? { kind: 'none' };
  }

  /** How many have ended, stops included: what was seen of a release from before the last end does not tell of it. */
  endsOf(target: ReleaseTarget): number {
    return this.#past.get(pastKey(target))?.ends ?? 0;
  }

  /** Another package that is at work on the release at this moment; who asks is told of its end. */
  rivalOf(target: ReleaseTarget): string | undefined {
    const running = this.#running.get(releaseKey(target));
    if (running === undefined || running.package === target.package) return undefined;
    running.awaitedBy.add(target.package);
    return running.package;
  }

  running(): number {
    return this.#running.size;
  }

  /** False: somebody is at work on the release, and nothing was begun. */
  start(request: DeliveryRequest): boolean {
    const { target, token, stops, timeoutMs = 0 } = request;
    const key = releaseKey(target);
    if (this.#running.has(key)) return false;
    const controller = new AbortController();
    // A turn that was under way when everything was ended must not begin anew.
    if (this.#aborted) controller.abort();
    const done = this.#run(request, controller.signal);
    const since = this.#clock.now();
    const running: Running = {
      package: target.package,
      stops: stops !== undefined,
      controller,
      done,
      awaitedBy: new Set<string>(),
      view: { kind: 'running', token, since, grantedUntil: since + timeoutMs },
    };
    this.#running.set(key, running);
    return true;
  }

  /** Ends a running one; its outcome says so once the process is gone. */
  stop(target: ReleaseTarget): void {
    const running = this.#ownRunning(target);
    if (running?.stops === false) running.controller.abort();
  }

  /** Of a package that is no more, but for what still runs. */
  forget(pkg: string): void {
    for (const [key, past] of this.#past) {
      if (past.target.package === pkg && this.#ownRunning(past.target) === undefined) this.#past.delete(key);
    }
  }

  /** Undefined: no controller was told to stop anything. */
  stopOf(target: ReleaseTarget): Stop | undefined {
    return this.#past.get(pastKey(target))?.stop;
  }

  /** How an attempt failed that a controller carries out, as its release tells; once for an attempt. */
  learn(target: ReleaseTarget, token: string, { code, message }: Failure): void {
    if (!this.#isNews(this.view(target), token)) return;
    const past = this.#pastOf(target);
    past.view = this.#failedView(past, token, new KubepkgError(code, message));
  }

  #ownRunning(target: ReleaseTarget): Running | undefined {
    const running = this.#running.get(releaseKey(target));
    return running?.package === target.package ? running : undefined;
  }

  #pastOf(target: ReleaseTarget): Past {
    const key = pastKey(target);
    const past = this.#past.get(key) ?? { target, view: { kind: 'none' }, failures: 0, ends: 0 };
    this.#past.set(key, past);
    return past;
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
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  /** Ends everything that runs, and whatever is started from now on. */
  async abort(): Promise<void> {
    this.#aborted = true;
    for (const { controller } of this.#running.values()) controller.abort();
    await this.drain();
  }

  async #run(request: DeliveryRequest, signal: AbortSignal): Promise<void> {
    const outcome = await attempt(request, signal);
    const { target, onEnd } = request;
    const past = this.#pastOf(target);
    this.#noteStop(past, request, outcome);
    past.view = this.#viewOf(past, request, outcome);
    past.ends += 1;
    const awaitedBy = [...(this.#running.get(releaseKey(target))?.awaitedBy ?? [])];
    this.#running.delete(releaseKey(target));
    onEnd(awaitedBy);
  }

  /** What cannot be stopped for good is not told again either. */
  #noteStop(past: Past, { stops }: DeliveryRequest, outcome: SubmitOutcome): void {
    if (stops === undefined || (outcome.kind !== 'accepted' && isTransient(outcome.error))) return;
    past.stop = { token: stops, until: this.#clock.now() + STOPPING_MS };
  }

  #viewOf(past: Past, { token, ends }: DeliveryRequest, outcome: SubmitOutcome): DeliveryView {
    if (outcome.kind !== 'accepted') return this.#failedView(past, token, outcome.error);
    if (ends) past.failures = 0;
    return { kind: 'accepted', token };
  }

  #failedView(past: Past, token: string | undefined, error: KubepkgError): DeliveryView {
    past.failures += 1;
    const pause = Math.max(error.retryAfterMs ?? 0, backoffDelay(RETRY, past.failures, this.#clock.random()));
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

function pastKey(target: ReleaseTarget): string {
  return `${target.package} ${releaseKey(target)}`;
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
