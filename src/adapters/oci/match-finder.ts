const MIN_MATCH = 4;
const MAX_MATCH = 258;
const WINDOW = 32_768;
const HASH_BITS = 16;
const MAX_PROBES = 32;
/** Long enough not to look for a longer one. */
const GOOD_MATCH = 64;

/** Finds what a place in a block has in common with an earlier one, as LZ77 needs it. */
export class MatchFinder {
  readonly #block: Buffer;
  readonly #newest = new Int32Array(2 ** HASH_BITS).fill(-1);
  readonly #older: Int32Array;
  #indexed = 0;

  constructor(block: Buffer) {
    this.#block = block;
    this.#older = new Int32Array(block.length);
  }

  longestAt(at: number): { length: number; distance: number } | undefined {
    if (at + MIN_MATCH > this.#block.length) return undefined;
    this.#indexUpTo(at);
    let length = MIN_MATCH - 1;
    let distance = 0;
    let candidate = this.#newest[this.#hashAt(at)] ?? -1;
    for (let probe = 0; probe < MAX_PROBES && candidate >= 0 && at - candidate <= WINDOW; probe += 1) {
      const found = this.#commonLength(candidate, at, length);
      if (found > length) {
        length = found;
        distance = at - candidate;
      }
      if (length >= GOOD_MATCH) break;
      candidate = this.#older[candidate] ?? -1;
    }
    return distance === 0 ? undefined : { length, distance };
  }

  #indexUpTo(end: number): void {
    for (; this.#indexed < end; this.#indexed += 1) {
      const hash = this.#hashAt(this.#indexed);
      this.#older[this.#indexed] = this.#newest[hash] ?? -1;
      this.#newest[hash] = this.#indexed;
    }
  }

  #hashAt(at: number): number {
    const block = this.#block;
    const word =
      (block[at] ?? 0) | ((block[at + 1] ?? 0) << 8) | ((block[at + 2] ?? 0) << 16) | ((block[at + 3] ?? 0) << 24);
    return Math.imul(word, 0x9e37_79b1) >>> (32 - HASH_BITS);
  }

  /** Zero at once where it cannot be more than what was found already. */
  #commonLength(a: number, b: number, found: number): number {
    const block = this.#block;
    if (block[a + found] !== block[b + found]) return 0;
    const most = Math.min(MAX_MATCH, block.length - b);
    let length = 0;
    while (length < most && block[a + length] === block[b + length]) length += 1;
    return length;
  }
}
