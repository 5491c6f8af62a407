import { asKubepkgError, isCode, type KubepkgError } from '../api/errors.ts';
import type { Condition, KubeObject } from '../api/kube.ts';
import type { Package, PackageStatus } from '../api/package.ts';
import { decide } from '../domain/decide/decide.ts';
import type { Decision } from '../domain/decide/decision.ts';
import { REREAD_MS } from '../domain/decide/explain.ts';
import { restMs } from '../domain/decide/rest.ts';
import type { World } from '../domain/decide/world.ts';
import { isSomethingUnread, nextStatus, nextWordAt, wordless } from '../domain/status/next-status.ts';
import type { ConditionContext } from '../domain/status/conditions.ts';
import { refusalConditions, troubleConditions } from '../domain/status/refusal.ts';
import { asArray, at, isRecord } from '../lib/json.ts';
import { stableJson } from '../lib/stable-json.ts';
import { Announcer } from './announcer.ts';
import { BackendWatches } from './backend-watches.ts';
import { CrdBook } from './crd-book.ts';
import { Deliveries } from './deliveries.ts';
import type { EngineDeps } from './engine-deps.ts';
import { execute } from './execute.ts';
import { gather } from './gather.ts';
import type { Hands } from './hands.ts';
import { interestOf, isReportStale, providedBy } from './interest.ts';
import { Journal } from './journal.ts';
import { ObjectTracker } from './object-tracker.ts';
import { PlatformValues } from './platform-values.ts';
import { Pool } from './pool.ts';
import { Preparations } from './preparations.ts';
import { ReleaseBook } from './release-book.ts';
import { haveNeighboursChanged } from './requirements.ts';
import { Waiting } from './waiting.ts';

export type TurnResult =
  /** Nothing more to do until an event. */
  | { readonly kind: 'settled' }
  /** Look again then, at the latest. */
  | { readonly kind: 'again'; readonly afterMs: number }
  /** Back off and try again. */
  | { readonly kind: 'failed'; readonly error: KubepkgError };

/** More steps than any package needs in one turn: beyond it something runs in a circle. */
const MAX_STEPS = 200;

/** How many deliveries may wait in helm for workloads, beside those that are at work: each is a process that idles. */
const WAITING_PER_SLOT = 4;

/** More than any correction of a clock that keeps pace. */
const GAP_MS = 10_000;

