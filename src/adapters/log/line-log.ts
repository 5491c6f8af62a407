import type { Clock, Log, LogFields } from '../../ports/system.ts';
import { jsonLine } from './json-line.ts';
import { LOG_LEVELS, type LogLevel } from './log-entry.ts';
import { textLine } from './text-line.ts';

export interface LineLogOptions {
  /** `json`: one object on each line, for machines. `text`: for people at a terminal. */
  readonly format: 'json' | 'text';
  /** The least severe level that is written. */
  readonly level: LogLevel;
  readonly clock: Clock;
  /** Gets each line with its end. */
  readonly write: (line: string) => void;
}

/** Writes one line for each entry. Never throws, whatever the fields hold. */
export function createLineLog({ format, level, clock, write }: LineLogOptions): Log {
  const render = format === 'json' ? jsonLine : textLine;
  const least = LOG_LEVELS.indexOf(level);
  const at =
    (own: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (LOG_LEVELS.indexOf(own) <= least) write(`${render({ time: clock.now(), level: own, message, fields })}\n`);
    };
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
}
