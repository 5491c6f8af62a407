import { type Chaos, climateOf } from './chaos.ts';
import type { Violation } from './ledger.ts';
import { SimProcess } from './process.ts';
import { checkRest } from './rest.ts';
import type { Timer } from '../../src/ports/system.ts';
import { Livelock } from './scheduler.ts';
import { Script } from './script.ts';
import { settingOf } from './setting.ts';
import { World } from './world.ts';

export interface SimulationOptions {
  readonly seed: number;
  /** Keeps the lines of the trace. */
  readonly traced?: boolean;
  /** Of all trouble, only this strikes. */
  readonly only?: readonly string[] | undefined;
}

export interface SimulationResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly trace: readonly string[];
  readonly struck: Chaos['struck'];
  readonly lives: number;
  readonly events: number;
  /** How often what was reached. */
  readonly reached: ReadonlyMap<string, number>;
}

const MINUTE = 60_000;
/** Longer than the longest timeout. */
const QUIET_MS = 25 * MINUTE;
/** Until what went wrong before the calm has been made good. */
const SETTLING_MS = 2 * MINUTE;
const LONGEST_MS = 12 * 60 * MINUTE;

/** One run: trouble for a while, then none, and in the end everything must have come to rest. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { seed, traced = false, only } = options;
  const setting = settingOf(seed, { hooks: true });
  const world = new World({ seed, climate: climateOf(seed), setting, only, traced });
  const run = new Run(world);
  try {
    await run.all();
  } catch (error) {
    if (!(error instanceof Livelock)) throw error;
    world.ledger.violate('I9', error.message);
  }
  world.process?.end();
  return {
    seed,
    violations: world.ledger.violations,
    trace: world.trace.lines,
    struck: world.chaos.struck,
    lives: run.lives,
    events: world.scheduler.count,
    reached: world.ledger.reached,
  };
}

class Run {
  readonly #world: World;
  readonly #script: Script;
  #isCalm = false;
  #calmSince = Number.POSITIVE_INFINITY;
  #restart: Timer | undefined;
  lives = 0;

  constructor(world: World) {
    this.#world = world;
    this.#script = new Script(world, world.story?.scenes ?? []);
  }

  async all(): Promise<void> {
    this.#world.outside.begin();
    this.#world.editor.begin();
    this.#begin();
    this.#tick();
    const { chaos, scheduler, editor } = this.#world;
    const upgradeAfter = chaos.rng('length').int(30, 400) * 1000;
    if (this.#world.story === undefined) {
      scheduler.after(upgradeAfter, () => {
        editor.upgradeAll();
      });
    }
    if (!(await this.#pass(chaos.rng('length').int(8, 25) * MINUTE))) return;
    chaos.calm();
    this.#isCalm = true;
    this.#calmSince = this.#world.scheduler.now();
    this.#world.trace.add('weather', 'calm from here on');
    editor.settle();
    this.#world.outside.settle();
    this.#revive();
    if (!(await this.#untilQuiet())) return;
    checkRest(this.#world);
    if (this.#isOver()) return;
    await this.#checkIdle('nobody touched anything');
    this.#world.process?.crash('at rest');
    await this.#pass(5 * MINUTE);
    await this.#checkIdle('the operator was restarted');
  }

  #isOver(): boolean {
    return this.#world.ledger.violations.length > 0;
  }

  #pass(ms: number): Promise<boolean> {
    return this.#world.scheduler.run(ms, () => this.#isOver());
  }

  #begin(): void {
    this.lives += 1;
    const life = new SimProcess(this.#world, this.lives, () => this.#afterDeath());
    this.#world.process = life;
    this.#world.trace.add('operator', `life ${String(this.lives)} begins`);
    life.start();
  }

  #afterDeath(): void {
    const rng = this.#world.chaos.rng('outage');
    const isLong = !this.#isCalm && rng.chance(0.1);
    const ms = isLong ? rng.int(2, 30) * MINUTE : rng.int(100, 10_000);
    this.#restart = this.#world.scheduler.after(ms, () => {
      this.#begin();
    });
  }

  /** However long it would have stayed away. */
  #revive(): void {
    if (this.#world.process?.alive === true) return;
    this.#restart?.cancel();
    this.#begin();
  }

  /** Somebody looks at the clocks every few seconds; people come by now and then. */
  #tick(): void {
    const { scheduler, chaos, observers, editor, outside } = this.#world;
    scheduler.after(5000, () => {
      observers.clocks.look(scheduler.now() - this.#calmSince > SETTLING_MS);
      this.#script.look();
      // A story is seldom disturbed.
      if (chaos.strikes('whim', this.#world.story === undefined ? 1 : 0.2)) editor.edit();
      outside.look();
      if (chaos.strikes('crash', 0.2)) this.#world.process?.crash('in the middle of nothing');
      this.#tick();
    });
  }

  /** Until nothing has changed for longer than any wait may last. */
  async #untilQuiet(): Promise<boolean> {
    const { scheduler } = this.#world;
    const end = scheduler.now() + LONGEST_MS;
    while (scheduler.now() - this.#world.changedAt < QUIET_MS) {
      if (!(await this.#pass(MINUTE))) return false;
      if (scheduler.now() < end) continue;
      this.#world.ledger.violate('I8', 'it does not come to rest');
      return false;
    }
    return true;
  }

  /** I9: looked at once more, an unchanged world is left alone. */
  async #checkIdle(why: string): Promise<void> {
    if (this.#isOver()) return;
    const before = this.#world.changes;
    for (const { name } of this.#world.universe) this.#world.process?.wake(name);
    if (!(await this.#pass(3 * MINUTE))) return;
    const more = this.#world.changes - before;
    if (more > 0) this.#world.ledger.violate('I9', `${String(more)} writes after ${why}`);
  }
}
