import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { BreakableProxy } from '../../conformance/breakable-proxy.ts';
import { deploymentChart } from './charts.ts';
import { cure, inNamespace, isAt, NEVER_READY, numbersOf, publish, says, sim } from './packages.ts';
import { condition, hasReason, isReady, OperatorWorld } from './world.ts';

const world = await OperatorWorld.start({ audit: false });
const registry = new URL(`https://${world.plane.registry?.host ?? ''}`);
const proxy = await BreakableProxy.start(Number(registry.port));
afterAll(async () => {
  await world.stop();
  await proxy.close();
});
const tree = await world.push('away/tree', { app: deploymentChart() });
await world.startOperator();

describe('R11 a registry that is away', { timeout: 120_000 }, () => {
  const throughProxy = (reference: string): string =>
    reference.replace(registry.host, `127.0.0.1:${String(proxy.port)}`);

  it('before a start is FetchFailed, takes nobody down, and is tried again until it is back', async () => {
    await publish(world, 'away', { tree, components: [inNamespace('away')('app')] });
    await world.applyPackage('away');
    await world.untilPackage('away', isReady);
    const next = await world.push('away/next', { app: { ...deploymentChart(), 'README.md': 'next' } });
    proxy.refuse(true);
    const components = [inNamespace('away')('app')];
    await publish(world, 'away', { tree: throughProxy(next), version: '1.1.0', components });
    const pkg = await world.untilPackage('away', hasReason('FetchFailed'));
    expect(condition(pkg, 'Available')?.status).toBe('True');
    expect(await world.revisions('away')).toHaveLength(1);
    proxy.refuse(false);
    await world.untilPackage('away', isAt('1.1.0'));
  });

  it('in the middle of an upgrade is waited for, and rolls nothing back', async () => {
    const own = inNamespace('outage');
    const components = [own('app', {}, 'first'), own('app', { dependsOn: ['first'] }, 'second')];
    await publish(world, 'outage', { tree, safe: true, components });
    await world.applyPackage('outage', { components: { first: sim({}), second: sim({}) } });
    await world.untilPackage('outage', isReady);
    const next = await world.push('away/later', { app: { ...deploymentChart(), 'README.md': 'later' } });
    await world.applyPackage('outage', { components: { first: sim(NEVER_READY), second: sim({}) }, suspend: true });
    await publish(world, 'outage', { tree: throughProxy(next), version: '1.1.0', safe: true, components });
    await world.applyPackage('outage', { components: { first: sim(NEVER_READY), second: sim({}) } });
    await world.untilPackage('outage', says(/first.* is not ready/));
    proxy.refuse(true);
    await rm(join(world.dir, 'cache'), { recursive: true, force: true });
    await cure(world, 'outage', 'first');
    const waiting = await world.untilPackage('outage', says(/second.*(fetch|127\.0\.0\.1|registry)/i));
    expect(condition(waiting, 'Ready')?.reason).toBe('Progressing');
    proxy.refuse(false);
    await world.untilPackage('outage', isAt('1.1.0'));
    expect((await world.revisions('outage')).map(({ spec }) => spec.restoredFrom ?? 0)).not.toContain(1);
    expect(await numbersOf(world, 'outage', ['second'])).toEqual({ second: ['1', '2'] });
  });
});
