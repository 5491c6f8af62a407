import { createServer } from 'node:http';
import type { KubepkgError } from '../../../src/api/errors.ts';
import { API_VERSION } from '../../../src/api/names.ts';
import type { Election, ElectionEvents, OperatorParts } from '../../../src/compose/operator.ts';
import type { TurnResult } from '../../../src/engine/engine.ts';
import { Operator, type OperatorSettings, type OperatorWorld } from '../../../src/operator/operator.ts';
import type { Metrics, TurnSample } from '../../../src/ports/metrics.ts';
import { rest, VirtualClock } from '../../fakes/clock.ts';
import { MemoryCluster } from '../../fakes/memory-cluster.ts';
import { RecordingLog } from '../../fakes/recording-log.ts';

/** Something that ends when the test says so. */
export class Gate {
  readonly passed: Promise<void>;
  #open: () => void = () => undefined;

  constructor() {
    this.passed = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open();
  }
}

/** An engine that does nothing but tell what it was asked, in one list with what the rest of the world was. */
export class FakeEngine {
  readonly deeds: string[];
  readonly reading = new Gate();
  /** Deliveries that run; they end when this gate opens, or when they are aborted. */
  readonly delivering = new Gate();
  deliveries = 0;
  turn: (name: string) => Promise<TurnResult> = () => Promise.resolve({ kind: 'settled' });
  onWake: (name: string) => void = () => undefined;

  constructor(deeds: string[]) {
    this.deeds = deeds;
  }

  async start(onWake: (name: string) => void): Promise<void> {
    this.deeds.push('engine.start');
    await this.reading.passed;
    this.onWake = onWake;
  }

  reconcile(name: string): Promise<TurnResult> {
    this.deeds.push(`turn ${name}`);
    return this.turn(name);
  }

  async drain(): Promise<void> {
    this.deeds.push('engine.drain');
    if (this.deliveries > 0) await this.delivering.passed;
  }

  async abort(): Promise<void> {
    this.deeds.push('engine.abort');
    if (this.deliveries > 0) await this.delivering.passed;
  }

  stop(): void {
    this.deeds.push('engine.stop');
  }

  running(): number {
    return this.deliveries;
  }
}

/** Says what it was told, for a test of who tells it. */
class RecordingMetrics implements Metrics {
  readonly turns: TurnSample[] = [];

  setPackage(): void {
    throw new Error('the operator does not look at packages');
  }

  removePackage(): void {
    throw new Error('the operator does not look at packages');
  }

  countRevision(): void {
    throw new Error('the operator does not look at revisions');
  }

  observeTurn(turn: TurnSample): void {
    this.turns.push(turn);
  }

  page({ queued, delivering }: { readonly queued: number; readonly delivering: number }): ReturnType<Metrics['page']> {
    return Promise.resolve({ contentType: 'text/plain', body: `${String(queued)} ${String(delivering)}` });
  }
}

export interface OperatorWorldOptions extends Partial<OperatorSettings> {
  /** The API server serves our kinds and has the operator's namespace from the start; default true. */
  readonly prepared?: boolean;
}

/** An operator among fakes. Everything that it asks of others is in `deeds`, in order. */
export class OperatorTrial {
  readonly deeds: string[] = [];
  readonly clock = new VirtualClock();
  readonly log = new RecordingLog();
  readonly cluster = new MemoryCluster();
  readonly metrics = new RecordingMetrics();
  readonly charts = createServer((_request, response) => response.end('charts'));
  readonly engine = new FakeEngine(this.deeds);
  readonly stop = new AbortController();
  readonly insist = new AbortController();
  readonly #operator: Operator;
  #served = false;
  election: ElectionEvents | undefined;
  exitCode: number | undefined;
  failure: KubepkgError | undefined;

  constructor(options: OperatorWorldOptions = {}) {
    const { prepared = true, ...settings } = options;
    if (prepared) this.prepare();
    this.#operator = new Operator({ ...this.#defaults(), ...settings }, this.#world());
    this.#operator.run().then(
      (code) => {
        this.exitCode = code;
        this.deeds.push(`exit ${String(code)}`);
      },
      (error: unknown) => {
        this.failure = error as KubepkgError;
      },
    );
  }

  prepare(): void {
    this.installCrds();
    this.cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kubepkg-system' } });
  }

  installCrds(): void {
    this.#served = true;
  }

  /** What `/readyz` says: status and text. */
  ready(): string {
    const { status, body } = this.#operator.health.ready();
    return `${String(status)} ${body.trim()}`;
  }

  /** Until nothing happens any more without time or anybody from outside. */
  async settle(): Promise<void> {
    await rest();
    await rest();
  }

  async lead(): Promise<void> {
    await this.settle();
    this.election?.onStarted();
    this.engine.reading.open();
    await this.settle();
  }

  #defaults(): OperatorSettings {
    return {
      namespace: 'kubepkg-system',
      leaderElect: true,
      metricsBindAddress: '0',
      healthProbeBindAddress: '0',
      chartsBindAddress: '',
      stop: this.stop.signal,
      insist: this.insist.signal,
    };
  }

  #world(): OperatorWorld {
    const { engine, metrics, clock, log } = this;
    const cluster: OperatorWorld['cluster'] = {
      read: (ref) => this.cluster.read(ref),
      served: (apiVersion, kind) =>
        apiVersion === API_VERSION && !this.#served
          ? Promise.resolve(undefined)
          : this.cluster.served(apiVersion, kind),
    };
    const elect: OperatorWorld['elect'] = (events) => this.#elect(events);
    return { cluster, engine, metrics, charts: this.charts, clock, log, elect, killChildren: this.#kill };
  }

  #elect(events: ElectionEvents): Election {
    this.election = events;
    return {
      start: () => {
        this.deeds.push('election.start');
      },
      stop: () => {
        this.deeds.push('election.stop');
        return Promise.resolve();
      },
    };
  }

  readonly #kill: OperatorParts['killChildren'] = () => {
    this.deeds.push('killChildren');
    return Promise.resolve();
  };
}
