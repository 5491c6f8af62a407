/** Minutes at which something is due; undefined fields of a date take any value. */
export interface Schedule {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** When both the day and the weekday are given, either is enough. */
  readonly isEitherDay: boolean;
}

const MACROS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const MONTHS = ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The 29th of February comes at least once in eight years. */
const HORIZON_DAYS = 366 * 8;

interface Range {
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

const RANGES: readonly Range[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: MONTHS },
  { least: 0, most: 6, names: WEEKDAYS },
];

/** A schedule of a CronJob; undefined when it is none. */
export function parseSchedule(text: string): Schedule | undefined {
  const written = (MACROS[text.trim()] ?? text).trim().split(/\s+/);
  const fields = RANGES.map((range, index) => parseField(written[index] ?? '', range));
  const [minutes, hours, days, months, weekdays] = fields;
  if (written.length !== RANGES.length || !minutes || !hours || !days || !months || !weekdays) return undefined;
  const isOpen = (index: number): boolean => /^[*?]/.test(written[index] ?? '');
  return { minutes, hours, days, months, weekdays, isEitherDay: !isOpen(2) && !isOpen(4) };
}

function parseField(text: string, range: Range): ReadonlySet<number> | undefined {
  const parts = text
    .toLowerCase()
    .split(',')
    .map((part) => parsePart(part, range));
  return parts.includes(undefined) ? undefined : new Set(parts.flatMap((part) => part ?? []));
}

function parsePart(part: string, range: Range): readonly number[] | undefined {
  const match = /^(\*|\?|[a-z0-9]+(?:-[a-z0-9]+)?)(?:\/(\d+))?$/.exec(part);
  if (match === null) return undefined;
  const [, span = '', step = '1'] = match;
  const [first, last] = boundsOf(span, range, match[2] !== undefined);
  if (!(first >= range.least && last <= range.most && first <= last) || Number(step) < 1) return undefined;
  return Array.from({ length: Math.floor((last - first) / Number(step)) + 1 }, (_, at) => first + at * Number(step));
}

/** A number with a step goes on to the end of the range. */
function boundsOf(span: string, range: Range, hasStep: boolean): readonly [number, number] {
  if (span === '*' || span === '?') return [range.least, range.most];
  const [from = '', to] = span.split('-');
  const first = valueOf(from, range);
  if (to !== undefined) return [first, valueOf(to, range)];
  return [first, hasStep ? range.most : first];
}

function valueOf(text: string, { names = [] }: Range): number {
  const named = names.indexOf(text);
  return named >= 0 ? named : /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

/** The first moment after this one; undefined: there is none. Both in milliseconds, in UTC. */
export function nextTime(schedule: Schedule, after: number): number | undefined {
  const start = Math.floor(after / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  const firstDay = Math.floor(start / DAY_MS) * DAY_MS;
  for (let offset = 0; offset < HORIZON_DAYS; offset += 1) {
    const day = firstDay + offset * DAY_MS;
    if (!isOnDay(schedule, day)) continue;
    const found = timesOf(schedule).find((time) => day + time >= start);
    if (found !== undefined) return day + found;
  }
  return undefined;
}

function isOnDay({ days, months, weekdays, isEitherDay }: Schedule, day: number): boolean {
  const date = new Date(day);
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const [isDay, isWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
  return isEitherDay ? isDay || isWeekday : isDay && isWeekday;
}

function timesOf({ hours, minutes }: Schedule): readonly number[] {
  const sorted = (values: ReadonlySet<number>): readonly number[] => [...values].sort((a, b) => a - b);
  return sorted(hours).flatMap((hour) => sorted(minutes).map((minute) => (hour * 60 + minute) * MINUTE_MS));
}
