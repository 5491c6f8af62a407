import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { WorkQueue } from '../../src/operator/work-queue.ts';
import type { Clock, Timer } from '../../src/ports/system.ts';
import { ArgoCdModel } from './backends/argocd-model.ts';
import { FluxModel } from './backends/flux-model.ts';
import { HelmModel } from './backends/helm-model.ts';
import { FaultyCluster } from './faulty-cluster.ts';
import { never } from './passing.ts';
import { OPERATOR_NAMESPACE } from './places.ts';
import { SimArtifacts } from './sim-artifacts.ts';
import type { Stage } from './stage.ts';

/** One life of the operator: everything in it is gone when it dies. */
export class SimProcess {
  readonly startedAt: number;
  readonly number: number;
  readonly cluster: FaultyCluster;
  readonly #world: Stage;
  readonly #onDeath: () => void;
  #engine: Engine | undefined;
  #queue: WorkQueue | undefined;
  #alive = true;
  /** Everything that exists has been read. */
  reading = true;

  constructor(world: Stage, number: number, onDeath: () => void) {
    this.#world = world;
    this.number = number;
    this.#onDeath = onDeath;
    this.startedAt = world.scheduler.now();
    this.cluster = new FaultyCluster(world, this);
  }

  get alive(): boolean {
    return this.#alive;
  }

  start(): void {
    const { world, clock } = { world: this.#world, clock: this.#clock() };
    const backends = [new HelmModel(world, this), new FluxModel(world, this), new ArgoCdModel(world, this)];
    const engine = createEngine({
      cluster: this.cluster,
      backends: new Map(backends.map((backend) => [backend.id, backend])),
      artifacts: new SimArtifacts(world, this),
      clock,
      log: world.scribe.log(),
      recorder: world.scribe,
      options: { namespace: OPERATOR_NAMESPACE, defaultBackend: world.defaultBackend, deliverySlots: world.slots },
    });
    const queue = new WorkQueue({ clock, workers: 16, work: (name) => this.#turn(engine, name) });
    this.#engine = engine;
    this.#queue = queue;
    void engine
      .start((name) => {
        if (this.#alive) queue.add(name);
      })
      .then(() => {
        this.reading = false;
        if (this.#alive) world.trace.add('operator', `life ${String(this.number)} has read everything`);
      });
  }

  /** As if somebody had touched it. */
  wake(name: string): void {
    this.#queue?.add(name);
  }

  deliveries(): number {
    return this.#engine?.running() ?? 0;
  }

  crash(where: string): void {
    if (!this.#alive) return;
    this.#world.trace.add('CRASH', where);
    this.#world.ledger.deaths.push(this.#world.scheduler.now());
    this.#end();
    this.#onDeath();
  }

  /** At the end of the simulation. */
  end(): void {
    this.#end();
  }

  #end(): void {
    this.#alive = false;
    this.#engine?.stop();
    this.cluster.close();
  }

  /**
   * One effect on the world, which may come late, fail before it happens, or happen unheard; the operator may die right
   * before or after it. Of what a dead operator asked for, nothing is heard any more.
   */
  effect<T>(what: string, effect: () => T | Promise<T>, delayMs?: number): Promise<T> {
    const { scheduler, chaos } = this.#world;
    return new Promise((resolve, reject) => {
      scheduler.after(delayMs ?? this.#latency(), () => {
        if (!this.#alive) return;
        if (chaos.strikes('crash')) {
          this.crash(`before ${what}`);
          return;
        }
        void this.#happen(what, effect).then(resolve, reject);
      });
    });
  }

  /** Asks something that changes nothing. */
  question<T>(ask: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#world.scheduler.after(this.#latency(), () => {
        if (!this.#alive) return;
        void ask().then(
          (answer) => {
            if (this.#alive) resolve(answer);
          },
          (error: unknown) => {
            // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- passed on as it came
            if (this.#alive) reject(error);
          },
        );
      });
    });
  }

  /** Time passes, or the signal comes. */
  pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        if (this.#alive) resolve();
      };
      this.#world.scheduler.after(ms, done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  async #happen<T>(what: string, effect: () => T | Promise<T>): Promise<T> {
    const result = await effect();
    this.#world.afterEffect(what);
    if (this.#world.chaos.strikes('crash')) this.crash(`after ${what}`);
    return this.#alive ? result : never();
  }

  #latency(): number {
    const { chaos } = this.#world;
    const rng = chaos.rng('latency');
    return chaos.strikes('slow') ? rng.int(1000, 20_000) : 0.5 + rng.next() * 5;
  }

  async #turn(engine: Engine, name: string): ReturnType<Engine['reconcile']> {
    const result = await engine.reconcile(name);
    if (result.kind === 'failed' && this.#alive) this.#world.turnFailed(name, result.error);
    return result;
  }

  #clock(): Clock {
    const { scheduler, chaos } = this.#world;
    const rng = chaos.rng('jitter');
    return {
      now: () => scheduler.now(),
      steady: () => scheduler.now(),
      random: () => rng.next(),
      after: (ms, callback): Timer =>
        scheduler.after(ms, () => {
          if (this.#alive) callback();
        }),
    };
  }
}
