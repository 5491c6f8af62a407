import type { KubepkgError } from '../../api/errors.ts';
import { formatSeconds } from '../../lib/time.ts';
import type { CliHost, Clock, Output } from '../host.ts';
import { LiveBlock } from '../live/live-block.ts';
import { liveReport } from '../report/live-report.ts';
import type { PackageReport } from '../report/package-report.ts';
import { transitions } from '../report/transitions.ts';
import type { Paint } from '../text/paint.ts';
import { oneLine } from '../text/sanitize.ts';
import type { HookLine } from './hook-logs.ts';

/** Shows how packages get on. */
export interface ProgressDisplay {
  /** `note`: something to say beside the packages; empty for nothing. */
  show(reports: readonly PackageReport[], note: string): void;
  /** A line that a running hook has written. */
  log(line: HookLine): void;
  close(): void;
}

/** A table that is redrawn on a terminal, lines elsewhere. */
export function createDisplay(host: CliHost, output: Output, paint: Paint): ProgressDisplay {
  return output.isTerminal ? liveDisplay(host.clock, output, paint) : new LineDisplay(host.clock, output);
}

/** Lines of hooks that stay in sight. */
const HOOK_LINES = 5;

function liveDisplay(clock: Clock, output: Output, paint: Paint): ProgressDisplay {
  const block = new LiveBlock(clock, output);
  const written: string[] = [];
  const lines = (reports: readonly PackageReport[], note: string): readonly string[] => {
    const { columns, rows } = output.size();
    const room = rows - 2 - written.length;
    const table = liveReport(reports, { now: clock.now(), paint, columns: columns - 1, rows: room });
    return [...table, ...written.map((line) => paint('dim', line)), ...(note === '' ? [] : [paint('yellow', note)])];
  };
  return {
    show: (reports, note) => {
      if (!reports.some(hasRunningHook)) written.length = 0;
      block.show(() => lines(reports, note));
    },
    log: (line) => {
      written.push(hookText(line));
      if (written.length > HOOK_LINES) written.shift();
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

  log(line: HookLine): void {
    this.#output.write(`${formatSeconds(this.#clock.now())}  ${line.package}: ${hookText(line)}\n`);
  }

  close(): void {
    this.#shown = new Map();
  }
}

function hookText({ hook, text }: HookLine): string {
  return `${hook} (hook) | ${text}`;
}

function hasRunningHook({ revision }: PackageReport): boolean {
  return revision?.components.some(({ hook, state }) => hook && state === 'Submitted') === true;
}

/** Said while a watch is being retried. */
export function disturbanceNote(error: KubepkgError | undefined): string {
  return error === undefined ? '' : `connection lost, trying again: ${oneLine(error.message)}`;
}
