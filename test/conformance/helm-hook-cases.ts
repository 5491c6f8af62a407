import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube.ts';
import type { ReleaseTarget } from '../../src/ports/backend.ts';
import { type BackendWorld, presentOf } from './backend-world.ts';
import type { HelmHarness } from './helm-harness.ts';

type World = BackendWorld & { readonly helm: HelmHarness };

const HOOK = 'helm.sh/hook';
const HOOKED = { name: 'hooked' };

/** Helm deletes what has the name of a hook before it runs it, whosever it is. */
export function hookOwnershipCases(world: World): void {
  describe('objects that have the name of a hook', () => {
    foreignCases(world);
    ownCases(world);
  });
}

function foreignCases(world: World): void {
  it.each([
    ['of somebody', {}],
    ['of another program that has hooks', { [HOOK]: 'pre-install' }],
  ])('P21 one %s is not touched by an installation, and the message names it', async (_, annotations) => {
    const target = await world.target();
    const theirs = await createJob(world, target, { annotations });
    const { outcome, observed } = await world.deliver(await world.release(target, { chart: HOOKED }));
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'OwnershipConflict', class: 'terminal' } });
    const name = `Job ${target.namespace}/web-install`;
    expect(outcome).toMatchObject({ error: { message: expect.stringContaining(name) as string } });
    expect(observed).toEqual({ state: 'absent' });
    expect((await world.read('Job', 'web-install', target.namespace))?.metadata.uid).toBe(theirs.metadata.uid);
  });

  it('P21 the hook of another release is not touched', async () => {
    const target = await world.target();
    const theirs = { ...target, releaseName: 'theirs' };
    const template = hook('shared');
    const chart = await world.harness.chart({ name: 'web', files: { 'templates/hook.yaml': template } });
    await world.helm.helm('install', theirs.releaseName, chart.path, '--namespace', target.namespace);
    const before = await world.read('ConfigMap', 'shared', target.namespace);
    const files = { 'templates/hook.yaml': template };
    const { outcome } = await world.deliver(await world.release(target, { chart: { name: 'web', files } }));
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'OwnershipConflict' } });
    expect((await world.read('ConfigMap', 'shared', target.namespace))?.metadata.uid).toBe(before?.metadata.uid);
  });

  it('P21 a hook that only the next version has does not touch it either', async () => {
    const target = await world.target();
    const before = await world.delivered(await world.release(target));
    const theirs = await createConfigMap(world, target, 'migrate');
    const files = { 'templates/hook.yaml': hook('migrate', 'pre-upgrade') };
    const { outcome, observed } = await world.deliver(await world.release(target, { chart: { name: 'web', files } }));
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'OwnershipConflict' } });
    expect(presentOf(observed)).toEqual(before);
    expect(await world.read('ConfigMap', 'migrate', target.namespace)).toEqual(theirs);
  });

  it('P21 one that comes with the values is found as well', async () => {
    const target = await world.target();
    await createConfigMap(world, target, 'migrate');
    const template =
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: migrate\n  annotations: {{ toJson .Values.notes }}\n';
    const chart = { name: 'web', files: { 'templates/more.yaml': template } };
    const values = { notes: { [HOOK]: 'post-install' } };
    const { outcome } = await world.deliver(await world.release(target, { chart, values }));
    expect(outcome).toMatchObject({ kind: 'refused', error: { code: 'OwnershipConflict' } });
  });

  it('P21 one is replaced when it is to be adopted', async () => {
    const target = await world.target();
    const theirs = await createJob(world, target);
    await world.delivered(await world.release(target, { chart: HOOKED, adopt: true }));
    expect((await world.read('Job', 'web-install', target.namespace))?.metadata.uid).not.toBe(theirs.metadata.uid);
  });

  it('one that only a test would run is in nobody’s way', async () => {
    const target = await world.target();
    const theirs = await createConfigMap(world, target, 'probe');
    const files = { 'templates/hook.yaml': hook('probe', 'test') };
    await world.delivered(await world.release(target, { chart: { name: 'web', files } }));
    expect(await world.read('ConfigMap', 'probe', target.namespace)).toEqual(theirs);
  });
}

function ownCases(world: World): void {
  it('those of the release itself are replaced, at the price of one rendering', async () => {
    const target = await world.target();
    await world.delivered(await world.release(target, { chart: HOOKED }));
    await world.delivered(await world.release(target, { chart: HOOKED }));
    const first = await world.read('Job', 'web-upgrade', target.namespace);
    const before = world.helm.started.length;
    await world.delivered(await world.release(target, { chart: HOOKED }));
    expect((await world.read('Job', 'web-upgrade', target.namespace))?.metadata.uid).not.toBe(first?.metadata.uid);
    expect(world.helm.started.slice(before).map(({ args }) => args[0])).toEqual(['version', 'template', 'upgrade']);
  });

  it('those of a first attempt that failed are replaced', async () => {
    const target = await world.target();
    await world.deliver(await world.release(target, { chart: HOOKED, values: { exitCode: '1' } }));
    expect(await world.read('Job', 'web-install', target.namespace)).toBeDefined();
    await world.delivered(await world.release(target, { chart: HOOKED }));
  });

  it('those that a removed release left behind are replaced', async () => {
    const target = await world.target();
    await world.delivered(await world.release(target, { chart: HOOKED }));
    await world.harness.removeByHand(target);
    expect(await world.read('Job', 'web-install', target.namespace)).toBeDefined();
    await world.delivered(await world.release(target, { chart: HOOKED }));
  });

  it('an object of the release that becomes a hook is replaced', async () => {
    const target = await world.target();
    await world.delivered(await world.release(target, { values: { extra: true } }));
    const files = { 'templates/hook.yaml': hook('web-extra', 'pre-upgrade') };
    await world.delivered(await world.release(target, { chart: { name: 'web', files } }));
  });
}

function hook(name: string, event = 'pre-install'): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  annotations: { "${HOOK}": ${event} }\n`;
}

function createConfigMap(world: World, { namespace }: ReleaseTarget, name: string): Promise<KubeObject> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } };
  return world.harness.cluster.write({ verb: 'create', object });
}

function createJob(
  world: World,
  { namespace }: ReleaseTarget,
  { annotations = {} }: { readonly annotations?: Readonly<Record<string, string>> } = {},
): Promise<KubeObject> {
  const containers = [{ name: 'job', image: 'example.com/theirs:1' }];
  const object = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'web-install', namespace, annotations },
    spec: { suspend: true, template: { spec: { restartPolicy: 'Never', containers } } },
  };
  return world.harness.cluster.write({ verb: 'create', object });
}
