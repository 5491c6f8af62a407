import { perform } from './actions.ts';
import { distinct, Names, normalForm } from './normal-form.ts';
import type { Recorder } from './recorder.ts';
import type { Trace, TraceEvent } from './trace-file.ts';
import type { TraceWorld } from './world.ts';

/** How it went: what the trace has, and what was seen here, of each HelmRelease and of each release record. */
export interface Replayed {
  readonly expected: Readonly<Record<string, readonly string[]>>;
  readonly actual: Readonly<Record<string, readonly string[]>>;
}

/** The longest time between two steps. */
const PATIENCE_MS = 40_000;

/**
 * Does what the driver of the scenario did, each step once everything that the trace shows before it has been seen here,
 * too. So the steps meet the controller in the same states, whatever the time.
 */
export async function replay(trace: Trace, world: TraceWorld): Promise<Replayed> {
  const { recorder } = world;
  const done: TraceEvent[] = [];
  for (const event of trace.events) {
    if (event.type === 'action') {
      if (!(await caughtUp(done, recorder))) break;
      await perform(world, event);
    }
    done.push(event);
  }
  await caughtUp(trace.events, recorder);
  const expected = expectation(trace.events);
  const actual = Object.fromEntries(Object.keys(expected).map((key) => [key, seen(key, recorder)]));
  return { expected, actual };
}

function caughtUp(events: readonly TraceEvent[], recorder: Recorder): Promise<boolean> {
  const expected = expectation(events);
  const sources = readySources(events);
  return recorder.until(
    () =>
      Object.entries(expected).every(([key, states]) => seen(key, recorder).length >= states.length) &&
      sources.every((name) => recorder.isSourceReady(name)),
    PATIENCE_MS,
  );
}

function expectation(events: readonly TraceEvent[]): Readonly<Record<string, readonly string[]>> {
  const names = new Names();
  const expected: Record<string, string[]> = {};
  for (const event of events) {
    if (event.type === 'helmrelease') {
      (expected[`HelmRelease ${event.name}`] ??= []).push(normalForm(event, names));
    } else if (event.type === 'secret') {
      const [change = '', name = '', status = ''] = event.text.split(' ');
      (expected[`record ${name}`] ??= []).push(`${change} ${status}`);
    }
  }
  return Object.fromEntries(Object.entries(expected).map(([key, states]) => [key, distinct(states)]));
}

function seen(key: string, recorder: Recorder): readonly string[] {
  const [kind, name = ''] = key.split(' ');
  if (kind === 'HelmRelease') return recorder.states(name);
  return distinct(
    recorder.records.flatMap((text) => {
      const [change = '', record, status = ''] = text.split(' ');
      return record === name ? [`${change} ${status}`] : [];
    }),
  );
}

function readySources(events: readonly TraceEvent[]): readonly string[] {
  const last = new Map<string, boolean>();
  for (const event of events) if (event.type === 'source') last.set(event.name, event.isReady);
  return [...last].filter(([, ready]) => ready).map(([name]) => name);
}
