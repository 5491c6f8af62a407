import type { Clock, Output } from '../host.ts';
import { Screen } from './screen.ts';

const REDRAW_MS = 1000;

/** Lines at the bottom of a terminal that are made anew each second, so that times go on, and when its size changes. */
export class LiveBlock {
  readonly #clock: Clock;
  readonly #screen: Screen;
  readonly #stopResize: () => void;
  #render: () => readonly string[] = () => [];
  #timer: { cancel(): void } | undefined;

  constructor(clock: Clock, output: Output) {
    this.#clock = clock;
    this.#screen = new Screen(output);
    this.#stopResize = output.onResize(() => {
      this.#draw();
    });
  }

  show(render: () => readonly string[]): void {
    this.#render = render;
    this.#draw();
  }

  /** Leaves the last lines where they are. */
  close(): void {
    this.#timer?.cancel();
    this.#stopResize();
    this.#screen.close();
  }

  #draw(): void {
    this.#timer?.cancel();
    this.#screen.draw(this.#render());
    this.#timer = this.#clock.after(REDRAW_MS, () => {
      this.#draw();
    });
  }
}
