import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { configMapChart, definitionText, deploymentChart, markChart, writeTree } from './charts.ts';
import {
  annotate,
  createNamespace,
  deletePackage,
  inNamespace,
  messageOf,
  numbersOf,
  publish,
  says,
} from './packages.ts';
import { condition, hasReason, isReady, OperatorWorld } from './world.ts';

const world = await OperatorWorld.start({ audit: false });
afterAll(() => world.stop());
const tree = await world.push('ownership/tree', {
  app: deploymentChart(),
  mark: markChart(),
  config: configMapChart(),
  crd: { ...configMapChart(), 'templates/crd.yaml': definitionText({ group: 'ownership.example.org', kind: 'Claim' }) },
});
await world.startOperator();

const ADOPT = { 'kubepkg.dev/adopt': 'true' };

/** Somebody else's release of the chart `mark`, made with helm alone. */
async function helmInstall(namespace: string, release: string): Promise<void> {
  const folder = await writeTree(world.dir, { mark: markChart() });
  const args = ['install', release, join(folder, 'mark'), '--namespace', namespace, '--create-namespace'];
  await promisify(execFile)(world.plane.binaries.helm, [...args, '--set', 'mark=theirs'], { env: world.plane.env });
}

async function markOf(namespace: string, name: string): Promise<unknown> {
  const found = await world.cluster.read({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });
  return (found as { readonly data?: { readonly mark?: string } } | undefined)?.data?.mark;
}

const OURS = { components: { mark: { values: { mark: 'ours' } } } };

describe('P21 what belongs to somebody else', { timeout: 120_000 }, () => {
  it.concurrent('a release that helm alone has made is left alone, and taken over when told to adopt it', async () => {
    await helmInstall('their-release', 'mark');
    await publish(world, 'their-release', { tree, components: [inNamespace('their-release')('mark')] });
    await world.applyPackage('their-release', OURS);
    const pkg = await world.untilPackage('their-release', hasReason('InvalidConfiguration'));
    expect(messageOf(pkg)).toMatch(/their-release\/mark .*kubepkg\.dev\/adopt=true/);
    expect(await markOf('their-release', 'mark')).toBe('theirs');
    expect(await world.revisions('their-release')).toEqual([]);
    await annotate(world, 'their-release', ADOPT);
    await world.untilPackage('their-release', isReady);
    expect(await markOf('their-release', 'mark')).toBe('ours');
    expect(await numbersOf(world, 'their-release', ['mark'])).toEqual({ mark: ['1', '2'] });
  });

  it.concurrent('an object that is there already is not touched, and is taken over when told to adopt it', async () => {
    await createNamespace(world, 'their-object');
    const metadata = { name: 'mark', namespace: 'their-object' };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { mark: 'theirs' } };
    await world.cluster.write({ verb: 'create', object });
    await publish(world, 'their-object', { tree, components: [inNamespace('their-object')('mark')] });
    await world.applyPackage('their-object', OURS);
    const pkg = await world.untilPackage('their-object', hasReason('UpgradeFailed'));
    expect(messageOf(pkg)).toMatch(/ConfigMap.*mark/);
    expect(await markOf('their-object', 'mark')).toBe('theirs');
    await annotate(world, 'their-object', { ...ADOPT, 'kubepkg.dev/retry': 'adopt' });
    await world.untilPackage('their-object', isReady);
    expect(await markOf('their-object', 'mark')).toBe('ours');
  });

  it.concurrent('a release has one package: the second is refused, and its removal takes nothing along', async () => {
    const own = inNamespace('shared');
    await publish(world, 'first', { tree, components: [own('mark')] });
    await world.applyPackage('first', OURS);
    await world.untilPackage('first', isReady);
    await publish(world, 'second', { tree, components: [own('mark')] });
    await world.applyPackage('second');
    const pkg = await world.untilPackage('second', hasReason('InvalidConfiguration'));
    expect(messageOf(pkg)).toContain('belongs to package first');
    await deletePackage(world, 'second');
    await world.gone('kubepkg.dev/v1', 'Package', 'second');
    expect(await markOf('shared', 'mark')).toBe('ours');
    expect(await numbersOf(world, 'shared', ['mark'])).toEqual({ mark: ['1'] });
  });

  it.concurrent('a CRD has one package: the second waits for its claim and delivers nothing', async () => {
    const rest = { crds: ['claims.ownership.example.org'] };
    await publish(world, 'claimant', { tree, components: [inNamespace('claimant')('crd')], rest });
    await world.applyPackage('claimant');
    await world.untilPackage('claimant', isReady);
    await publish(world, 'rival', { tree, components: [inNamespace('rival')('config')], rest });
    await world.applyPackage('rival');
    const pkg = await world.untilPackage('rival', hasReason('CRDOwnershipConflict'));
    expect(messageOf(pkg)).toMatch(/claims\.ownership\.example\.org.*claimant/);
    expect(await world.records('rival', 'config')).toEqual([]);
  });
});

describe('what is awaited for long', { timeout: 120_000 }, () => {
  it.concurrent('P22 R7 is delivered once, however often the package is looked at', async () => {
    const readyWhen = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'signal', status: 'True', expression: "data.go == 'yes'" },
    ];
    await publish(world, 'patient', { tree, components: [inNamespace('patient')('app', { readyWhen })] });
    await world.applyPackage('patient');
    await world.untilPackage('patient', says(/signal/));
    for (const poke of ['1', '2', '3', '4']) {
      await annotate(world, 'patient', { 'example.org/poke': poke });
      await world.applyPackage('patient', { revisionHistoryLimit: 10 + Number(poke) });
      await world.untilPackage('patient', ({ metadata, status }) => status?.observedGeneration === metadata.generation);
    }
    expect(await numbersOf(world, 'patient', ['app'])).toEqual({ app: ['1'] });
    const metadata = { name: 'signal', namespace: 'patient' };
    await world.cluster.write({
      verb: 'create',
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { go: 'yes' } },
    });
    const pkg = await world.untilPackage('patient', isReady);
    expect(condition(pkg, 'Available')?.status).toBe('True');
    expect(await numbersOf(world, 'patient', ['app'])).toEqual({ app: ['1'] });
    const revisions = await world.revisions('patient');
    expect(revisions.map(({ status }) => status?.components?.[0]?.attempt)).toEqual([1]);
  });
});
