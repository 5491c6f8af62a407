/** Time in short, as kubectl writes ages: `42s`, `3m12s`, `2h5m`, `3d4h`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${String(seconds)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return pair(minutes, seconds % 60, 'ms');
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return pair(hours, minutes % 60, 'hm');
  return pair(Math.floor(hours / 24), hours % 24, 'dh');
}

function pair(large: number, small: number, units: string): string {
  const head = `${String(large)}${units.charAt(0)}`;
  return small === 0 ? head : `${head}${String(small)}${units.charAt(1)}`;
}

/** Milliseconds of an RFC 3339 time; undefined when there is none. */
export function parseTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
