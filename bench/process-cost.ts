import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface ProcessCost {
  /** Milliseconds of CPU of the process itself. */
  readonly ownMs: number;
  /** Of its children that have ended. */
  readonly childrenMs: number;
}

/** Only on Linux. */
export function processCost(pid: number | 'self'): ProcessCost {
  // What stands before the last bracket is the name of the program, which may hold anything.
  const [, rest = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${String(pid)}/stat`, 'utf8')) ?? [];
  const fields = rest.split(' ').map(Number);
  const ticks = (...places: readonly number[]): number => places.reduce((sum, place) => sum + (fields[place] ?? 0), 0);
  const msPerTick = 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  return { ownMs: ticks(11, 12) * msPerTick, childrenMs: ticks(13, 14) * msPerTick };
}

export interface ResidentMemory {
  readonly nowMiB: number;
  readonly peakMiB: number;
}

/** Of the process alone, its children aside; only on Linux. */
export function residentMemory(pid: number): ResidentMemory {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  const kibibytes = (field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  return { nowMiB: kibibytes('VmRSS') / 1024, peakMiB: kibibytes('VmHWM') / 1024 };
}
