import type { EventReport } from '../look/related-events.ts';
import { formatAge, parseTime } from '../text/age.ts';
import type { Paint } from '../text/paint.ts';
import { oneLine } from '../text/sanitize.ts';
import { formatWrappedTable } from '../text/table.ts';

export interface EventsStyle {
  readonly now: number;
  readonly paint: Paint;
  readonly wide: boolean;
  readonly columns?: number;
}

/** On a narrower terminal the object stands before the message, which is wrapped. */
const LEAST_WIDTH = 100;

export function eventsReport(
  events: readonly EventReport[],
  { now, paint, wide, columns = Infinity }: EventsStyle,
): readonly string[] {
  const isNarrow = columns < LEAST_WIDTH;
  const rows = events.map(({ type, reason, about, message, count, first, last }) => [
    seenText({ first, last, count }, { now, wide }),
    paint(type === 'Warning' ? 'yellow' : 'dim', oneLine(type) || '-'),
    oneLine(reason),
    ...(isNarrow ? [] : [oneLine(about)]),
    ...(wide ? [String(count)] : []),
    isNarrow ? `${oneLine(about)}: ${oneLine(message)}` : oneLine(message),
  ]);
  const object = isNarrow ? [] : ['OBJECT'];
  return formatWrappedTable(
    ['LAST SEEN', 'TYPE', 'REASON', ...object, ...(wide ? ['COUNT'] : []), 'MESSAGE'],
    rows,
    columns,
  );
}

interface Seen {
  readonly first: string;
  readonly last: string;
  readonly count: number;
}

/** `3m (x5 over 1h)`, as kubectl writes it. */
function seenText(
  { first, last, count }: Seen,
  { now, wide }: { readonly now: number; readonly wide: boolean },
): string {
  const [from, to] = [parseTime(first), parseTime(last)];
  if (to === undefined) return '-';
  if (wide) return last.replace(/\.\d+Z$/, 'Z');
  const age = formatAge(now - to);
  return count > 1 && from !== undefined ? `${age} (x${String(count)} over ${formatAge(now - from)})` : age;
}

/** One line for each as it comes. */
export function eventLine({ type, reason, about, message, last }: EventReport, paint: Paint): string {
  const kind = paint(type === 'Warning' ? 'yellow' : 'dim', oneLine(type) || '-');
  return `${last.replace(/\.\d+Z$/, 'Z') || '-'}  ${kind}  ${oneLine(reason)}  ${oneLine(about)}: ${oneLine(message)}`;
}
