import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { SourceComponent } from '../../../src/api/package-source.ts';
import type { WrittenPackageSpec } from '../../../src/api/package.ts';
import { BreakableProxy } from '../../conformance/breakable-proxy.ts';
import { configMapChart, deploymentChart, jobChart } from './charts.ts';
import {
  annotate,
  cure,
  inNamespace,
  isAt,
  messageOf,
  NEVER_READY,
  numbersOf,
  publish,
  says,
  sim,
  untilPod,
} from './packages.ts';
import { condition, hasReason, isReady, OperatorWorld } from './world.ts';

const SCHEMA = JSON.stringify({ type: 'object', properties: { size: { type: 'integer' } } });

const world = await OperatorWorld.start({ audit: false });
const registry = new URL(`https://${world.plane.registry?.host ?? ''}`);
const proxy = await BreakableProxy.start(Number(registry.port));
afterAll(async () => {
  await world.stop();
  await proxy.close();
});
const tree = await world.push('timeouts/tree', {
  app: deploymentChart(),
  job: jobChart(),
  config: { ...configMapChart(), 'values.schema.json': SCHEMA },
});
await world.startOperator();

/** A package of components in its own namespace, each after the one before it. */
async function install(name: string, components: readonly SourceComponent[], spec: WrittenPackageSpec): Promise<void> {
  await publish(world, name, { tree, components });
  await world.applyPackage(name, spec);
}

const within = (timeout: string, components: WrittenPackageSpec['components'] = {}): WrittenPackageSpec => ({
  upgrade: { timeout },
  components,
});

describe('the time that a component has', { timeout: 120_000 }, () => {
  it.concurrent('P9 R2 is its own: three that together need longer than the timeout are no failure', async () => {
    const own = inNamespace('three');
    const slow = sim({ 'ready-after': '6s' });
    const components = [own('app', {}, 'one'), own('app', {}, 'two'), own('app', {}, 'three')];
    await install('three', components, within('15s', { one: slow, two: slow, three: slow }));
    await world.untilPackage('three', isReady);
    const [revision] = await world.revisions('three');
    const times = revision?.status?.components?.map(({ startedAt = '', readyAt = '' }) => [startedAt, readyAt]) ?? [];
    const lasted = Date.parse(times.at(-1)?.[1] ?? '') - Date.parse(times[0]?.[0] ?? '');
    expect(lasted, 'longer than the timeout of each').toBeGreaterThan(15_000);
    const starts = times.map(([startedAt]) => startedAt);
    expect(starts, 'each began anew').toEqual([...new Set(starts)].sort());
  });

  it.concurrent('P9 is extended by a raised timeout while it runs', async () => {
    const slow = { app: sim({ 'ready-after': '12s' }) };
    await install('raised', [inNamespace('raised')('app')], within('8s', slow));
    await world.untilPackage('raised', says(/is not ready/));
    await world.applyPackage('raised', within('90s', slow));
    await world.untilPackage('raised', isReady);
    const revisions = await world.revisions('raised');
    expect(revisions).toHaveLength(1);
    expect(revisions[0]?.status?.components?.[0]?.attempt).toBe(1);
  });

  it.concurrent('P9 stands still while the package is suspended', async () => {
    const slow = within('8s', { app: sim({ 'ready-after': '14s' }) });
    await install('paused', [inNamespace('paused')('app')], slow);
    await world.untilPackage('paused', says(/is not ready/));
    await world.applyPackage('paused', { ...slow, suspend: true });
    await world.untilPackage('paused', hasReason('Suspended'));
    const holds = (pod: Parameters<typeof condition>[0]): boolean => condition(pod, 'Ready')?.status === 'True';
    await untilPod(world, { namespace: 'paused', app: 'app', holds });
    const [revision] = await world.revisions('paused');
    const { deadline = '' } = revision?.status?.components?.[0] ?? {};
    expect(Date.parse(deadline), 'the deadline is over').toBeLessThan(Date.now());
    expect(revision?.status?.phase).toBe('Applying');
    await world.applyPackage('paused', slow);
    await world.untilPackage('paused', isReady);
    expect(await world.revisions('paused')).toHaveLength(1);
  });

  it.concurrent('P9 P12 ends with a verdict within seconds; then it is held until the retry token changes', async () => {
    await install('held', [inNamespace('held')('app')], within('6s', { app: sim(NEVER_READY) }));
    const failed = await world.untilPackage('held', hasReason('UpgradeFailed'));
    const seen = Date.now();
    const [revision] = await world.revisions('held');
    const { deadline = '' } = revision?.status?.components?.[0] ?? {};
    expect(seen - Date.parse(deadline), 'milliseconds after the deadline').toBeLessThan(5000);
    expect(messageOf(failed)).toMatch(/kubepkg\.dev\/retry/);
    await cure(world, 'held', 'app');
    const works = await world.untilPackage('held', (pkg) => condition(pkg, 'Available')?.status === 'True');
    expect(condition(works, 'Ready')?.reason, 'nothing is retried by itself').toBe('UpgradeFailed');
    expect(await numbersOf(world, 'held', ['app'])).toEqual({ app: ['1'] });
    await annotate(world, 'held', { 'kubepkg.dev/retry': 'once' });
    await world.untilPackage('held', isReady);
    expect(await world.revisions('held')).toHaveLength(2);
  });

  it.concurrent('P12 F69 a retry token makes one attempt for each new value', async () => {
    const failing = { components: { job: sim({ 'exit-code': '1' }) } };
    await install('tokens', [inNamespace('tokens')('job')], failing);
    await world.untilPackage('tokens', hasReason('UpgradeFailed'));
    await annotate(world, 'tokens', { 'kubepkg.dev/retry': 'a' });
    await world.untilRevision('tokens-2', ({ status }) => status?.phase === 'Failed');
    await annotate(world, 'tokens', { 'kubepkg.dev/retry': 'a', 'example.org/other': 'edit' });
    await annotate(world, 'tokens', { 'kubepkg.dev/retry': 'b' });
    await world.untilRevision('tokens-3', ({ status }) => status?.phase === 'Failed');
    await world.untilPackage('tokens', hasReason('UpgradeFailed'));
    expect(await world.revisions('tokens')).toHaveLength(3);
  });

  it.concurrent('P12 F70 the spec set back after an attempt that changed nothing is Ready, with no further delivery', async () => {
    await install('back', [inNamespace('back')('config')], {});
    await world.untilPackage('back', isReady);
    await world.applyPackage('back', {
      upgrade: { atomic: false },
      components: { config: { values: { size: 'large' } } },
    });
    await world.untilPackage('back', hasReason('UpgradeFailed'));
    await world.applyPackage('back', {});
    await world.untilPackage('back', isReady);
    expect(await numbersOf(world, 'back', ['config'])).toEqual({ config: ['1'] });
  });
});

describe('R11 a registry that is away', { timeout: 120_000 }, () => {
  const throughProxy = (reference: string): string =>
    reference.replace(registry.host, `127.0.0.1:${String(proxy.port)}`);

  it('before a start is FetchFailed, takes nobody down, and is tried again until it is back', async () => {
    await publish(world, 'away', { tree, components: [inNamespace('away')('app')] });
    await world.applyPackage('away');
    await world.untilPackage('away', isReady);
    const next = await world.push('timeouts/next', { app: { ...deploymentChart(), 'README.md': 'next' } });
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
    const next = await world.push('timeouts/later', { app: { ...deploymentChart(), 'README.md': 'later' } });
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
