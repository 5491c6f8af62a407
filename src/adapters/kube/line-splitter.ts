import { KubepkgError } from '../../api/errors.ts';

const NEWLINE = 0x0a;

/** Cuts a byte stream into lines, whatever the chunks; a line longer than the limit is an error. */
export class LineSplitter {
  readonly #limit: number;
  #pending: Buffer[] = [];
  #size = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  /** The lines that this chunk completes, without their ends; empty ones are left out. */
  push(chunk: Buffer): readonly string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      const line = this.#take();
      if (line !== '') lines.push(line);
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
    return lines;
  }

  #keep(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > this.#limit) {
      throw new KubepkgError('ApiServerError', `the API server sent a line longer than ${String(this.#limit)} bytes`);
    }
    this.#pending.push(part);
  }

  #take(): string {
    const line = Buffer.concat(this.#pending, this.#size).toString('utf8');
    this.#pending = [];
    this.#size = 0;
    return line;
  }
}
