import type { KubepkgError } from '../../api/errors.ts';
import { formatSeconds } from '../../lib/time.ts';
import type { CliHost, Clock, Output } from '../host.ts';
import { LiveBlock } from '../live/live-block.ts';
import { liveReport } from '../report/live-report.ts';
import type { PackageReport } from '../report/package-report.ts';
import { transitions } from '../report/transitions.ts';
import type { Paint } from '../text/paint.ts';
import { oneLine } from '../text/sanitize.ts';

/** Shows how packages get on. */
export interface ProgressDisplay {
  /** `note`: something to say beside the packages; empty for nothing. */
  show(reports: readonly PackageReport[], note: string): void;
  close(): void;
}

/** A table that is redrawn on a terminal, lines elsewhere. */
export function createDisplay(host: CliHost, output: Output, paint: Paint): ProgressDisplay {
  return output.isTerminal ? liveDisplay(host.clock, output, paint) : new LineDisplay(host.clock, output);
}

function liveDisplay(clock: Clock, output: Output, paint: Paint): ProgressDisplay {
  const block = new LiveBlock(clock, output);
  const lines = (reports: readonly PackageReport[], note: string): readonly string[] => {
    const { columns, rows } = output.size();
    const table = liveReport(reports, { now: clock.now(), paint, columns: columns - 1, rows: rows - 2 });
    return note === '' ? table : [...table, paint('yellow', note)];
  };
  return {
    show: (reports, note) => {
      block.show(() => lines(reports, note));
    },
    close: () => {
      block.close();
    },
  };
}

/** One line with the time for each thing that changes. */
export class LineDisplay implements ProgressDisplay {
  readonly #clock: Clock;
  readonly #output: Output;
  #shown: ReadonlyMap<string, PackageReport> = new Map();
  #note = '';

  constructor(clock: Clock, output: Output) {
    this.#clock = clock;
    this.#output = output;
  }

  show(reports: readonly PackageReport[], note: string): void {
    const lines = reports.flatMap((report) => transitions(this.#shown.get(report.name), report));
    const notes = note === '' || note === this.#note ? [] : [note];
    const time = formatSeconds(this.#clock.now());
    for (const line of [...lines, ...notes]) this.#output.write(`${time}  ${line}\n`);
    this.#shown = new Map(reports.map((report) => [report.name, report]));
    this.#note = note;
  }

  close(): void {
    this.#shown = new Map();
  }
}

/** Said while a watch is being retried. */
export function disturbanceNote(error: KubepkgError | undefined): string {
  return error === undefined ? '' : `connection lost, trying again: ${oneLine(error.message)}`;
}
