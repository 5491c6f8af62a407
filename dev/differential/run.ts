import { setTimeout as pause } from 'node:timers/promises';
import { type Compared, compareWith, namespaceOf } from '../../test/differential/embedded/compare.ts';
import { createEmbeddedSide } from '../../test/differential/embedded/embedded-side.ts';
import { generate } from '../../test/differential/embedded/generate.ts';
import { knownDifference } from '../../test/differential/embedded/known.ts';
import { type Played, play } from '../../test/differential/embedded/play.ts';
import { createRealSide, type RealSide } from '../../test/differential/embedded/real-side.ts';
import type { Sequence, Side } from '../../test/differential/embedded/request.ts';
import { defineKinds } from '../../test/differential/embedded/setup.ts';
import { startControlPlane } from '../controlplane/control-plane.ts';
import { openRecording, readRecording } from '../../test/differential/embedded/recording.ts';
import { describeDifference } from './report.ts';
import { shorten } from './shorten.ts';

export interface DifferentialOptions {
  readonly count: number;
  readonly from: number;
  /** How many sequences may differ before it ends. */
  readonly failures: number;
  readonly record: string | undefined;
  readonly replay: string | undefined;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

const OTHERS = ['kube-controller-manager', 'kube-scheduler', 'kwok'] as const;
const AT_ONCE = 24;
const PAUSE_MS = 200;

/** The code to exit with. */
export async function runDifferential(options: DifferentialOptions): Promise<number> {
  return options.replay === undefined ? compareLive(options) : await compareRecorded(options, options.replay);
}

function isOver({ failures, signal }: DifferentialOptions, { differing }: Tally): boolean {
  return differing >= failures || signal.aborted;
}

interface Tally {
  compared: number;
  differing: number;
  /** By what the page on known differences calls them. */
  readonly known: Map<string, number>;
}

function newTally(): Tally {
  return { compared: 0, differing: 0, known: new Map() };
}

async function compareRecorded(options: DifferentialOptions, file: string): Promise<number> {
  const embedded = await embeddedSide();
  const tally = newTally();
  for await (const { sequence, namespace, played } of readRecording(file)) {
    const isWanted = Number(sequence.seed) >= options.from && tally.compared < options.count;
    if (!isWanted) continue;
    const compared = await compareWith(sequence, embedded, { played, namespace }, tally.compared);
    report(compared, tally, sequence);
    if (isOver(options, tally)) break;
  }
  return conclude(tally);
}

async function embeddedSide(): Promise<Side> {
  const side = createEmbeddedSide();
  await defineKinds(side, () => pause(0));
  return side;
}

/** Only the API server takes part: what controllers do is not compared. */
async function compareLive(options: DifferentialOptions): Promise<number> {
  const plane = await startControlPlane({ audit: false, onProgress: console.error });
  const real = createRealSide({ url: plane.url, ca: plane.ca, token: plane.tokenFor('admin') });
  try {
    for (const name of OTHERS) plane.pause(name);
    await defineKinds(real, () => pause(PAUSE_MS));
    return await compareAll(options, real);
  } finally {
    real.close();
    for (const name of OTHERS) plane.resume(name);
    await plane.stop();
  }
}

async function compareAll(options: DifferentialOptions, real: RealSide): Promise<number> {
  const embedded = await embeddedSide();
  const recording = options.record === undefined ? undefined : openRecording(options.record);
  const tally = newTally();
  const seeds = Array.from({ length: options.count }, (_, index) => String(options.from + index)).values();
  const work = async (): Promise<void> => {
    for (const seed of seeds) {
      const sequence = generate(seed);
      const answers = await tryPlay(sequence, real);
      if (isOver(options, tally)) return;
      if (answers === undefined) continue;
      if (recording === undefined) await judge(sequence, { embedded, real, answers, tally });
      else {
        recording.add({ sequence, namespace: namespaceOf(sequence, 0), played: answers });
        tally.compared++;
      }
    }
  };
  // Most of the time a sequence waits: for a new namespace to be known, for a list to be up to date.
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await recording?.close();
  return conclude(tally);
}

/** Undefined when a connection broke: that says nothing of the answers. */
async function tryPlay(sequence: Sequence, real: RealSide): Promise<Played | undefined> {
  try {
    return await play(sequence, real, namespaceOf(sequence, 0));
  } catch (error) {
    console.error(`sequence ${sequence.seed} is left out: ${String(error)}`);
    return undefined;
  }
}

interface Judging {
  readonly embedded: Side;
  readonly real: Side;
  readonly answers: Played;
  readonly tally: Tally;
}

async function judge(sequence: Sequence, { embedded, real, answers, tally }: Judging): Promise<void> {
  const namespace = namespaceOf(sequence, 0);
  const compared = await compareWith(sequence, embedded, { played: answers, namespace }, 0);
  const { difference } = compared;
  const isNew = difference !== undefined && knownDifference(difference, sequence) === undefined;
  const shown = isNew ? await shorten(compared, { embedded, real }) : compared;
  report(shown, tally, sequence);
}

function report({ difference, sequence }: Compared, tally: Tally, original: Sequence): void {
  tally.compared++;
  if (difference === undefined) return;
  const known = knownDifference(difference, sequence);
  if (known !== undefined) {
    tally.known.set(known.title, (tally.known.get(known.title) ?? 0) + 1);
    return;
  }
  tally.differing++;
  console.log(describeDifference(sequence, difference, original.seed));
}

function conclude({ compared, differing, known }: Tally): number {
  for (const [title, count] of known) console.log(`known, ${String(count)} times: ${title}`);
  console.log(`${String(compared)} sequences, ${String(differing)} differ`);
  return differing === 0 ? 0 : 1;
}
