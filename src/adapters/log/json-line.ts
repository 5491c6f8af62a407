import type { LogEntry } from './log-entry.ts';
import { plainValue } from './plain-value.ts';

/** Names of our own keys; a field of the same name is written with an underscore before it. */
const OWN: ReadonlySet<string> = new Set(['time', 'level', 'message']);

export function jsonLine({ time, level, message, fields }: LogEntry): string {
  const entry: Record<string, unknown> = { time: new Date(time).toISOString(), level, message };
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) entry[OWN.has(key) ? `_${key}` : key] = plainValue(value, level === 'error');
  }
  return JSON.stringify(entry);
}
