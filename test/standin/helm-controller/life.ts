import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterAccess } from '../../../src/adapters/kube/access.ts';
import { createClient } from '../../../src/adapters/kube/create-cluster.ts';
import type { KubeClient } from '../../../src/adapters/kube/kube-client.ts';
import { createCommandRunner, type KillableCommandRunner } from '../../../src/adapters/process/command-runner.ts';
import { KubepkgError } from '../../../src/api/errors.ts';
import type { Clock } from '../../../src/ports/system.ts';
import { EventWriter } from './event-writer.ts';
import { Dead, Gate } from './gate.ts';
import { Gateway } from './gateway.ts';
import { HelmRunner } from './helm-runner.ts';
import type { AwkwardModes, Moment, Sabotage, Timing } from './options.ts';
import { Records } from './records.ts';
import type { ObjectName } from './spec.ts';
import type { Surroundings } from './surroundings.ts';
import { Triggers } from './triggers.ts';
import { HELM_RELEASE, takeTurn } from './turn.ts';
import { type StillDue, type TurnOutcome, TurnQueue } from './turn-queue.ts';

export interface LifeOptions {
  readonly access: ClusterAccess;
  readonly helm: string;
  readonly clock: Clock;
  readonly timing: Timing;
  readonly modes: () => AwkwardModes;
  readonly takeConflict: () => boolean;
  readonly takeSabotage: (action: Sabotage['action']) => Sabotage | undefined;
  readonly accepts: (namespace: string) => boolean;
  readonly moment: (moment: Moment, about: ObjectName) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** `--concurrent=10`. */
const WORKERS = 10;
/** `--min-retry-delay` and `--max-retry-delay`. */
const RETRY = { baseMs: 750, maxMs: 900_000 };
const GRACE_MS = 100;

/** The controller from one start to its end: what one process of it would be. */
export class Life {
  readonly #options: LifeOptions;
  readonly #gate: Gate;
  readonly #gateway: Gateway;
  readonly #runner: KillableCommandRunner;
  readonly #tempDir: string;
  readonly #cluster: KubeClient;
  readonly #queue: TurnQueue;
  readonly #around: Surroundings;
  #triggers: Triggers | undefined;

  private constructor(options: LifeOptions, gateway: Gateway, tempDir: string) {
    const { clock, timing } = options;
    this.#options = options;
    this.#gateway = gateway;
    this.#tempDir = tempDir;
    this.#gate = new Gate(clock);
    this.#runner = createCommandRunner({ clock, graceMs: GRACE_MS });
    this.#cluster = this.#connect();
    this.#around = this.#surroundings();
    this.#queue = new TurnQueue({
      clock,
      workers: WORKERS,
      baseMs: RETRY.baseMs * timing.pauses,
      maxMs: RETRY.maxMs * timing.pauses,
      turn: (key) => this.#turn(key),
    });
  }

  static async start(options: LifeOptions): Promise<Life> {
    const gateway = new Gateway(options.access);
    await gateway.listen();
    const life = new Life(options, gateway, await mkdtemp(join(tmpdir(), 'helm-controller-')));
    const { accepts } = options;
    life.#triggers = new Triggers({
      cluster: life.#cluster,
      accepts,
      notice: (key, isDue) => life.#notice(key, isDue),
    });
    return life;
  }

  freeze(): void {
    this.#gate.freeze();
  }

  thaw(): void {
    this.#gate.thaw();
  }

  /** Without any cleaning up in the cluster: a helm that runs is killed, and a write that waits is never made. */
  async end(): Promise<void> {
    this.#gate.die();
    this.#queue.stop();
    this.#triggers?.stop();
    this.#gateway.close();
    await this.#runner.killAll();
    this.#cluster.close();
    await rm(this.#tempDir, { recursive: true, force: true });
  }

  #connect(): KubeClient {
    const passage = {
      before: async <T>(request: T): Promise<T> => {
        await this.#gate.pass();
        return request;
      },
      after: () => undefined,
    };
    const { server } = this.#gateway.open(passage);
    const access = { ...this.#options.access, server, tls: { insecure: false }, user: {} };
    const { clock, onError } = this.#options;
    return createClient(access, { clock, env: {}, userAgent: 'helm-controller', onError });
  }

  #surroundings(): Surroundings {
    const { clock, timing, helm, modes, takeConflict, takeSabotage, moment } = this.#options;
    const [cluster, gate, gateway] = [this.#cluster, this.#gate, this.#gateway];
    return {
      cluster,
      clock,
      gate,
      timing,
      tempDir: this.#tempDir,
      helm: new HelmRunner({ helm, runner: this.#runner, gateway, gate, tempDir: this.#tempDir }),
      records: new Records(cluster),
      events: new EventWriter(cluster, clock),
      modes,
      takeConflict,
      takeSabotage,
      moment,
    };
  }

  #notice(key: string, isDue?: StillDue): void {
    const { clock, modes } = this.#options;
    const { noticeMs } = modes();
    if (isDue === undefined) this.#queue.add(key, noticeMs);
    else clock.after(noticeMs, () => this.#queue.addIf(key, isDue));
  }

  async #turn(key: string): Promise<TurnOutcome> {
    const [namespace = '', name = ''] = key.split('/');
    try {
      return await takeTurn({ ...HELM_RELEASE, namespace, name }, this.#around);
    } catch (error) {
      if (this.#gate.isDead || error instanceof Dead) return { kind: 'stopped' };
      // As the controller does; anything else is a fault of this stand-in.
      if (!(error instanceof KubepkgError)) this.#options.onError(error);
      return { kind: 'retry' };
    }
  }
}
