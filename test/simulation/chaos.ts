import { Rng } from './prng.ts';

export type Strike =
  | 'crash'
  | 'fault'
  | 'lost'
  | 'slow'
  | 'edit'
  | 'whim'
  | 'watch'
  | 'delivery'
  | 'foreign'
  | 'controller'
  | 'busy'
  | 'meddle';

/** How hard a run is; every probability is for one occasion. */
export interface Climate {
  readonly crash: number;
  readonly fault: number;
  readonly lost: number;
  readonly slow: number;
  readonly edit: number;
  readonly whim: number;
  readonly watch: number;
  readonly delivery: number;
  readonly foreign: number;
  readonly controller: number;
  readonly busy: number;
  readonly meddle: number;
}

const LEVELS: readonly (readonly [number, number])[] = [
  [0, 3],
  [0.3, 2],
  [1, 3],
  [3, 1],
];

export function climateOf(seed: number): Climate {
  const rng = new Rng(`${String(seed)} climate`);
  const level = (full: number): number => full * rng.weighted(LEVELS);
  return {
    crash: level(0.03),
    fault: level(0.04),
    lost: level(0.04),
    slow: level(0.03),
    edit: level(0.01),
    whim: 0.05 * rng.pick([0.3, 1, 1, 2]),
    watch: level(0.05),
    delivery: level(0.1),
    foreign: level(0.004),
    controller: level(0.01),
    busy: level(0.05),
    meddle: level(0.02),
  };
}

/**
 * Decides what goes wrong when. Each kind of trouble has a sequence of its own, and what strikes is numbered, so that
 * a run can be repeated with less of it.
 */
export class Chaos {
  readonly #climate: Climate;
  readonly #chances = new Map<string, Rng>();
  readonly #only: ReadonlySet<string> | undefined;
  readonly #seed: number;
  readonly #counts = new Map<Strike, number>();
  /** `crash3`, in the order in which they struck. */
  readonly struck: string[] = [];
  #calm = false;

  constructor(seed: number, climate: Climate, only?: readonly string[]) {
    this.#seed = seed;
    this.#climate = climate;
    this.#only = only === undefined ? undefined : new Set(only);
  }

  /** A sequence of its own for everything that only varies. */
  rng(name: string): Rng {
    const known = this.#chances.get(name);
    if (known !== undefined) return known;
    const rng = new Rng(`${String(this.#seed)} ${name}`);
    this.#chances.set(name, rng);
    return rng;
  }

  strikes(kind: Strike, factor = 1): boolean {
    if (this.#calm || !this.rng(`strike ${kind}`).chance(this.#climate[kind] * factor)) return false;
    const number = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, number);
    const name = `${kind}${String(number)}`;
    if (this.#only !== undefined && !this.#only.has(name)) return false;
    this.struck.push(name);
    return true;
  }

  /** Nothing goes wrong any more. */
  calm(): void {
    this.#calm = true;
  }
}
