/** Keeps the last bytes of a stream: what a program says last is what matters when it fails. */
export class TailBuffer {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    // Compacted only at twice the limit, so that a flood of small chunks is copied a bounded number of times.
    if (this.#size > 2 * this.#limit) this.#compact();
  }

  text(): string {
    this.#compact();
    return Buffer.concat(this.#chunks).toString('utf8');
  }

  #compact(): void {
    const all = Buffer.concat(this.#chunks);
    const end = all.subarray(Math.max(0, all.length - this.#limit));
    this.#chunks = [all.length > this.#limit ? Buffer.from(end) : all];
    this.#size = end.length;
  }
}