/** Look, decide, act, record, look again: one package at a time, many packages side by side. */
export class Engine {
  readonly #deps: EngineDeps;
  readonly #journal: Journal;
  readonly #tracker: ObjectTracker;
  readonly #book: ReleaseBook;
  readonly #deliveries: Deliveries;
  readonly #preparations: Preparations;
  readonly #pool: Pool;
  readonly #waitingPool: Pool;
  readonly #announcer: Announcer;
  readonly #savedValues = new Set<string>();
  readonly #crds: CrdBook;
  readonly #platform: PlatformValues;
  readonly #settledNamespaces = new Set<string>();
  /** Which packages have to hear of which others. */
  readonly #waiting: Waiting;
  /** How often a package was looked at while its message stayed the same. */
  readonly #looks = new Map<string, { readonly message: string; readonly count: number }>();
  readonly #watches: BackendWatches;
  #onWake: (name: string) => void = () => undefined;
  #watchingSince = 0;
  /** What the clock is ahead of the steady one. */
  #ahead = 0;
  #draining = false;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
    const { cluster, clock } = deps;
    this.#announcer = new Announcer(deps);
    this.#tracker = new ObjectTracker(cluster, (key) => {
      const pkg = this.#book.packageOf(key);
      if (pkg !== undefined) this.#wake(pkg);
    });
    this.#book = new ReleaseBook({ cluster, tracker: this.#tracker, clock });
    this.#deliveries = new Deliveries(clock);
    this.#crds = new CrdBook(cluster, (pkg) => {
      this.#wake(pkg);
    });
    this.#platform = new PlatformValues(deps.options.valuesSecret, () => {
      for (const pkg of this.#journal.packageNames()) this.#wake(pkg);
    });
    this.#watches = new BackendWatches({
      ...deps,
      onChange: (key, pkg) => {
        this.#book.markRelease(key);
        this.#wake(pkg);
      },
    });
    this.#preparations = new Preparations(deps);
    const { deliverySlots } = deps.options;
    this.#pool = new Pool(deliverySlots, (pkg) => {
      this.#wake(pkg);
    });
    this.#waitingPool = new Pool(deliverySlots * WAITING_PER_SLOT, () => undefined);
    this.#journal = new Journal(cluster, {
      onPackage: (name) => {
        this.#wake(name);
        this.#waiting.changed(name);
      },
      onSource: (name) => {
        this.#wake(name);
        this.#waiting.changed(name);
      },
      onRevision: (name) => {
        this.#wake(name);
        this.#waiting.changed(name);
      },
    });
    this.#waiting = new Waiting({
      cluster,
      clock,
      wake: (pkg) => {
        this.#wake(pkg);
      },
      provides: (pkg) => providedBy(this.#journal, pkg),
      isReportStale: (pkg, changed) => isReportStale(this.#journal, pkg, changed),
    });
  }

  /** Opens the watches; resolves once everything that exists is known. */
  async start(onWake: (packageName: string) => void): Promise<void> {
    const { cluster, options } = this.#deps;
    const watched = this.#watches.need(options.defaultBackend);
    await Promise.all([this.#journal.start(), this.#platform.start(cluster), watched]);
    this.#watchFromNow();
    this.#onWake = onWake;
    for (const name of this.#journal.packageNames()) onWake(name);
  }

  /** One full turn for one package; never run twice at once for the same. */
  async reconcile(name: string): Promise<TurnResult> {
    try {
      return await this.#turn(name);
    } catch (thrown) {
      const error = asKubepkgError(thrown);
      if (error.class !== 'transient') await this.#writeTrouble(name, error);
      return { kind: 'failed', error };
    } finally {
      this.#pool.offer();
    }
  }

  /** Begins nothing new; resolves when the running deliveries have ended. */
  async drain(): Promise<void> {
    this.#draining = true;
    await this.#deliveries.drain();
  }

  /** Ends the running deliveries; resolves once their processes are gone. */
  async abort(): Promise<void> {
    this.#draining = true;
    await this.#deliveries.abort();
  }

  stop(): void {
    this.#draining = true;
    this.#journal.stop();
    this.#tracker.stop();
    this.#crds.stop();
    this.#platform.stop();
    this.#waiting.stop();
    this.#watches.stop();
  }

  /** Deliveries that run at this moment. */
  running(): number {
    return this.#deliveries.running();
  }

  #wake(name: string): void {
    this.#onWake(name);
  }

  #watchFromNow(): void {
    const { clock } = this.#deps;
    this.#watchingSince = clock.now();
    this.#ahead = clock.now() - clock.steady();
  }

  /** P9: a machine that slept, or whose clock was set, has looked at nothing in the time that seems to have passed. */
  #noticeGap(): void {
    const { clock } = this.#deps;
    const ahead = clock.now() - clock.steady();
    if (ahead - this.#ahead >= GAP_MS) {
      this.#watchFromNow();
      this.#book.lookAway();
    }
    this.#ahead = ahead;
  }

  async #turn(name: string): Promise<TurnResult> {
    this.#noticeGap();
    await this.#journal.settleDoubts();
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const parsed = this.#journal.package(name);
      if (parsed === undefined) return this.#forget(name);
      if (!parsed.ok) return this.#refuse(name, parsed.error);
      const world = await gather(this.#sight(), parsed.value);
      const decision = decide(world);
      this.#announcer.look(this.#journal.rawPackage(name), world, decision);
      const status = nextStatus(world, decision);
      const tell = (): Promise<void> => this.#recordStatus(parsed.value, status, decision);
      if (isToBeToldFirst(parsed.value, status, decision)) await tell();
      this.#waiting.set(name, interestOf(this.#journal, world));
      if (decision.kind !== 'act') {
        // What it waits for may have changed before it was known to wait for it.
        if (await haveNeighboursChanged(this.#sight(), world)) continue;
        return this.#rest(name, decision, world);
      }
      if (this.#draining) return { kind: 'settled' };
      const executed = await execute(this.#sight(), world, decision.action);
      // The watch does not repeat what this process has written itself.
      if (decision.action.kind === 'record') this.#waiting.changed(name);
      if (executed === 'pause') {
        await tell();
        return { kind: 'again', afterMs: REREAD_MS };
      }
    }
    throw new Error(`package ${name} took ${String(MAX_STEPS)} steps in one turn`);
  }

  #sight(): Hands {
    return {
      deps: this.#deps,
      journal: this.#journal,
      book: this.#book,
      deliveries: this.#deliveries,
      preparations: this.#preparations,
      watches: this.#watches,
      pool: this.#pool,
      waitingPool: this.#waitingPool,
      savedValues: this.#savedValues,
      crds: this.#crds,
      platform: this.#platform,
      settledNamespaces: this.#settledNamespaces,
      watchingSince: this.#watchingSince,
      wake: (pkg) => {
        this.#wake(pkg);
      },
    };
  }

  /** Nothing to do now. What is awaited may tell more about its cause without an event: it is looked at again, ever more rarely. */
  #rest(name: string, decision: Exclude<Decision, { kind: 'act' }>, world: World): TurnResult {
    const looks = this.#looks.get(name);
    const count = looks?.message === decision.message ? looks.count + 1 : 0;
    this.#looks.set(name, { message: decision.message, count });
    const installed = { unread: isSomethingUnread(world), nextWordAt: nextWordAt(world) };
    const afterMs = restMs(decision, { now: this.#deps.clock.now(), count, ...installed });
    return afterMs === undefined ? { kind: 'settled' } : { kind: 'again', afterMs };
  }

  #forget(name: string): TurnResult {
    this.#crds.leave(name);
    this.#announcer.forget(name);
    this.#looks.delete(name);
    this.#book.forgetPackage(name);
    this.#deliveries.forget(name);
    this.#preparations.forget(name);
    this.#waiting.set(name, undefined);
    return { kind: 'settled' };
  }

  /** A Package that the API server let through and we cannot read: said on the object, and nothing is touched. */
  async #refuse(name: string, error: KubepkgError): Promise<TurnResult> {
    this.#deps.log.info('package cannot be read', { package: name, error: error.message });
    const raw = this.#journal.rawPackage(name);
    if (raw === undefined) return { kind: 'settled' };
    await this.#writeConditions(raw, (context) => refusalConditions(error, context));
    return { kind: 'settled' };
  }

  /** What would otherwise be in the log alone is said on the object; that it cannot be said is no further fault. */
  async #writeTrouble(name: string, error: KubepkgError): Promise<void> {
    const raw = this.#journal.rawPackage(name);
    if (raw === undefined) return;
    try {
      await this.#writeConditions(raw, (context) => troubleConditions(error, context));
    } catch (thrown) {
      this.#deps.log.debug('status not written', { package: name, error: asKubepkgError(thrown).message });
    }
  }

  async #writeConditions(raw: KubeObject, make: (context: ConditionContext) => readonly Condition[]): Promise<void> {
    const previous = readConditions(raw);
    const conditions = make({ previous, generation: raw.metadata.generation, now: this.#deps.clock.now() });
    if (stableJson(conditions) === stableJson(previous)) return;
    const { generation: observedGeneration } = raw.metadata;
    const status = { ...(isRecord(raw.status) ? raw.status : {}), observedGeneration, conditions };
    await this.#journal.writeStatus(raw, status);
    this.#announcer.status(raw, { before: { conditions: [...previous] }, after: { conditions: [...conditions] } });
  }

  /** Written only when it says something else, and always before the step that it announces. */
  async #recordStatus(pkg: Package, status: PackageStatus, decision: Decision): Promise<void> {
    if (stableJson(status) === stableJson(pkg.status ?? {})) return;
    const raw = this.#journal.rawPackage(pkg.metadata.name);
    if (raw === undefined) return;
    try {
      await this.#journal.writeStatus(raw, status);
    } catch (error) {
      if (isCode(error, 'ApiNotFound')) return;
      throw error;
    }
    this.#waiting.changed(pkg.metadata.name);
    this.#announcer.status(raw, { before: pkg.status, after: status }, decision);
  }
}

/** What is about to be done is soon past: words alone are written once there is something to wait for. */
function isToBeToldFirst({ status: former = {} }: Package, status: PackageStatus, { kind }: Decision): boolean {
  return kind !== 'act' || stableJson(wordless(status)) !== stableJson(wordless(former));
}

/** Conditions are a list that the API server has checked, even on an object that we cannot read. */
function readConditions(raw: KubeObject): readonly Condition[] {
  return asArray(at(raw, 'status', 'conditions')) as readonly Condition[];
}

export function createEngine(deps: EngineDeps): Engine {
  return new Engine(deps);
}
