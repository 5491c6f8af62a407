const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

const TERM = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;

/** Milliseconds of a Go duration such as `10m` or `1h30m`; undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  const negative = text.startsWith('-');
  const body = text.replace(/^[+-]/, '');
  if (body === '0') return 0;
  if (body === '') return undefined;
  let total = 0;
  TERM.lastIndex = 0;
  while (TERM.lastIndex < body.length) {
    const match = TERM.exec(body);
    if (match === null) return undefined;
    total += Number(match[1]) * (UNIT_MS[match[2] ?? ''] ?? 0);
  }
  return negative ? -total : total;
}

/** A Go duration of a number of milliseconds, such as `1h30m0s`, `2.5s` or `150ms`. */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms === 0) return '0s';
  if (ms < 1000) return `${String(ms)}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = `${String((ms % 60_000) / 1000)}s`;
  if (hours > 0) return `${String(hours)}h${String(minutes)}m${seconds}`;
  return minutes > 0 ? `${String(minutes)}m${seconds}` : seconds;
}
