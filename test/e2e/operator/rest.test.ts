import { afterAll, describe, expect, it } from 'vitest';
import { createClock } from '../../../src/compose/clock.ts';
import type { Clock } from '../../../src/ports/system.ts';
import type { AuditEvent } from './backends/backend.ts';
import { deploymentChart } from './charts.ts';
import { inNamespace, publish } from './packages.ts';
import { runningPrograms } from './processes.ts';
import { isReady, OperatorWorld } from './world.ts';

const world = await OperatorWorld.start();
afterAll(() => world.stop());
const tree = await world.push('rest/tree', { app: deploymentChart() });
await world.startOperator();

describe('an applied package', () => {
  it('P22 R7 is left alone: for two minutes no helm runs and nothing is written but the Lease', {
    timeout: 180_000,
  }, async () => {
    const own = inNamespace('rest');
    await publish(world, 'rest', { tree, components: [own('app', {}, 'one'), own('app', {}, 'two')] });
    await world.applyPackage('rest');
    await world.untilPackage('rest', isReady);
    // The event of the last transition may be written a moment after it.
    await expect.poll(() => writesSince(Date.now() - 5000), { timeout: 30_000, interval: 500 }).toEqual([]);
    const since = Date.now();
    const helms = await programsSeen(createClock(), 120_000);
    expect(await writesSince(since)).toEqual([]);
    expect(helms).toEqual([]);
  });
});

/** What the operator has asked the API server to change, its Lease aside. */
async function writesSince(since: number): Promise<readonly AuditEvent[]> {
  const requests = await world.requests(since);
  return requests.filter(
    ({ verb, objectRef }) => !['get', 'list', 'watch'].includes(verb) && objectRef?.resource !== 'leases',
  );
}

/** Every helm of this operator that runs at some moment of a span, looked for ten times a second. */
async function programsSeen(clock: Clock, ms: number): Promise<readonly string[]> {
  const end = clock.now() + ms;
  const seen: string[] = [];
  while (clock.now() < end) {
    seen.push(...runningPrograms(world.plane.binaries.helm, world.dir));
    await new Promise<void>((resolve) => {
      clock.after(100, resolve);
    });
  }
  return seen;
}
