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
export async function replay(
  trace: Trace,
  world: TraceWorld,
  isTolerated: (state: string) => boolean,
): Promise<Replayed> {
  const { recorder } = world;
  const here = { recorder, target: `${world.namespace}-target`, isTolerated };
  const done: TraceEvent[] = [];
  for (const event of trace.events) {
    if (event.type === 'action') {
      if (!(await caughtUp(done, here))) break;
      await perform(world, event);
    }
    done.push(event);
  }
  await caughtUp(trace.events, here);
  const expected = expectation(trace.events, here);
  const actual = Object.fromEntries(Object.keys(expected).map((key) => [key, seen(key, here)]));
  return { expected, actual };
}

interface Here {
  readonly recorder: Recorder;
  /** What the second namespace of a scenario is called here; a release name can have it in front. */
  readonly target: string;
  /** What is left out, here and in the trace. */
  readonly isTolerated: (state: string) => boolean;
}

function caughtUp(events: readonly TraceEvent[], here: Here): Promise<boolean> {
  const { recorder } = here;
  const expected = expectation(events, here);
  const sources = readySources(events);
  return recorder.until(
    () =>
      Object.entries(expected).every(([key, states]) => seen(key, here).length >= states.length) &&
      sources.every((name) => recorder.isSourceReady(name)),
    PATIENCE_MS,
  );
}

function expectation(
  events: readonly TraceEvent[],
  { target, isTolerated }: Here,
): Readonly<Record<string, readonly string[]>> {
  const names = new Names();
  const expected: Record<string, string[]> = {};
  for (const event of events) {
    if (event.type === 'helmrelease') {
      (expected[`HelmRelease ${event.name}`] ??= []).push(normalForm(event, names));
    } else if (event.type === 'secret') {
      const [change = '', name = '', status = ''] = event.text.split(' ');
      (expected[`record ${name.replace(/s\d\d-target/, target)}`] ??= []).push(`${change} ${status}`);
    }
  }
  const kept = (states: readonly string[]): readonly string[] =>
    distinct(states.filter((state) => !isTolerated(state)));
  return Object.fromEntries(Object.entries(expected).map(([key, states]) => [key, kept(states)]));
}

function seen(key: string, { recorder, isTolerated }: Here): readonly string[] {
  const [kind, name = ''] = key.split(' ');
  if (kind === 'HelmRelease') return distinct(recorder.states(name).filter((state) => !isTolerated(state)));
  const written = recorder.records.flatMap((text) => {
    const [change = '', record, status = ''] = text.split(' ');
    return record === name ? [`${change} ${status}`] : [];
  });
  return distinct(written.filter((text) => !isTolerated(text)));
}

function readySources(events: readonly TraceEvent[]): readonly string[] {
  const last = new Map<string, boolean>();
  for (const event of events) if (event.type === 'source') last.set(event.name, event.isReady);
  return [...last].filter(([, ready]) => ready).map(([name]) => name);
}
