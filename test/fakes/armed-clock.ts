import type { Timer } from '../../src/ports/system.ts';
import { VirtualClock } from './clock.ts';

interface Waiting {
  readonly ms: number;
  readonly resolve: () => void;
}

/** For code that waits for real sockets: also tells when it has come to a pause that the test knows. */
export class ArmedClock extends VirtualClock {
  readonly #waiting = new Set<Waiting>();

  override after(ms: number, callback: () => void): Timer {
    const timer = super.after(ms, callback);
    for (const waiting of this.#waiting) {
      if (waiting.ms !== ms) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
    return timer;
  }

  /** Resolves once there is a timer with that time left. */
  armed(ms: number): Promise<void> {
    if (this.pending().includes(ms)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.add({ ms, resolve });
    });
  }
}
