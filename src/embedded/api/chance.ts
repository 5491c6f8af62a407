/** Kubernetes leaves out vowels and what looks alike. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** A number from 0 up to 1. */
export type Random = () => number;

export function randomSuffix(random: Random, length = 5): string {
  return Array.from({ length }, () => LETTERS[Math.floor(random() * LETTERS.length)] ?? 'x').join('');
}

/** A version 4 UUID. */
export function randomUid(random: Random): string {
  const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16));
  hex[12] = '4';
  hex[16] = '89ab'[Math.floor(random() * 4)] ?? '8';
  const text = hex.join('');
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
}
