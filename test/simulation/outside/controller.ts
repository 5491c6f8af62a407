import { type KubeObject, type ObjectRef, refKey, refOf } from '../../../src/api/kube.ts';
import { never } from '../passing.ts';
import type { Timer } from '../../../src/ports/system.ts';
import type { Stage } from '../stage.ts';

/** What a controller does about one object; the answer: after so many milliseconds once more. */
export type Turn = (life: ControllerLife, ref: ObjectRef) => Promise<number | undefined>;

export interface ControllerOptions {
  readonly name: string;
  /** Of the objects that it looks after. */
  readonly kind: string;
  readonly turn: Turn;
  /** Whether a change is one that it does something about. */
  readonly notices: (before: KubeObject | undefined, after: KubeObject) => boolean;
}

const MINUTE = 60_000;

/** A controller outside: told by nobody, late, dying in the middle, away for a while, and back with all its objects. */
export class Controller {
  readonly #stage: Stage;
  readonly #options: ControllerOptions;
  #life: ControllerLife | undefined;
  #restart: Timer | undefined;

  constructor(stage: Stage, options: ControllerOptions) {
    this.#stage = stage;
    this.#options = options;
  }

  start(): void {
    const life = new ControllerLife(this.#stage, this.#options, () => {
      this.#stayAway();
    });
    this.#life = life;
    for (const object of this.#stage.cluster.all(this.#options.kind)) life.look(refOf(object), 0);
  }

  /** Told of every change in the cluster. */
  see(before: KubeObject | undefined, object: KubeObject, gone: boolean): void {
    if (object.kind !== this.#options.kind || gone) return;
    if (this.#options.notices(before, object)) this.#life?.look(refOf(object), this.#delay());
  }

  /** Something that the turn about an object waits for may have happened. */
  wake(ref: ObjectRef): void {
    this.#life?.look(ref, this.#delay());
  }

  crash(where: string): void {
    this.#life?.crash(where);
  }

  leave(ms: number): void {
    if (this.#life?.alive !== true) return;
    this.#life.crash(`for ${String(ms / 1000)} s`);
    this.#comeBack(ms);
  }

  /** However long it would have stayed away. */
  revive(): void {
    if (this.#life?.alive === true) return;
    this.#restart?.cancel();
    this.start();
  }

  #stayAway(): void {
    const rng = this.#stage.chaos.rng('outside');
    this.#comeBack(rng.chance(0.3) ? rng.int(1, 15) * MINUTE : rng.int(500, 20_000));
  }

  #comeBack(ms: number): void {
    this.#restart?.cancel();
    this.#restart = this.#stage.scheduler.after(ms, () => {
      this.start();
    });
  }

  /** It has others to look after, and now and then a long queue. */
  #delay(): number {
    const { chaos } = this.#stage;
    const rng = chaos.rng('outside');
    return chaos.strikes('busy') ? rng.int(2, 120) * 1000 : 20 + rng.next() ** 2 * 1500;
  }
}

interface Place {
  /** A turn is under way. */
  busy: boolean;
  /** Something has happened during it. */
  again: boolean;
  due: { readonly at: number; readonly timer: Timer } | undefined;
}

/** From one start of a controller to its death: of what it was at, nothing is left. */
export class ControllerLife {
  readonly #stage: Stage;
  readonly #options: ControllerOptions;
  readonly #onDeath: () => void;
  readonly #places = new Map<string, Place>();
  #alive = true;

  constructor(stage: Stage, options: ControllerOptions, onDeath: () => void) {
    this.#stage = stage;
    this.#options = options;
    this.#onDeath = onDeath;
  }

  get alive(): boolean {
    return this.#alive;
  }

  crash(where: string): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#stage.ledger.reach(`${this.#options.name} died`);
    this.#stage.trace.add('CRASH', `${this.#options.name} ${where}`);
    for (const { due } of this.#places.values()) due?.timer.cancel();
    this.#onDeath();
  }

  look(ref: ObjectRef, delayMs: number): void {
    const place = this.#placeOf(ref);
    if (place.busy) {
      place.again = true;
      return;
    }
    const at = this.#stage.scheduler.now() + delayMs;
    if (place.due !== undefined && place.due.at <= at) return;
    place.due?.timer.cancel();
    const timer = this.#stage.scheduler.after(delayMs, () => {
      place.due = undefined;
      if (this.#alive) void this.#take(ref, place);
    });
    place.due = { at, timer };
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#stage.scheduler.after(ms, () => {
        if (this.#alive) resolve();
      });
    });
  }

  /** One write to the world, a moment later; it may die right before or after it. */
  async step<T>(what: string, act: () => T | Promise<T>, delayMs?: number): Promise<T> {
    const { chaos, trace } = this.#stage;
    await this.pause(delayMs ?? 2 + chaos.rng('outside').next() * 20);
    if (chaos.strikes('controller')) {
      this.crash(`before ${what}`);
      return never();
    }
    const result = await act();
    trace.add(this.#options.name, what);
    if (chaos.strikes('controller')) this.crash(`after ${what}`);
    return this.#alive ? result : never();
  }

  async #take(ref: ObjectRef, place: Place): Promise<void> {
    place.busy = true;
    place.again = false;
    const later = await this.#options.turn(this, ref);
    place.busy = false;
    const delay = this.#placeOf(ref).again ? 20 : later;
    if (delay !== undefined) this.look(ref, delay);
  }

  #placeOf(ref: ObjectRef): Place {
    const key = refKey(ref);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place = { busy: false, again: false, due: undefined };
    this.#places.set(key, place);
    return place;
  }
}
