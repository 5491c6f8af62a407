import { afterAll, describe, expect, it } from 'vitest';
import {
  configMapChart,
  definitionText,
  deploymentChart,
  HOLD,
  markChart,
  migrateChart,
  namespaceChart,
} from './charts.ts';
import { deletePackage, inNamespace, isAt, letGo, messageOf, NEVER_READY, publish, says, sim } from './packages.ts';
import { condition, isReady, OperatorWorld } from './world.ts';

const KEEP = { 'helm.sh/resource-policy': 'keep' };
const held = markChart([HOLD]);

const world = await OperatorWorld.start();
afterAll(() => world.stop());
const tree = await world.push('removal/tree', {
  app: deploymentChart(),
  config: configMapChart(),
  held,
  migrate: migrateChart(),
  space: namespaceChart('removal-own'),
  operator: {
    ...deploymentChart(),
    'templates/crd.yaml': definitionText({ group: 'removal.example.org', kind: 'Engine' }),
    'crds/part.yaml': definitionText({ group: 'removal.example.org', kind: 'Part' }),
    'templates/kept.yaml': definitionText({ group: 'removal.example.org', kind: 'Keeper', annotations: KEEP }),
  },
  goner: { ...configMapChart(), 'crds/goner.yaml': definitionText({ group: 'removal.example.org', kind: 'Goner' }) },
  engine: {
    'templates/engine.yaml': `apiVersion: removal.example.org/v1
kind: Engine
metadata: {name: engine, finalizers: [${HOLD}]}
`,
  },
});
await world.startOperator();

const gone = (name: string): Promise<void> => world.gone('kubepkg.dev/v1', 'Package', name);

const crd = (name: string): ReturnType<typeof world.cluster.read> =>
  world.cluster.read({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name });

/** Deployments of namespaces whose deletion was asked for, in that order. */
async function deletions(since: number, namespaces: readonly string[]): Promise<readonly string[]> {
  const deleted = (await world.requests(since)).filter(
    ({ verb, objectRef }) =>
      verb === 'delete' && objectRef?.resource === 'deployments' && namespaces.includes(objectRef.namespace ?? ''),
  );
  return deleted.map(({ objectRef }) => `${objectRef?.namespace ?? ''}/${objectRef?.name ?? ''}`);
}

