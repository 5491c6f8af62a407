import type { JsonMap } from '../../../src/embedded/model/object.ts';
import type { Rng } from '../../simulation/prng.ts';

const WORDS = ['x', 'y', 'z', ''] as const;
const KEYS = ['a', 'b', 'c'] as const;

export function words(rng: Rng): string {
  return rng.pick(WORDS);
}

export function word(rng: Rng): string {
  return rng.pick(['x', 'y', 'z']);
}

export function mapOf(rng: Rng, value: (rng: Rng) => unknown): JsonMap {
  return Object.fromEntries(KEYS.filter(() => rng.chance(0.5)).map((key) => [key, value(rng)]));
}

export function listOf<T>(rng: Rng, most: number, item: (index: number) => T): readonly T[] {
  return Array.from({ length: rng.int(0, most) }, (_, index) => item(index));
}

export function maybe(rng: Rng, probability: number, part: () => JsonMap): JsonMap {
  return rng.chance(probability) ? part() : {};
}
