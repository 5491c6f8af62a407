import { readdirSync, readFileSync } from 'node:fs';
import { asNumber, asString, at, isRecord } from '../../../../src/lib/json.ts';

/** Something that the driver of a scenario did. */
export interface TraceAction {
  readonly type: 'action';
  readonly do: string;
  readonly [field: string]: unknown;
}

/** One version of a HelmRelease. */
export interface TraceRelease {
  readonly type: 'helmrelease';
  readonly change: string;
  readonly name: string;
  readonly generation: number;
  readonly suspend: boolean;
  readonly isBeingDeleted: boolean;
  readonly finalizers: number;
  readonly status: unknown;
}

/** A release record that was written or removed. */
export interface TraceRecord {
  readonly type: 'secret';
  readonly text: string;
}

/** Whether a source is ready. */
export interface TraceSource {
  readonly type: 'source';
  readonly name: string;
  readonly isReady: boolean;
}

export type TraceEvent = TraceAction | TraceRelease | TraceRecord | TraceSource;

export interface Trace {
  readonly scenario: string;
  readonly namespace: string;
  readonly events: readonly TraceEvent[];
}

const FOLDER = new URL('../../../fixtures/flux-traces/', import.meta.url);

export function traceNames(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.replace('.json', ''))
    .sort();
}

export function readTrace(name: string): Trace {
  const content: unknown = JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8'));
  const events = at(content, 'events');
  return {
    scenario: asString(at(content, 'scenario')) ?? '',
    namespace: asString(at(content, 'namespace')) ?? '',
    events: Array.isArray(events) ? events.flatMap((event: unknown) => eventOf(event)) : [],
  };
}

function eventOf(event: unknown): readonly TraceEvent[] {
  const text = (field: string): string => asString(at(event, field)) ?? '';
  switch (at(event, 'type')) {
    case 'action':
      return isRecord(event) ? [{ ...event, type: 'action', do: text('do') }] : [];
    case 'helmrelease':
      return [releaseOf(event)];
    case 'secret':
      return [{ type: 'secret', text: `${text('change')} ${text('secret')} ${String(at(event, 'labels', 'status'))}` }];
    case 'ocirepository':
      return [{ type: 'source', name: text('name'), isReady: text('change') !== 'DELETED' && isSourceReady(event) }];
    default:
      return [];
  }
}

/** Of its present specification; the first time, the last write of the source-controller may still be to come. */
function isSourceReady(event: unknown): boolean {
  const observed = at(event, 'status', 'observedGeneration');
  return isReady(at(event, 'status')) && (observed === at(event, 'generation') || observed === -1);
}

function releaseOf(event: unknown): TraceRelease {
  const finalizers = at(event, 'finalizers');
  return {
    type: 'helmrelease',
    change: asString(at(event, 'change')) ?? '',
    name: asString(at(event, 'name')) ?? '',
    generation: asNumber(at(event, 'generation')) ?? 0,
    suspend: at(event, 'suspend') === true,
    isBeingDeleted: at(event, 'deletionTimestamp') !== undefined,
    finalizers: Array.isArray(finalizers) ? finalizers.length : 0,
    status: at(event, 'status'),
  };
}

export function isReady(status: unknown): boolean {
  const conditions = at(status, 'conditions');
  if (!Array.isArray(conditions)) return false;
  return conditions.some((condition) => at(condition, 'type') === 'Ready' && at(condition, 'status') === 'True');
}
