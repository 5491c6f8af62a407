import { at } from '../../../lib/json.ts';
import { type Cell, type Cells, numberAt, since, text, textAt } from './cells.ts';

/** The two versions of Events differ in names only. */
const EVENT_FIELDS = {
  involvedObject: {
    first: 'firstTimestamp',
    last: 'lastTimestamp',
    times: 'count',
    note: 'message',
    source: 'source',
    component: 'reportingComponent',
  },
  regarding: {
    first: 'deprecatedFirstTimestamp',
    last: 'deprecatedLastTimestamp',
    times: 'deprecatedCount',
    note: 'note',
    source: 'deprecatedSource',
    component: 'reportingController',
  },
} as const;

export function eventCells(involved: 'involvedObject' | 'regarding'): Cells {
  const { first, last, times, note, source, component } = EVENT_FIELDS[involved];
  const firstSeen: Cell = (event, now) => since(at(event, first) ?? at(event, 'eventTime') ?? undefined, now);
  const lastSeen: Cell = (event, now) => {
    const time = at(event, 'series', 'lastObservedTime') ?? at(event, last);
    return typeof time === 'string' ? since(time, now) : firstSeen(event, now);
  };
  return {
    'Last Seen': lastSeen,
    Type: text('type')(),
    Reason: text('reason')(),
    Object: (event) => {
      const [kind, name] = [textAt(event, involved, 'kind').toLowerCase(), textAt(event, involved, 'name')];
      return name === '' ? kind : `${kind}/${name}`;
    },
    Subobject: text(involved, 'fieldPath')(),
    Source: (event) => {
      const name = textAt(event, source, 'component') || textAt(event, component);
      const instance = textAt(event, source, 'host') || textAt(event, 'reportingInstance');
      return instance === '' ? name : `${name}, ${instance}`;
    },
    Message: (event) => textAt(event, note).trim(),
    'First Seen': firstSeen,
    Count: (event) => numberAt(event, 'series', 'count') || numberAt(event, times) || 1,
  };
}
