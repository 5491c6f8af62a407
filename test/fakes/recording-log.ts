import type { Log, LogFields } from '../../src/ports/system.ts';

export interface LoggedEntry {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: LogFields;
}

/** A log that is read by the test. */
export class RecordingLog implements Log {
  readonly entries: LoggedEntry[] = [];

  error(message: string, fields: LogFields = {}): void {
    this.entries.push({ level: 'error', message, fields });
  }

  warn(message: string, fields: LogFields = {}): void {
    this.entries.push({ level: 'warn', message, fields });
  }

  info(message: string, fields: LogFields = {}): void {
    this.entries.push({ level: 'info', message, fields });
  }

  debug(message: string, fields: LogFields = {}): void {
    this.entries.push({ level: 'debug', message, fields });
  }

  at(level: keyof Log): readonly LoggedEntry[] {
    return this.entries.filter((entry) => entry.level === level);
  }
}
