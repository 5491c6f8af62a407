import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { configMapChart, definitionText, deploymentChart, HOLD, markChart, migrateChart } from './charts.ts';
import {
  deletePackage,
  imagesOf,
  inNamespace,
  isAt,
  letGo,
  messageOf,
  NEVER_READY,
  phases,
  publish,
  says,
  sim,
} from './packages.ts';
import { condition, hasReason, isReady, OperatorWorld } from './world.ts';

const world = await OperatorWorld.start({ audit: false });
afterAll(() => world.stop());
const tree = await world.push('scenarios/tree', {
  app: deploymentChart(),
  mark: markChart(),
  crd: { ...configMapChart(), 'templates/crd.yaml': definitionText({ group: 'scenarios.example.org', kind: 'Claim' }) },
  goner: { ...configMapChart(), 'crds/goner.yaml': definitionText({ group: 'scenarios.example.org', kind: 'Goner' }) },
  strict: {
    ...migrateChart(),
    'values.schema.json': JSON.stringify({ type: 'object', additionalProperties: false, properties: { sim: {} } }),
  },
  closed: {
    ...markChart(),
    'values.schema.json': JSON.stringify({ type: 'object', additionalProperties: false, properties: { mark: {} } }),
  },
});
await world.startOperator();

const image = (tag: string): { values: { image: string } } => ({ values: { image: `example.org/app:${tag}` } });

describe('an upgrade that fails', { timeout: 120_000 }, () => {
  it.concurrent('P10 P11 is not rolled back past an unsafe version that a later safe one has skipped', async () => {
    const own = inNamespace('skipped');
    const at = (version: string, safe: boolean): Promise<void> =>
      publish(world, 'skipped', { tree, version, safe, components: [own('app')] });
    await at('1.0.0', true);
    await world.applyPackage('skipped', { components: { app: image('1.0.0') } });
    await world.untilPackage('skipped', isReady);
    const broken = (tag: string): { values: JsonObject } => ({
      values: { ...image(tag).values, ...sim(NEVER_READY).values },
    });
    await world.applyPackage('skipped', {
      suspend: true,
      upgrade: { timeout: '6s' },
      components: { app: broken('2') },
    });
    await at('2.0.0', false);
    await world.applyPackage('skipped', { upgrade: { timeout: '6s' }, components: { app: broken('2') } });
    await world.untilPackage('skipped', hasReason('UpgradeFailed'));
    await at('2.1.0', true);
    await world.untilPackage('skipped', (pkg) => hasReason('UpgradeFailed')(pkg) && messageOf(pkg).includes('2.1.0'));
    expect(phases(await world.revisions('skipped'))).toEqual(['Applied', 'Failed', 'Failed']);
    expect(await imagesOf(world, 'skipped')).toEqual(['app example.org/app:2']);
  });
});

describe('what a version leaves', { timeout: 120_000 }, () => {
  it.concurrent('I13 a component that only a failed version had is removed by the next that is applied', async () => {
    const own = inNamespace('orphan');
    await publish(world, 'orphan', { tree, components: [own('app')] });
    const spec = { upgrade: { timeout: '6s' }, components: { last: sim(NEVER_READY) } };
    await world.applyPackage('orphan', spec);
    await world.untilPackage('orphan', isReady);
    const components = [own('app'), own('mark', {}, 'extra'), own('app', { dependsOn: ['extra'] }, 'last')];
    await publish(world, 'orphan', { tree, version: '2.0.0', components });
    await world.untilPackage('orphan', hasReason('UpgradeFailed'));
    expect(await world.records('orphan', 'extra')).toHaveLength(1);
    await publish(world, 'orphan', { tree, version: '2.0.1', components: [own('app')] });
    await world.untilPackage('orphan', (pkg) => isAt('2.0.1')(pkg) && condition(pkg, 'Reconciling') === undefined);
    for (const release of ['extra', 'last']) expect(await world.records('orphan', release)).toEqual([]);
  });
});

describe('F82 a chart whose schema allows no other values', { timeout: 120_000 }, () => {
  it.concurrent('is given none; as a hook, which is told its versions, it fails with what is in the way', async () => {
    const own = inNamespace('strict');
    const at = (version: string): Promise<void> =>
      publish(world, 'strict', { tree, version, components: [own('strict', { phase: 'PreUpgrade' }), own('closed')] });
    await at('1.0.0');
    await world.applyPackage('strict');
    await world.untilPackage('strict', isReady);
    await at('1.1.0');
    const pkg = await world.untilPackage('strict', hasReason('UpgradeFailed'));
    expect(messageOf(pkg)).toMatch(/schema[^]*kubepkg/);
    expect(condition(pkg, 'Available')?.status).toBe('True');
  });
});

describe('what two packages want', { timeout: 120_000 }, () => {
  it.concurrent('P21 a CRD has one package: the second waits for its claim and delivers nothing', async () => {
    const rest = { crds: ['claims.scenarios.example.org'] };
    await publish(world, 'claimant', { tree, components: [inNamespace('claimant')('crd')], rest });
    await world.applyPackage('claimant');
    await world.untilPackage('claimant', isReady);
    await publish(world, 'rival', { tree, components: [inNamespace('rival')('mark')], rest });
    await world.applyPackage('rival');
    const pkg = await world.untilPackage('rival', hasReason('CRDOwnershipConflict'));
    expect(messageOf(pkg)).toMatch(/claims\.scenarios\.example\.org.*claimant/);
    expect(await world.records('rival', 'mark')).toEqual([]);
  });
});

describe('P20 a package that is removed', { timeout: 120_000 }, () => {
  it.concurrent('with crdPolicy Delete takes its CRDs along', async () => {
    const crds = ['goners.scenarios.example.org'];
    await publish(world, 'goner', { tree, components: [inNamespace('goner')('goner')], rest: { crds } });
    await world.applyPackage('goner', { crdPolicy: 'Delete' });
    await world.untilPackage('goner', isReady);
    const [name = ''] = crds;
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name };
    expect(await world.cluster.read(crd)).toBeDefined();
    await deletePackage(world, 'goner');
    await world.gone('kubepkg.dev/v1', 'Package', 'goner');
    expect(await world.cluster.read(crd)).toBeUndefined();
  });

  it.concurrent('R15 F61 and comes back while its namespace is still going waits for that, and is installed', async () => {
    const own = inNamespace('returning');
    await publish(world, 'returning', { tree, components: [own('app')] });
    await world.applyPackage('returning');
    await world.untilPackage('returning', isReady);
    const metadata = { name: 'rest', namespace: 'returning', finalizers: [HOLD] };
    await world.cluster.write({ verb: 'create', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata } });
    await world.cluster.write({ verb: 'delete', ref: { apiVersion: 'v1', kind: 'Namespace', name: 'returning' } });
    await deletePackage(world, 'returning');
    await world.gone('kubepkg.dev/v1', 'Package', 'returning');
    await world.applyPackage('returning');
    const waiting = await world.untilPackage('returning', says(/is being deleted/));
    expect(condition(waiting, 'Ready')?.reason).toBe('Progressing');
    await letGo(world, 'returning', 'rest');
    await world.untilPackage('returning', isReady);
    expect(await world.records('returning', 'app')).toHaveLength(1);
  });
});
