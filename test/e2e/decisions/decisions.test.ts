import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { RehearsalSettings } from '../../../src/compose/rehearsal/rehearsals.ts';
import { OperatorWorld } from '../operator/world.ts';
import { playReal, rehearse } from './cases.ts';
import type { Push } from './published.ts';
import { RealSide } from './real-side.ts';
import { Saboteur } from './saboteur.ts';
import { SHAPES } from './shapes.ts';

/** Much of the real time is spent waiting for deadlines. */
const AT_ONCE = 6;

const world = await OperatorWorld.start({ audit: false });
const saboteur = await Saboteur.start(world.cluster);
const real = new RealSide(world, saboteur);
afterAll(async () => {
  saboteur.stop();
  await world.stop();
});
await world.startOperator({ workers: AT_ONCE, leaderElect: false });
vi.setConfig({ maxConcurrency: AT_ONCE });

const push: Push = (name, charts) => world.push(name, charts);

/** Folders of their own for rehearsals that go on at the same time. */
function settingsOf(name: string): RehearsalSettings {
  const { binaries, caFile: registryCaFile } = world.plane;
  const places = { cacheDir: join(world.dir, name), helm: binaries.helm, registryCaFile };
  return { ...places, seed: 1, version: '1.2.3', onLog: () => undefined, plainHttp: false };
}

describe.concurrent('a rehearsal decides as the real control plane does', { timeout: 900_000 }, () => {
  it.each(SHAPES)('for $name: $cases', async (shape) => {
    const [wanted, rehearsed] = await Promise.all([
      playReal(shape, push, real),
      rehearse(shape, push, settingsOf(shape.name)),
    ]);
    expect(rehearsed).toEqual(wanted);
  });
});
