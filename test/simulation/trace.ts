import type { Scheduler } from './scheduler.ts';

/** What happened, one numbered line each; kept only when somebody will read it. */
export class Trace {
  readonly lines: string[] = [];
  readonly #scheduler: Scheduler;
  readonly #kept: boolean;

  constructor(scheduler: Scheduler, kept: boolean) {
    this.#scheduler = scheduler;
    this.#kept = kept;
  }

  add(who: string, what: string): void {
    if (!this.#kept) return;
    const number = String(this.lines.length + 1).padStart(5);
    const time = `+${(this.#scheduler.elapsed() / 1000).toFixed(3)}s`.padStart(12);
    this.lines.push(`${number} ${time}  ${who.padEnd(10)} ${what}`);
  }
}
