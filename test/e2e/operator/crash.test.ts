import { afterAll, describe, expect, it } from 'vitest';
import type { SourceComponent } from '../../../src/api/package-source.ts';
import { deploymentChart, slowHookChart } from './charts.ts';
import { runningPrograms } from './processes.ts';
import { condition, isReady, OperatorWorld } from './world.ts';

function component(name: string, namespace: string): SourceComponent {
  return { name, path: name, install: { namespace } };
}

async function install(name: string, components: readonly string[], readyAfter: string): Promise<void> {
  await world.applySource(name, {
    version: '1.0.0',
    sourceRef: { kind: 'OCIArtifact', url: tree },
    variants: [{ name: 'default', components: components.map((each) => component(each, name)) }],
  });
  const values = { values: { sim: { 'sim.kubepkg.dev/ready-after': readyAfter } } };
  const deployments = components.filter((each) => each !== 'hooked');
  await world.applyPackage(name, { components: Object.fromEntries(deployments.map((each) => [each, values])) });
}

const versionsOf = async (namespace: string, release: string): Promise<readonly (string | undefined)[]> =>
  (await world.records(namespace, release)).map(({ metadata }) => metadata.labels?.version);

const world = await OperatorWorld.start();
afterAll(() => world.stop());
const tree = await world.push('crash/tree', {
  one: deploymentChart(),
  two: deploymentChart(),
  three: deploymentChart(),
  hooked: slowHookChart('4s'),
});

describe('the operator killed with -9 in the middle of an install', () => {
  it('while a component gets ready: it resumes there, and nothing is submitted twice', async () => {
    await world.startOperator();
    await install('waiting', ['one', 'two', 'three'], '5s');
    await world.untilRevision('waiting-1', ({ status }) => status?.components?.[1]?.backendRevision !== undefined);
    await world.killOperator('SIGKILL');
    await world.startOperator();
    await world.untilPackage('waiting', isReady);
    for (const release of ['one', 'two', 'three']) expect(await versionsOf('waiting', release)).toEqual(['1']);
    const [revision] = await world.revisions('waiting');
    expect(revision?.status?.components?.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
  });

  it('F72 while helm runs: helm dies with it, the release is unlocked and driven again at once', async () => {
    await install('delivering', ['hooked', 'one'], '0s');
    await world.until('batch/v1', 'Job', 'hooked-hook', () => true);
    expect(runningPrograms(world.plane.binaries.helm, world.dir)).not.toEqual([]);
    await world.killOperator('SIGKILL');
    await expect
      .poll(() => runningPrograms(world.plane.binaries.helm, world.dir), { timeout: 2000, interval: 20 })
      .toEqual([]);
    expect((await world.records('delivering', 'hooked')).at(-1)?.metadata.labels?.status).toBe('pending-install');
    const restarted = Date.now();
    await world.startOperator();
    const pkg = await world.untilPackage('delivering', isReady);
    expect(Date.now() - restarted, 'seconds, not a timeout').toBeLessThan(30_000);
    expect(pkg.status?.currentRevision).toBe(1);
    expect(await versionsOf('delivering', 'one')).toEqual(['1']);
    const records = await world.records('delivering', 'hooked');
    expect(records.map(({ metadata }) => metadata.labels?.status)).toEqual(['failed', 'deployed']);
    const [revision] = await world.revisions('delivering');
    expect(revision?.status?.components?.map(({ attempt }) => attempt)).toEqual([2, 1]);
  });

  it('a restart on healthy packages writes nothing about them', async () => {
    await world.killOperator('SIGKILL');
    const before = await world.revisions('waiting');
    const since = Date.now();
    await world.startOperator();
    await install('after', ['one'], '0s');
    await world.untilPackage('after', isReady);
    const touched = (await world.requests(since)).filter(
      ({ verb, objectRef }) =>
        ['update', 'patch', 'create', 'delete'].includes(verb) && objectRef?.name?.startsWith('waiting') === true,
    );
    expect(touched).toEqual([]);
    expect(await world.revisions('waiting')).toEqual(before);
  });
});

describe('the operator asked to stop', () => {
  it('lets the running delivery end, gives the Lease away and ends with 0; another goes on', async () => {
    await install('stopping', ['hooked', 'one'], '0s');
    await world.until('batch/v1', 'Job', 'hooked-hook', ({ metadata }) => metadata.namespace === 'stopping');
    expect(await world.killOperator('SIGTERM')).toBe(0);
    expect((await world.records('stopping', 'hooked')).at(-1)?.metadata.labels?.status).toBe('deployed');
    const started = Date.now();
    await world.startOperator();
    expect(Date.now() - started, 'the Lease was given away, not waited out').toBeLessThan(6000);
    const pkg = await world.untilPackage('stopping', isReady);
    expect(condition(pkg, 'Ready')?.status).toBe('True');
    expect(await versionsOf('stopping', 'hooked')).toEqual(['1']);
  });
});
