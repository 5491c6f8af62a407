import { asArray, at } from '../../../../src/lib/json.ts';
import { perform } from './actions.ts';
import { distinct, Names, normalForm } from './normal-form.ts';
import type { Trace, TraceEvent, TraceRelease } from './trace-file.ts';
import type { TraceWorld } from './world.ts';

/** How it went: what the trace has, and what was seen here, of each HelmRelease and of each release record. */
export interface Replayed {
  readonly expected: Readonly<Record<string, readonly string[]>>;
  readonly actual: Readonly<Record<string, readonly string[]>>;
}

/** The longest time between two steps. */
const PATIENCE_MS = 40_000;

export interface ReplayOptions {
  /** What is left out, here and in the trace. */
  readonly isTolerated: (state: string) => boolean;
  /** Stands still from the change of a source until the HelmRelease has noticed it, since it is not always slower. */
  readonly sourceController?: { freeze(): void; thaw(): void };
}

/**
 * Does what the driver of the scenario did, each step once everything that the trace shows before it has been seen here,
 * too. So the steps meet the controller in the same states, whatever the time.
 */
export async function replay(trace: Trace, world: TraceWorld, options: ReplayOptions): Promise<Replayed> {
  const here = { world, trace, ...options };
  try {
    await drive(here);
  } finally {
    options.sourceController?.thaw();
  }
  await caughtUp(trace.events, here);
  const expected = expectation(trace.events, here);
  const actual = Object.fromEntries(Object.keys(expected).map((key) => [key, seen(key, here)]));
  return { expected, actual };
}

async function drive(here: Here): Promise<void> {
  const { world, trace, sourceController } = here;
  const done: TraceEvent[] = [];
  for (const event of trace.events) {
    if (event.type === 'action') {
      if (!(await caughtUp(done, here))) return;
      if (event.do.startsWith('change OCIRepository')) sourceController?.freeze();
      await perform(world, event);
    }
    done.push(event);
    if (event.type === 'helmrelease' && isSourceNotReady(event) && sourceController !== undefined) {
      await caughtUp(done, here);
      sourceController.thaw();
    }
  }
}

function isSourceNotReady({ status }: TraceRelease): boolean {
  return asArray(at(status, 'conditions')).some((condition) => at(condition, 'reason') === 'SourceNotReady');
}

interface Here extends ReplayOptions {
  readonly world: TraceWorld;
  readonly trace: Trace;
}

function caughtUp(events: readonly TraceEvent[], here: Here): Promise<boolean> {
  const { recorder } = here.world;
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
  { world, trace, isTolerated }: Here,
): Readonly<Record<string, readonly string[]>> {
  const scene = { namespace: trace.namespace, names: new Names() };
  const expected: Record<string, string[]> = {};
  for (const event of events) {
    if (event.type === 'helmrelease') {
      (expected[`HelmRelease ${event.name}`] ??= []).push(normalForm(event, scene));
    } else if (event.type === 'secret') {
      const [change = '', name = '', status = ''] = event.text.split(' ');
      (expected[`record ${name.replace(trace.namespace, world.namespace)}`] ??= []).push(`${change} ${status}`);
    }
  }
  const kept = (states: readonly string[]): readonly string[] =>
    distinct(states.filter((state) => !isTolerated(state)));
  return Object.fromEntries(Object.entries(expected).map(([key, states]) => [key, kept(states)]));
}

function seen(key: string, { world, isTolerated }: Here): readonly string[] {
  const [kind, name = ''] = key.split(' ');
  if (kind === 'HelmRelease') return distinct(world.recorder.states(name).filter((state) => !isTolerated(state)));
  const written = world.recorder.records.flatMap((text) => {
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
