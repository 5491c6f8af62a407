import { EVENT_ID, type Event, getScalarValue, parseEvents } from 'js-yaml';
import { formatPath } from '../../api/unknown-fields.ts';

type Path = readonly (string | number)[];

/** The line of every field of the first document of a text, by its path; the text is known to be YAML. */
export function fieldLines(text: string, file: string): ReadonlyMap<string, number> {
  const walk: Walk = { text, events: parseEvents(text, { filename: file }), next: 1, lines: new Map() };
  visit(walk, []);
  return walk.lines;
}

/** The line of a field, or of what it is missing in. */
export function lineOf(lines: ReadonlyMap<string, number>, path: string): number {
  for (let rest = path; rest !== ''; rest = rest.replace(/(\.|^)[^.[\]]*$|\[\d+\]$/, '')) {
    const line = lines.get(rest);
    if (line !== undefined) return line;
  }
  return 1;
}

interface Walk {
  readonly text: string;
  readonly events: readonly Event[];
  /** Index of the event that comes next. */
  next: number;
  readonly lines: Map<string, number>;
}

function visit(walk: Walk, path: Path): void {
  const event = take(walk);
  if (event?.type === EVENT_ID.SEQUENCE) {
    for (let index = 0; !isAtEnd(walk); index += 1) {
      note(walk, [...path, index]);
      visit(walk, [...path, index]);
    }
    take(walk);
  } else if (event?.type === EVENT_ID.MAPPING) {
    while (!isAtEnd(walk)) visitEntry(walk, path);
    take(walk);
  }
}

function visitEntry(walk: Walk, path: Path): void {
  const key = walk.events[walk.next];
  if (key?.type !== EVENT_ID.SCALAR) {
    visit(walk, []);
    visit(walk, []);
    return;
  }
  const child = [...path, getScalarValue(walk.text, key)];
  note(walk, child);
  take(walk);
  visit(walk, child);
}

function note({ text, events, next, lines }: Walk, path: Path): void {
  const event = events[next];
  const start = startOf(event);
  if (start !== undefined) lines.set(formatPath(path), text.slice(0, start).split('\n').length);
}

function startOf(event: Event | undefined): number | undefined {
  if (event?.type === EVENT_ID.SCALAR) return event.valueStart;
  return event?.type === EVENT_ID.SEQUENCE || event?.type === EVENT_ID.MAPPING ? event.start : undefined;
}

function take(walk: Walk): Event | undefined {
  const event = walk.events[walk.next];
  walk.next += 1;
  return event;
}

function isAtEnd({ events, next }: Walk): boolean {
  const event = events[next];
  return event === undefined || event.type === EVENT_ID.POP;
}
