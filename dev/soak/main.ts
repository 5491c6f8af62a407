import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject } from '../../src/api/kube.ts';
import { chosenBackend } from '../../test/e2e/operator/backends/backend.ts';
import { pushCharts } from '../../test/e2e/operator/kill-scene.ts';
import { runningPrograms } from '../../test/e2e/operator/processes.ts';
import { condition, OperatorWorld } from '../../test/e2e/operator/world.ts';
import { Rng } from '../../test/simulation/prng.ts';
import { Life, type Stage } from './lives.ts';

/**
 * `KILLS=n` or `MINUTES=n`: kills the operator at random moments for as long; `SEED=s` repeats the moments, and
 * `BACKEND=flux` or `argocd` has another deliver than helm.
 */
const backend = chosenBackend(process.env['BACKEND']);
const minutes = Number(process.env['MINUTES'] ?? '0');
const most = Number(process.env['KILLS'] ?? (minutes > 0 ? Number.POSITIVE_INFINITY : '60'));
const seed = process.env['SEED'] ?? String(Date.now() % 1_000_000);

/** The longest that a process lives: a step takes about as long, so that kills meet every part of it. */
const LIFE_MS = 8000;
const PROMPT_MS = 10_000;
/** The kernel ends a helm with its operator; looking for it takes a moment. */
const HELM_END_MS = 2000;
/** More than a machine that is merely slow makes. */
const MAX_ENDS = 5;
const CANARY = 'canary';

interface Kills {
  count: number;
  helmsLeft: number;
  /** Operators that ended without being killed, as one does that cannot renew its Lease: whoever looks after it starts it again. */
  ended: number;
  readonly pauses: number[];
}

async function main(): Promise<boolean> {
  console.log(`seed ${seed}, backend ${backend}`);
  const world = await OperatorWorld.start({ audit: false, backend });
  const ends = Date.now() + (minutes > 0 ? minutes * 60_000 : Number.POSITIVE_INFINITY);
  const kills: Kills = { count: 0, helmsLeft: 0, ended: 0, pauses: [] };
  try {
    const stage: Stage = {
      world,
      trees: { blue: await pushCharts(world, 'blue'), green: await pushCharts(world, 'green') },
      done: { install: 0, rollback: 0, upgrade: 0, removal: 0 },
      violations: [],
      isOver: () => kills.count >= most || Date.now() > ends || stage.violations.length > 0,
    };
    await world.startOperator();
    const lives = ['red', 'yellow', 'violet'].map((name) => new Life(name, stage));
    await Promise.all([killOver(stage, kills), ...lives.map((life) => life.run())]);
    for (const life of lives) life.stop();
    return report(stage, kills);
  } finally {
    await world.stop();
  }
}

async function killOver(stage: Stage, kills: Kills): Promise<void> {
  const rng = new Rng(seed);
  while (!stage.isOver()) {
    await delay(rng.int(0, LIFE_MS));
    if (stage.world.hasOperatorEnded) judgeEnd(stage, kills);
    kills.helmsLeft += await kill(stage.world);
    const ms = await restart(stage, kills);
    kills.count += 1;
    kills.pauses.push(ms);
    console.log(`kill ${String(kills.count)}: works again after ${seconds(ms)}`);
  }
}

/** How many helms outlived it. */
async function kill(world: OperatorWorld): Promise<number> {
  await world.killOperator('SIGKILL');
  const until = Date.now() + HELM_END_MS;
  for (;;) {
    const left = runningPrograms(world.plane.binaries.helm, world.dir).length;
    if (left === 0 || Date.now() > until) return left;
    await delay(20);
  }
}

/** How long it took until a new operator wrote what was due: that it has seen a change of a package. */
async function restart(stage: Stage, kills: Kills): Promise<number> {
  const { world } = stage;
  const changed = await world.applyPackage(CANARY, { revisionHistoryLimit: 2 + (kills.count % 2) });
  const started = Date.now();
  const isSeen = (canary: KubeObject): boolean =>
    condition(canary, 'Ready')?.observedGeneration === changed.metadata.generation;
  const seen = world.untilPackage(CANARY, isSeen).then(() => true);
  await world.startOperator();
  while (!(await Promise.race([seen, world.operatorEnd().then(() => false)]))) {
    judgeEnd(stage, kills);
    if (stage.isOver()) break;
    await world.startOperator();
  }
  return Date.now() - started;
}

/** Only the loss of its Lease is a reason to end. */
function judgeEnd({ world, violations }: Stage, kills: Kills): void {
  kills.ended += 1;
  const last = world.lines.slice(-3).join('\n');
  console.log(`it ended by itself: ${last}`);
  if (!/lease/i.test(last) || kills.ended > MAX_ENDS) violations.push({ kind: 'crashed', message: last });
}

function report({ done, violations }: Stage, { count, helmsLeft, ended, pauses }: Kills): boolean {
  for (const { kind, message } of violations) console.log(`${kind}: ${message}`);
  const number = (kind: string): string => String(violations.filter((violation) => violation.kind === kind).length);
  const sorted = [...pauses].sort((a, b) => a - b);
  const [median = 0, longest = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  const steps = Object.entries(done).map(([step, times]) => `${String(times)} × ${step}`);
  console.log(
    `${String(count)} kills (seed ${seed}): ${number('lost')} lost, ${number('repeated')} repeated, ${number('crashed')} crashed, ` +
      `${String(helmsLeft)} helm left, ${String(ended)} ended by themselves; works again after ${seconds(median)} (median), ${seconds(longest)} (longest); ` +
      steps.join(', '),
  );
  return violations.length === 0 && helmsLeft === 0 && longest <= PROMPT_MS;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

process.exitCode = (await main()) ? 0 : 1;
