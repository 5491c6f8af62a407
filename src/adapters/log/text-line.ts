import type { LogEntry } from './log-entry.ts';
import { plainValue } from './plain-value.ts';

/** Would move the cursor, or make one entry look like two. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** `20:31:05.123 WARN  message  key=value`, times in UTC. */
export function textLine({ time, level, message, fields }: LogEntry): string {
  const clock = new Date(time).toISOString().slice(11, 23);
  const pairs = Object.entries(fields).filter(([, value]) => value !== undefined);
  const texts = pairs.map(([key, value]) => `${key}=${textOf(plainValue(value, level === 'error'))}`);
  const head = `${clock} ${level.toUpperCase().padEnd(5)} ${message}`;
  return escape([head, ...texts].join('  '));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return /[\s"=]/.test(value) || value === '' ? JSON.stringify(value) : value;
  return JSON.stringify(value);
}

function escape(line: string): string {
  return line.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
