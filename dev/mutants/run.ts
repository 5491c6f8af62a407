import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Mutant, plant } from './mutant.ts';
import { judgeMutant, type RunEvent, unanswered, type Verdict } from './verdict.ts';

export interface Judged {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
}

export interface RunOptions {
  /** How many faults share one start of vitest. */
  readonly batchSize?: number;
  /** A start that takes longer is ended; what it did not answer is asked again, one by one. */
  readonly limitMs?: number;
  readonly onProgress?: (done: number, total: number) => void;
}

export async function runMutants(mutants: readonly Mutant[], options: RunOptions = {}): Promise<readonly Judged[]> {
  const { batchSize = 25, limitMs = 300_000, onProgress = () => undefined } = options;
  // Those with the same test share its run without a fault.
  const sorted = [...mutants].sort(
    (a, b) => Number(a.killedBy.file > b.killedBy.file) - Number(a.killedBy.file < b.killedBy.file),
  );
  const judged: Judged[] = [];
  for (let at = 0; at < sorted.length; at += batchSize) {
    judged.push(...(await judgeBatch(sorted.slice(at, at + batchSize), limitMs)));
    onProgress(judged.length, mutants.length);
  }
  return judged;
}

async function judgeBatch(batch: readonly Mutant[], limitMs: number): Promise<readonly Judged[]> {
  const troubles = new Map(
    await Promise.all(batch.map(async (mutant) => [mutant.id, await plantingTrouble(mutant)] as const)),
  );
  const usable = batch.filter(({ id }) => troubles.get(id) === undefined);
  const events = [...(await runVitest(usable, limitMs))];
  const open = unanswered(usable, events);
  if (usable.length > 1) for (const mutant of open) events.push(...(await runVitest([mutant], limitMs)));
  return batch.map((mutant) => {
    const why = troubles.get(mutant.id);
    return { mutant, verdict: why === undefined ? judgeMutant(mutant, events) : { kind: 'unusable', why } };
  });
}

/** Why a fault cannot be planted. */
async function plantingTrouble(mutant: Mutant): Promise<string | undefined> {
  try {
    plant(await readFile(mutant.file, 'utf8'), mutant);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function runVitest(mutants: readonly Mutant[], limitMs: number): Promise<readonly RunEvent[]> {
  if (mutants.length === 0) return [];
  const folder = await mkdtemp(join(tmpdir(), 'kubepkg-mutants-'));
  const report = join(folder, 'events.jsonl');
  try {
    await startVitest({ KUBEPKG_MUTANTS: JSON.stringify(mutants), KUBEPKG_MUTANTS_REPORT: report }, limitMs);
    const lines = (await readFile(report, 'utf8').catch(() => '')).split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as RunEvent);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function startVitest(own: NodeJS.ProcessEnv, limitMs: number): Promise<void> {
  const args = [
    join('node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--config',
    join('dev', 'mutants', 'vitest.config.ts'),
  ];
  const child = spawn(process.execPath, args, {
    env: { ...withoutVitest(process.env), ...own },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve());
  });
}

/** A vitest that was started from a test must not take itself for a worker. */
function withoutVitest(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('VITEST') && name !== 'TEST'));
}
