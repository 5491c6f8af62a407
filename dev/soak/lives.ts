import { publish, type Version } from '../../test/e2e/operator/kill-scene.ts';
import { Ledger } from '../../test/e2e/operator/ledger.ts';
import { imagesOf } from '../../test/e2e/operator/packages.ts';
import { condition, hasReason, isReady, type OperatorWorld } from '../../test/e2e/operator/world.ts';

/** What every life has in common. */
export interface Stage {
  readonly world: OperatorWorld;
  /** Trees whose images differ. */
  readonly trees: Readonly<Record<'blue' | 'green', string>>;
  readonly done: Record<Step, number>;
  readonly violations: Violation[];
  /** No further step is begun. */
  readonly isOver: () => boolean;
}

export type Step = 'install' | 'rollback' | 'upgrade' | 'removal';

export interface Violation {
  readonly kind: 'lost' | 'repeated' | 'crashed';
  readonly message: string;
}

type Colour = 'blue' | 'green';

/** Far more than any step takes, however often it is interrupted. */
const STEP_MS = 600_000;

/** A package that is installed, upgraded with a hook, rolled back and removed, over and over. */
export class Life {
  readonly #name: string;
  readonly #stage: Stage;
  readonly #ledger: Ledger;
  #minor = 0;
  #colour: Colour = 'blue';
  #extra = false;
  #migrations = 0;

  constructor(name: string, stage: Stage) {
    this.#name = name;
    this.#stage = stage;
    this.#ledger = new Ledger(stage.world, name);
  }

  async run(): Promise<void> {
    const round = [
      ['install', () => this.#install()],
      ['rollback', () => this.#fail()],
      ['upgrade', () => this.#upgrade()],
      ['upgrade', () => this.#upgrade()],
      ['rollback', () => this.#fail()],
      ['removal', () => this.#remove()],
    ] as const;
    for (;;) {
      for (const [step, take] of round) {
        if (this.#stage.isOver()) return;
        if (!(await this.#inTime(step, take()))) return;
        await this.#check(step);
        this.#stage.done[step] += 1;
      }
    }
  }

  stop(): void {
    this.#ledger.stop();
  }

  async #install(): Promise<void> {
    await this.#publish(this.#colour, false);
    await this.#stage.world.applyPackage(this.#name);
    await this.#untilRuns();
  }

  /** To the other colour, with a component that goes or comes. */
  async #upgrade(): Promise<void> {
    this.#colour = otherThan(this.#colour);
    this.#extra = !this.#extra;
    this.#migrations += 1;
    await this.#publish(this.#colour, false);
    await this.#untilRuns();
  }

  /** To the other colour, and back. */
  async #fail(): Promise<void> {
    this.#migrations += 1;
    await this.#publish(otherThan(this.#colour), true);
    await this.#stage.world.untilPackage(this.#name, hasReason('UpgradeRolledBack'));
  }

  async #remove(): Promise<void> {
    const { world } = this.#stage;
    const gone = world.gone('kubepkg.dev/v1', 'Package', this.#name);
    await world.cluster.write({
      verb: 'delete',
      ref: { apiVersion: 'kubepkg.dev/v1', kind: 'Package', name: this.#name },
    });
    await gone;
  }

  async #publish(colour: Colour, failing: boolean): Promise<void> {
    this.#minor += 1;
    const { trees, world } = this.#stage;
    await publish(world, this.#name, { version: this.#version, tree: trees[colour], failing, extra: this.#extra });
  }

  get #version(): Version['version'] {
    return `1.${String(this.#minor)}.0`;
  }

  /** And what the new version dropped is gone. */
  async #untilRuns(): Promise<void> {
    const version = this.#version;
    await this.#stage.world.untilPackage(
      this.#name,
      (pkg) => isReady(pkg) && pkg.status?.version === version && condition(pkg, 'Reconciling') === undefined,
    );
  }

  /** Everything is as if nobody had been killed. */
  async #check(step: Step): Promise<void> {
    const { world } = this.#stage;
    const wanted = step === 'removal' ? [] : this.#images();
    const found = await imagesOf(world, this.#name);
    if (found.join() !== wanted.join()) this.#violated('lost', `${step} ended with ${found.join()}`);
    const pending = await world.backend.pendingIn(this.#name);
    if (pending.length > 0) this.#violated('lost', `${step} left ${pending.join()} pending`);
    for (const release of this.#ledger.repeated()) this.#violated('repeated', `${release} was delivered twice`);
    const ran = this.#ledger.jobs()['migrate'] ?? 0;
    if (ran < this.#migrations) this.#violated('lost', `${step}: a hook did not run`);
    if (ran > this.#migrations) this.#violated('repeated', `${step}: a hook ran twice`);
    this.#migrations = ran;
  }

  #images(): readonly string[] {
    const names = ['app', ...(this.#extra ? ['extra'] : []), 'front', 'store'];
    return names.map((name) => `${name} example.org/app:${this.#colour}`);
  }

  #violated(kind: Violation['kind'], message: string): void {
    this.#stage.violations.push({ kind, message: `${this.#name} at ${this.#version}: ${message}` });
  }

  async #inTime(step: Step, work: Promise<void>): Promise<boolean> {
    const timeout = AbortSignal.timeout(STEP_MS);
    const late = new Promise<false>((resolve) => {
      timeout.addEventListener('abort', () => {
        resolve(false);
      });
    });
    const isDone = await Promise.race([work.then(() => true), late]);
    if (!isDone) this.#violated('lost', `${step} did not come to its end`);
    return isDone;
  }
}

function otherThan(colour: Colour): Colour {
  return colour === 'blue' ? 'green' : 'blue';
}
