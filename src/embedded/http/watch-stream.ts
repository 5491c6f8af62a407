import type { StoreEvent, Target, WatchOptions } from '../model/api.ts';
import { asStored } from '../api/core.ts';
import { methodNotAllowed } from '../api/refusals.ts';
import { invalidObject } from '../model/invalid.ts';
import { forbidden } from '../model/causes.ts';
import type { JsonMap } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { StatusError } from '../model/status-error.ts';
import type { Call } from './call.ts';
import { numberOf } from './query.ts';
import { requireShape, shapedObject } from './shapes.ts';
import { openStream, type Stream } from './stream.ts';

const BOOKMARK_MS = 60_000;
const TIMEOUT_SECONDS = 1800;

export function isWatch({ method, query }: Call, { subresource }: Target): boolean {
  const wanted = query.get('watch');
  return method === 'GET' && subresource === undefined && (wanted === 'true' || wanted === '1');
}

interface Place {
  readonly target: Target;
  readonly resource: Resource;
}

/** Begins a stream of events, one JSON object a line. */
export function serveWatch(call: Call, place: Place): void {
  if (!place.resource.verbs.includes('watch')) {
    throw methodNotAllowed();
  }
  requireShape(call);
  const line = (event: StoreEvent): string =>
    `${JSON.stringify({ type: event.type, object: shapedEvent(call, place.resource, event) })}\n`;
  const early: string[] = [];
  const opened: { stream?: Stream } = {};
  // What is wrong with the request is answered as an error, so that the watch comes before the stream.
  const watching = call.serving.api.watch(
    place.target,
    { ...watchOptions(call), onEnd: () => opened.stream?.end() },
    (event) => {
      if (opened.stream === undefined) early.push(line(event));
      else opened.stream.write(line(event));
    },
  );
  const timers = timersOf(call, { bookmark: () => watching.bookmark(), end: () => opened.stream?.end() });
  const stream = openStream(call, {
    type: 'application/json',
    onClose: () => {
      timers.cancel();
      watching.stop();
    },
  });
  opened.stream = stream;
  if (early.length > 0) stream.write(early.join(''));
}

interface Due {
  readonly bookmark: () => void;
  readonly end: () => void;
}

function timersOf({ serving, query }: Call, { bookmark, end }: Due): { readonly cancel: () => void } {
  const seconds = numberOf(query, 'timeoutSeconds') ?? 0;
  const last = serving.clock.after((seconds > 0 ? seconds : TIMEOUT_SECONDS) * 1000, end);
  if (query.get('allowWatchBookmarks') !== 'true') return last;
  const arm = (): { cancel: () => void } =>
    serving.clock.after(BOOKMARK_MS, () => {
      bookmark();
      next = arm();
    });
  let next = arm();
  return {
    cancel: () => {
      last.cancel();
      next.cancel();
    },
  };
}

function shapedEvent(call: Call, resource: Resource, event: StoreEvent): JsonMap {
  if (event.type === 'ERROR') return event.object;
  return shapedObject(call, resource, asStored(event.object));
}

function watchOptions({ query }: Call): WatchOptions {
  const initial = query.get('sendInitialEvents');
  const match = query.get('resourceVersionMatch');
  if (initial === 'true' && match !== 'NotOlderThan') {
    throw invalidList('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  }
  if (initial === null && match !== null) {
    throw invalidList('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided');
  }
  return {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    allowBookmarks: query.get('allowWatchBookmarks') === 'true',
    ...(initial === null ? {} : { sendInitialEvents: initial === 'true' }),
  };
}

function invalidList(detail: string): StatusError {
  const options = { group: 'meta.k8s.io', kind: 'ListOptions', name: '' };
  return invalidObject(options, [forbidden('resourceVersionMatch', detail)]);
}
