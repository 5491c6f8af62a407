import { createLineLog } from '../adapters/log/line-log.ts';
import type { LogLevel } from '../adapters/log/log-entry.ts';
import type { Clock, Log } from '../ports/system.ts';

export type { LogLevel };

export interface LogSettings {
  readonly format: 'json' | 'text';
  readonly level: LogLevel;
  readonly clock: Clock;
}

/** The log of this process, on stderr. */
export function createLog(settings: LogSettings): Log {
  return createLineLog({
    ...settings,
    write: (line) => {
      process.stderr.write(line);
    },
  });
}
