import { asKubepkgError, type KubepkgError } from '../api/errors.ts';
import type { OperatorParts } from '../compose/operator.ts';
import { awaitCluster, waitingFor } from './await-cluster.ts';
import { Health } from './health.ts';
import { listenAt, type Listening, type ListenOptions, type Routes, servePages } from './http-server.ts';
import type { OperatorOptions } from './operator-options.ts';
import { type Term, UNRIVALLED, winTerm } from './term.ts';
import { createTurn } from './turns.ts';
import { aborted, within } from './waiting.ts';
import { WorkQueue } from './work-queue.ts';

/** What runs the turns, and what it is allowed to do them with. */
export type OperatorWorld = Pick<
  OperatorParts,
  'cluster' | 'engine' | 'charts' | 'clock' | 'log' | 'metrics' | 'elect' | 'killChildren'
>;

export type OperatorSettings = Pick<
  OperatorOptions,
  'namespace' | 'leaderElect' | AddressSetting | 'stop' | 'insist' | LifeEvent
>;

type LifeEvent = 'onObstacle' | 'onStandingBy' | 'onElected' | 'onLeading';
type AddressSetting = 'metricsBindAddress' | 'healthProbeBindAddress' | 'chartsBindAddress';

type Stop = { readonly kind: 'stopped' } | { readonly kind: 'insisted' };

export const EXIT_STOPPED = 0;
/** Whoever looks after this process starts it anew. */
export const EXIT_FAILED = 1;

/** A turn waits for answers most of its time; what takes the machine, helm, has places of its own. */
const TURNS_AT_ONCE = 16;
/** Less than what a lost Lease leaves until another may lead; what is not dead by then dies with this process. */
const ABORT_MS = 2000;

/**
 *     wait for the API server → wait for the Lease → turns → asked to stop: let deliveries end → give the Lease away
 *                                                        └→ Lease lost: kill them → exit 1
 */
export class Operator {
  /** What the probes say. */
  readonly health = new Health();
  readonly #settings: OperatorSettings;
  readonly #world: OperatorWorld;
  readonly #queue: WorkQueue;
  readonly #stopped: Promise<Stop>;
  readonly #insisted: Promise<Stop>;

  constructor(settings: OperatorSettings, world: OperatorWorld) {
    this.#settings = settings;
    this.#world = world;
    const { engine, metrics, clock, log } = world;
    const turn = createTurn({ reconcile: (name) => engine.reconcile(name), metrics, clock, log });
    this.#queue = new WorkQueue({ clock, workers: TURNS_AT_ONCE, work: turn });
    this.#stopped = aborted(settings.stop).then(() => ({ kind: 'stopped' }));
    this.#insisted =
      settings.insist === undefined ? never() : aborted(settings.insist).then(() => ({ kind: 'insisted' }));
  }

  /** Resolves to the exit code when everything has ended; rejects when there is no place to serve its pages. */
  async run(): Promise<number> {
    const servers = await this.#serve();
    try {
      return await this.#work();
    } finally {
      await Promise.all(servers.map((server) => server.close()));
    }
  }

