import type { Output } from '../host.ts';

/** What a command prints, both streams in the order in which it came. */
export class Transcript {
  #text = '';

  get text(): string {
    return this.#text;
  }

  output(): Output {
    return {
      isTerminal: false,
      write: (text) => {
        this.#text += text;
      },
      size: () => ({ columns: 100, rows: 40 }),
      onResize: () => () => undefined,
    };
  }
}
