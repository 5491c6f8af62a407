import { afterAll, describe, expect, it } from 'vitest';
import { slowHookChart } from './charts.ts';
import { runningPrograms } from './processes.ts';
import { isReady, OperatorWorld } from './world.ts';

const world = await OperatorWorld.start();
const tree = await world.push('lease/tree', { hooked: slowHookChart('8s') });

afterAll(async () => {
  await world.stop();
});

/** Resolves while helm waits for a hook of the chart. */
async function deliver(name: string): Promise<void> {
  await world.applySource(name, {
    version: '1.0.0',
    sourceRef: { kind: 'OCIArtifact', url: tree },
    variants: [{ name: 'default', components: [{ name: 'hooked', path: 'hooked', install: { namespace: name } }] }],
  });
  await world.applyPackage(name);
  await world.until('batch/v1', 'Job', 'hooked-hook', ({ metadata }) => metadata.namespace === name);
  expect(helms()).not.toEqual([]);
}

function helms(): readonly string[] {
  return runningPrograms(world.plane.binaries.helm, world.dir);
}

/** When it is over by itself: the signal tells it nothing. */
function operatorEnds(): Promise<number | null> {
  return world.killOperator('SIGCONT');
}

describe('an operator in the middle of a delivery', () => {
  it('that cannot renew its Lease ends helm and itself before another may lead; another goes on', async () => {
    await world.startOperator();
    await deliver('lost');
    world.plane.pause('kube-apiserver');
    const frozen = Date.now();
    const code = await operatorEnds();
    const left = helms();
    const lasted = Date.now() - frozen;
    world.plane.resume('kube-apiserver');
    expect(code).toBe(1);
    expect(left).toEqual([]);
    expect(lasted, 'the Lease lasts 8 s').toBeLessThan(8000);
    await world.startOperator();
    const pkg = await world.untilPackage('lost', isReady);
    expect(pkg.status?.currentRevision).toBe(1);
  });

  it('that is asked to stop twice ends helm, gives the Lease away and ends with 0', async () => {
    await deliver('twice');
    const pid = world.operatorPid ?? 0;
    const asked = Date.now();
    process.kill(pid, 'SIGINT');
    await expect.poll(() => world.lines.at(-1)).toContain('what runs is let end');
    expect(await world.killOperator('SIGTERM')).toBe(0);
    expect(Date.now() - asked).toBeLessThan(5000);
    expect(helms()).toEqual([]);
    const restarted = Date.now();
    await world.startOperator();
    expect(Date.now() - restarted, 'the Lease was given away, not waited out').toBeLessThan(6000);
    await world.untilPackage('twice', isReady);
  });
});