  /** Everything that others reach it by, before it is ready for anything. */
  async #serve(): Promise<readonly Listening[]> {
    const { engine, metrics, charts, log } = this.#world;
    const { healthProbeBindAddress, metricsBindAddress, chartsBindAddress } = this.#settings;
    const probes = { '/healthz': () => this.health.live(), '/readyz': () => this.health.ready() };
    const page = async () => ({
      status: 200,
      ...(await metrics.page({ queued: this.#queue.depth, delivering: engine.running() })),
    });
    const pages = (routes: Routes) => (at: ListenOptions) => servePages({ ...at, routes, log });
    const wanted = [
      { address: healthProbeBindAddress, flag: '--health-probe-bind-address', serve: pages(probes) },
      { address: metricsBindAddress, flag: '--metrics-bind-address', serve: pages({ '/metrics': page }) },
      { address: chartsBindAddress, flag: '--charts-bind-address', serve: (at: ListenOptions) => listenAt(charts, at) },
    ].filter(({ address }) => address !== '0' && address !== '');
    const servers: Listening[] = [];
    try {
      for (const { serve, ...at } of wanted) servers.push(await serve(at));
    } catch (error) {
      await Promise.all(servers.map((server) => server.close()));
      throw error;
    }
    return servers;
  }

  async #work(): Promise<number> {
    const { cluster, clock, log } = this.#world;
    const { namespace, stop } = this.#settings;
    const onObstacle = (obstacle: KubepkgError): void => {
      this.health.set({ ready: false, text: waitingFor(obstacle) });
      this.#settings.onObstacle?.(obstacle);
    };
    if (!(await awaitCluster({ cluster, clock, log, namespace, stop, onObstacle }))) return EXIT_STOPPED;
    const term = await this.#begin();
    if (term === undefined) return EXIT_STOPPED;
    try {
      return await this.#lead(term);
    } catch (error) {
      await this.#abort();
      await term.release();
      log.error('the operator cannot go on, by a fault of kubepkg', { error: asKubepkgError(error) });
      return EXIT_FAILED;
    }
  }

  /** Undefined: asked to stop before it was elected. */
  async #begin(): Promise<Term | undefined> {
    const { elect, log } = this.#world;
    if (!this.#settings.leaderElect) return UNRIVALLED;
    this.health.set({ ready: true, text: 'standing by for the Lease' });
    log.info('standing by for the Lease');
    this.#settings.onStandingBy?.();
    const term = await winTerm(elect, this.#stopped, this.#settings.onObstacle);
    if (term !== undefined) log.info('this operator leads');
    return term;
  }

  async #lead(term: Term): Promise<number> {
    const { engine, log } = this.#world;
    this.#settings.onElected?.();
    this.health.set({ ready: false, text: 'reading what is in the cluster' });
    const started = engine.start((name) => {
      this.#queue.add(name);
    });
    const first = await Promise.race([started.then(() => 'started' as const), this.#stopped, term.lost]);
    if (first === 'started') {
      this.health.set({ ready: true, text: 'leading' });
      log.info('everything is read; packages are being worked on');
      this.#settings.onLeading?.();
    }
    const ending = first === 'started' ? await Promise.race([this.#stopped, term.lost]) : first;
    return ending.kind === 'lost' ? this.#abdicate(term, ending.reason) : this.#finish(term);
  }

  /** Asked to stop: what runs is let end, for as long as it may. */
  async #finish(term: Term): Promise<number> {
    const { engine, log } = this.#world;
    this.health.set({ ready: false, text: 'stopping' });
    log.info('stopping: nothing new is begun, what runs is let end', { deliveries: engine.running() });
    const drained = this.#drain();
    const ending = await Promise.race([drained, this.#insisted, term.lost]);
    if (ending.kind === 'lost') return this.#abdicate(term, ending.reason);
    if (ending.kind === 'insisted') {
      log.warn('asked again to stop: running deliveries are ended', { deliveries: engine.running() });
      await this.#abort();
    }
    engine.stop();
    await term.release();
    log.info('stopped');
    return EXIT_STOPPED;
  }

  async #drain(): Promise<{ readonly kind: 'drained' }> {
    const { engine } = this.#world;
    const running = engine.drain();
    await this.#queue.drain();
    await running;
    // What a turn that was under way still began.
    await engine.drain();
    return { kind: 'drained' };
  }

  /** Others may lead in a moment: first of all nothing of ours may run any more. */
  async #abdicate(term: Term, reason: string): Promise<number> {
    const { engine, log } = this.#world;
    const gone = this.#abort();
    log.warn('leadership is lost: running deliveries are killed, and this process ends', { reason });
    // It gives nothing away that it does not hold; from now on it does not try to win either.
    void term.release();
    await gone;
    engine.stop();
    return EXIT_FAILED;
  }

  async #abort(): Promise<void> {
    const { engine, clock, killChildren, log } = this.#world;
    void this.#queue.drain();
    const gone = await within(clock, ABORT_MS, Promise.all([engine.abort(), killChildren()]));
    if (!gone) log.warn('deliveries have not ended in time: they are killed with this process');
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
