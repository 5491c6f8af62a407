/** First come, first served; whoever stands in the line already does not join it twice. Both ends take constant time. */
export class KeyLine {
  readonly #members = new Set<string>();
  #order: string[] = [];
  #head = 0;

  get size(): number {
    return this.#members.size;
  }

  /** False: it stands there already. */
  push(key: string): boolean {
    if (this.#members.has(key)) return false;
    this.#members.add(key);
    this.#order.push(key);
    return true;
  }

  shift(): string | undefined {
    const key = this.#order[this.#head];
    if (key === undefined) return undefined;
    this.#members.delete(key);
    this.#head += 1;
    // The served part is dropped once it is the larger one.
    if (this.#head * 2 > this.#order.length) {
      this.#order = this.#order.slice(this.#head);
      this.#head = 0;
    }
    return key;
  }

  clear(): void {
    this.#members.clear();
    this.#order = [];
    this.#head = 0;
  }
}
