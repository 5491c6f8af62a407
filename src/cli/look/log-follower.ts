import type { CliHost, Cluster } from '../host.ts';
import { linesOf, type LogSource, newLines } from './pod-logs.ts';

/** So many lines are asked for, so that none is missed between two looks. */
const FOLLOW_LINES = 2000;
/** The kubelet counts from the first of the last lines on: a low limit would cut off the very last ones. */
const MAX_BYTES = 16 * 1024 * 1024;
const LOOK_MS = 1000;

export interface LogReading {
  readonly source: LogSource;
  readonly lines: readonly string[];
}

/** The end of a container's log; undefined: it has none. */
export async function readLog(
  cluster: Cluster,
  { component: _component, previous, ...place }: LogSource,
  tailLines: number,
): Promise<readonly string[] | undefined> {
  const text = await cluster.logs({ ...place, tailLines, limitBytes: MAX_BYTES, ...(previous ? { previous } : {}) });
  return text === undefined || text === '' ? undefined : linesOf(text);
}

export interface FollowOptions {
  readonly tail: number;
  readonly read: (source: LogSource, tailLines: number) => Promise<LogReading | undefined>;
  /** The containers that there are now: pods come and go. */
  readonly sources: () => Promise<readonly LogSource[]>;
  /** `several`: whether lines of more than one container come, or have come. */
  readonly print: (reading: LogReading, several: boolean) => void;
  /** Called after each look. */
  readonly looked: () => void;
}

/** Looks again and again at what has been written since, until the user interrupts. */
export async function followLogs(host: CliHost, options: FollowOptions): Promise<void> {
  const seen = new Map<string, readonly string[] | undefined>();
  while (!host.interrupted.aborted) {
    const sources = await options.sources();
    for (const key of sources.map((source) => JSON.stringify(source))) seen.set(key, seen.get(key));
    for (const source of sources) {
      const key = JSON.stringify(source);
      const now = (await options.read(source, FOLLOW_LINES))?.lines ?? [];
      const before = seen.get(key);
      const lines = before === undefined ? now.slice(-options.tail) : newLines(before, now);
      if (now.length > 0) seen.set(key, now);
      if (lines.length > 0) options.print({ source, lines }, seen.size > 1);
    }
    options.looked();
    await pause(host);
  }
}

function pause({ clock, interrupted }: CliHost): Promise<void> {
  return new Promise((resolve) => {
    if (interrupted.aborted) {
      resolve();
      return;
    }
    const finish = (): void => {
      timer.cancel();
      interrupted.removeEventListener('abort', finish);
      resolve();
    };
    const timer = clock.after(LOOK_MS, finish);
    interrupted.addEventListener('abort', finish);
  });
}