describe('P20 a package that is removed', { timeout: 120_000 }, () => {
  it.concurrent('waits for what a finalizer holds: object, finalizer and since when are said', async () => {
    const own = inNamespace('blocked');
    await publish(world, 'blocked', { tree, components: [own('app'), own('held', { dependsOn: ['app'] })] });
    await world.applyPackage('blocked');
    await world.untilPackage('blocked', isReady);
    await deletePackage(world, 'blocked');
    const pkg = await world.untilPackage('blocked', says(new RegExp(HOLD)));
    expect(messageOf(pkg)).toMatch(/ConfigMap blocked\/held.* since \d{4}-\d\d-\d\dT/);
    expect(condition(pkg, 'Ready')?.reason).toBe('Deleting');
    expect(await world.records('blocked', 'app'), 'what it depends on stays until it is gone').toHaveLength(1);
    await letGo(world, 'blocked', 'held');
    await gone('blocked');
    expect(await world.records('blocked', 'app')).toEqual([]);
    await world.gone('kubepkg.dev/v1', 'PackageRevision', 'blocked-1');
  });

  it.concurrent('R16 F58 keeps an operator until the custom resources are gone; then its CRDs stay, wherever they came from', async () => {
    const own = inNamespace('engines');
    await publish(world, 'engines', {
      tree,
      components: [own('operator'), own('engine', { dependsOn: ['operator'] })],
    });
    await world.applyPackage('engines');
    await world.untilPackage('engines', isReady);
    await deletePackage(world, 'engines');
    const pkg = await world.untilPackage('engines', says(new RegExp(HOLD)));
    expect(messageOf(pkg)).toContain('Engine engines/engine');
    const ref = { apiVersion: 'removal.example.org/v1', kind: 'Engine', namespace: 'engines', name: 'engine' };
    expect(await world.records('engines', 'operator')).toHaveLength(1);
    await world.cluster.write({ verb: 'merge-patch', ref, patch: { metadata: { finalizers: null } } });
    await gone('engines');
    for (const kind of ['engines', 'parts', 'keepers']) {
      expect(await crd(`${kind}.removal.example.org`), kind).toMatchObject({ metadata: {} });
    }
    expect(await world.cluster.read({ apiVersion: 'v1', kind: 'Namespace', name: 'engines' })).toBeDefined();
  });

  it.concurrent('with crdPolicy Delete takes its CRDs along', async () => {
    const crds = ['goners.removal.example.org'];
    await publish(world, 'goner', { tree, components: [inNamespace('goner')('goner')], rest: { crds } });
    await world.applyPackage('goner', { crdPolicy: 'Delete' });
    await world.untilPackage('goner', isReady);
    expect(await crd('goners.removal.example.org')).toBeDefined();
    await deletePackage(world, 'goner');
    await gone('goner');
    expect(await crd('goners.removal.example.org')).toBeUndefined();
  });

  it.concurrent('F62 leaves a namespace that its chart had among its templates', async () => {
    await publish(world, 'space', { tree, components: [inNamespace('space')('space')] });
    await world.applyPackage('space');
    await world.untilPackage('space', isReady);
    await deletePackage(world, 'space');
    await gone('space');
    const left = await world.cluster.read({ apiVersion: 'v1', kind: 'Namespace', name: 'removal-own' });
    expect(left?.metadata).not.toHaveProperty('deletionTimestamp');
    expect(left).toBeDefined();
  });

  it.concurrent('together with what it requires goes first, and the other waits for its last pod', async () => {
    const since = Date.now();
    await publish(world, 'base', { tree, components: [inNamespace('base')('app')] });
    await publish(world, 'user', { tree, components: [inNamespace('user')('app')], requires: [{ package: 'base' }] });
    await world.applyPackage('base');
    await world.applyPackage('user', { components: { app: sim({ 'terminate-after': '3s' }) } });
    await world.untilPackage('user', isReady);
    await deletePackage(world, 'base');
    await deletePackage(world, 'user');
    await world.untilPackage('base', says(/removed first: user/));
    await gone('user');
    expect((await world.cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace: 'user' })).items).toEqual([]);
    await gone('base');
    expect(await deletions(since, ['base', 'user'])).toEqual(['user/app', 'base/app']);
  });

  it.concurrent('in the middle of an upgrade leaves nothing of either version', async () => {
    const own = inNamespace('midway');
    await publish(world, 'midway', { tree, components: [own('app'), own('config')] });
    await world.applyPackage('midway');
    await world.untilPackage('midway', isReady);
    const components = [own('app'), own('app', { dependsOn: ['app'] }, 'more')];
    await world.applyPackage('midway', { components: { more: sim(NEVER_READY) } });
    await publish(world, 'midway', { tree, version: '2.0.0', components });
    await world.untilPackage('midway', says(/more.* is not ready/));
    await deletePackage(world, 'midway');
    await gone('midway');
    for (const release of ['app', 'config', 'more']) expect(await world.records('midway', release)).toEqual([]);
    expect((await world.cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace: 'midway' })).items).toEqual([]);
    await world.gone('kubepkg.dev/v1', 'PackageRevision', 'midway-3');
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
    await gone('returning');
    await world.applyPackage('returning');
    const waiting = await world.untilPackage('returning', says(/is being deleted/));
    expect(condition(waiting, 'Ready')?.reason).toBe('Progressing');
    await letGo(world, 'returning', 'rest');
    await world.untilPackage('returning', isReady);
    expect(await world.records('returning', 'app')).toHaveLength(1);
  });
});

describe('a hook that is removed', { timeout: 120_000 }, () => {
  it.concurrent('P16 has to be gone with its pods before it runs for the next version', async () => {
    const seen: string[] = [];
    world.cluster.watch({ apiVersion: 'v1', kind: 'Pod', namespace: 'slow-hook' }, (event) => {
      if (event.type !== 'set' && event.type !== 'gone') return;
      const note = `${event.type} ${event.object.metadata.name}`;
      if (note.includes(' migrate-') && !seen.includes(note)) seen.push(note);
    });
    const own = inNamespace('slow-hook');
    const at = (version: string): Promise<void> =>
      publish(world, 'slow-hook', { tree, version, components: [own('migrate', { phase: 'PreUpgrade' }), own('app')] });
    await at('1.0.0');
    await world.applyPackage('slow-hook', { components: { migrate: sim({ 'terminate-after': '5s' }) } });
    await world.untilPackage('slow-hook', isReady);
    await at('1.1.0');
    await world.untilPackage('slow-hook', ({ status }) => status?.version === '1.1.0');
    await at('1.2.0');
    await world.untilPackage('slow-hook', isAt('1.2.0'));
    const pods = seen.filter((note) => note.startsWith('set ')).map((note) => note.slice('set '.length));
    expect(pods).toHaveLength(2);
    expect(seen.slice(0, 3)).toEqual([`set ${pods[0] ?? ''}`, `gone ${pods[0] ?? ''}`, `set ${pods[1] ?? ''}`]);
  });
});
