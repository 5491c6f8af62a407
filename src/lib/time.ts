/** RFC 3339 with milliseconds, of milliseconds since the epoch. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** RFC 3339 in whole seconds, as Kubernetes writes the times of conditions and people read them. */
export function formatSeconds(ms: number): string {
  return `${formatTime(ms).slice(0, -'.000Z'.length)}Z`;
}

/** Milliseconds since the epoch of an RFC 3339 time; NaN for anything else. */
export function parseTime(text: string): number {
  return Date.parse(text);
}
