import { expect } from 'vitest';
import type { KubeObject } from '../../../../src/api/kube.ts';
import { asArray, asString, at, isRecord } from '../../../../src/lib/json.ts';
import { SOURCE_API } from '../source.ts';
import { HELM_RELEASE } from '../turn.ts';
import type { TraceAction } from './trace-file.ts';
import type { TraceWorld } from './world.ts';

type Handler = (world: TraceWorld, action: TraceAction, found: readonly string[]) => Promise<void> | void;

const APPS = 'apps/v1';

/** What the drivers of the scenarios did, by the words in which the traces tell it. */
const HANDLERS: readonly (readonly [RegExp, Handler])[] = [
  [/^create (OCIRepository|HelmRelease) (\S+) \(POST\)$/, create],
  [
    /^create HelmRepository (\S+)/,
    (world, action, [name = '']) => world.create(SOURCE_API, 'HelmRepository', { name, spec: specIn(action) }),
  ],
  [/^(?:change|annotate|annotate and change) (OCIRepository|HelmRelease) (\S+) \(merge patch\)$/, patch],
  [/^apply HelmRelease (\S+) \(server-side apply, force\)$/, apply],
  [/^replace HelmRelease (\S+) \(PUT\)$/, replace],
  [
    /^delete (OCIRepository|HelmRelease) (\S+)$/,
    (world, _, [kind = '', name = '']) => world.remove(refTo(world, kind, name)),
  ],
  [
    /^create Secret (\S+) \(POST\)$/,
    (world, action, [name = '']) => world.create('v1', 'Secret', { name, stringData: action['stringData'] }),
  ],
  [
    /^change the Secret (\S+) /,
    (world, action, [name = '']) => world.patch(world.ref('v1', 'Secret', name), { stringData: action['stringData'] }),
  ],
  [
    /^label the Secret (\S+) (\S+)=(\S+)$/,
    (world, _, [name = '', label = '', value = '']) =>
      world.patch(world.ref('v1', 'Secret', name), { metadata: { labels: { [label]: value } } }),
  ],
  [/^create namespace /, (world) => world.createNamespace(`${world.namespace}-target`)],
  [/^push chart again .* default msg (\S+)$/, (world, _, [msg = '']) => world.push('again', { msg })],
  [/^remove the nodeSelector from Deployment (\S+) by hand$/, unstick],
  [/^by hand: Deployment (\S+) gets strategy Recreate/, starve],
  [/^set status of Widget (\S+)$/, setWidget],
  [/^set the phase of the pod of Job (\S+) to Failed$/, (world, _, [name = '']) => world.failPodOf(name)],
  [/^delete the ConfigMap (\S+) by hand$/, (world, _, [name = '']) => world.remove(world.ref('v1', 'ConfigMap', name))],
  [
    /^create ResourceQuota q: pods (\d+)$/,
    (world, _, [pods = '']) => world.create('v1', 'ResourceQuota', { name: 'q', spec: { hard: { pods } } }),
  ],
  [/^set ResourceQuota q to pods 0 and delete all pods/, forbidPods],
  [
    /^helm (\S+) (\S+) (.*--wait), killed with -9/,
    (world, _, [verb = '', name = '', rest = '']) => world.killHelm([verb, name, ...rest.split(' ')], name),
  ],
  [/^helm get values (\S+) -o json$/, (world, _, [name = '']) => world.runHelm(['get', 'values', name, '-o', 'json'])],
  [/^helm (.*)$/, (world, _, [args = '']) => world.runHelm(args.split(' '))],
  [/^\(helm ended\)$/, helmEnded],
  [/^objects left$/, objectsLeft],
  [
    /^is the ConfigMap (\S+) there\?$/,
    async (world, action, [name = '']) =>
      expect(await world.isThere(world.ref('v1', 'ConfigMap', name))).toBe(action['answer']),
  ],
  [/^managers of the nodeSelector in Deployment (\S+)$/, managers],
  [/^spec\.values of (\S+) is now$/, valuesNow],
  [/^the Helm release (\S+) holds the user values$/, releaseValues],
];

export async function perform(world: TraceWorld, action: TraceAction): Promise<void> {
  for (const [pattern, handler] of HANDLERS) {
    const found = pattern.exec(action.do);
    if (found === null) continue;
    await handler(world, world.local(action), found.slice(1));
    return;
  }
  throw new Error(`no driver knows how to: ${action.do}`);
}

function specIn(action: TraceAction): unknown {
  return action['spec'];
}

function refTo(world: TraceWorld, kind: string, name: string): ReturnType<TraceWorld['ref']> {
  return world.ref(kind === 'HelmRelease' ? HELM_RELEASE.apiVersion : SOURCE_API, kind, name);
}

async function create(
  world: TraceWorld,
  action: TraceAction,
  [kind = '', name = '']: readonly string[],
): Promise<void> {
  const { apiVersion } = refTo(world, kind, name);
  const manager = asString(action['fieldManager']);
  if (manager === undefined || kind !== 'HelmRelease') {
    await world.create(apiVersion, kind, { name, spec: specIn(action) });
    return;
  }
  const object = { apiVersion, kind, metadata: { name, namespace: world.namespace }, spec: specIn(action) };
  await world.kubectl(['create', '--field-manager', manager, '-f', '-'], object);
}

async function patch(world: TraceWorld, action: TraceAction, [kind = '', name = '']: readonly string[]): Promise<void> {
  await world.patch(refTo(world, kind, name), action['patch']);
}

async function apply(world: TraceWorld, action: TraceAction, [name = '']: readonly string[]): Promise<void> {
  const object = { ...HELM_RELEASE, metadata: { name, namespace: world.namespace }, spec: specIn(action) };
  const manager = asString(action['fieldManager']) ?? '';
  await world.kubectl(['apply', '--server-side', '--force-conflicts', '--field-manager', manager, '-f', '-'], object);
}

async function replace(world: TraceWorld, action: TraceAction, [name = '']: readonly string[]): Promise<void> {
  const live = await world.cluster.read(refTo(world, 'HelmRelease', name));
  if (live === undefined) throw new Error(`there is no HelmRelease ${name}`);
  await world.cluster.write({ verb: 'replace', object: { ...live, spec: specIn(action) } });
}

/** Once helm has put it there. */
async function unstick(world: TraceWorld, _action: TraceAction, [name = '']: readonly string[]): Promise<void> {
  const ref = world.ref(APPS, 'Deployment', name);
  await world.until(ref, (object) => at(object, 'spec', 'template', 'spec', 'nodeSelector') !== undefined);
  await world.patch(ref, podSpec({ nodeSelector: null }));
}

async function starve(world: TraceWorld, _action: TraceAction, [name = '']: readonly string[]): Promise<void> {
  const spec = {
    strategy: { type: 'Recreate', rollingUpdate: null },
    ...podSpec({ nodeSelector: { 'no-such': 'node' } }).spec,
  };
  await world.patch(world.ref(APPS, 'Deployment', name), { spec });
}

function podSpec(spec: object): { readonly spec: object } {
  return { spec: { template: { spec } } };
}

async function setWidget(world: TraceWorld, action: TraceAction, [name = '']: readonly string[]): Promise<void> {
  await world.patch(world.ref('trace.example.org/v1', 'Widget', name), { status: action['status'] }, 'status');
}

async function forbidPods(world: TraceWorld): Promise<void> {
  await world.patch(world.ref('v1', 'ResourceQuota', 'q'), { spec: { hard: { pods: '0' } } });
  await world.deletePods();
}

function helmEnded(world: TraceWorld, action: TraceAction): void {
  expect(world.lastHelm.exitCode).toBe(action['exitCode']);
  const error = asString(action['error']);
  // The rest of it names the fields in an order of its own.
  if (error !== undefined) expect(world.lastHelm.stderr).toContain('conflict with "helm-controller"');
}

async function objectsLeft(world: TraceWorld, action: TraceAction): Promise<void> {
  const { items } = await world.cluster.list({ apiVersion: APPS, kind: 'Deployment', namespace: world.namespace });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(action['deployments']);
}

async function managers(world: TraceWorld, action: TraceAction, [name = '']: readonly string[]): Promise<void> {
  const live = await world.cluster.read(world.ref(APPS, 'Deployment', name));
  const entries: readonly unknown[] = live?.metadata.managedFields ?? [];
  const applied = entries.filter((entry) => at(entry, 'operation') === 'Apply');
  const nameOf = (entry: unknown): string => `${String(at(entry, 'manager'))}/Apply`;
  const holders = applied.filter((entry) =>
    isRecord(at(entry, 'fieldsV1', 'f:spec', 'f:template', 'f:spec', 'f:nodeSelector')),
  );
  expect(holders.map(nameOf)).toEqual(action['managers']);
  expect(applied.map(nameOf).sort()).toEqual(asArray(action['all']).map(String).sort());
  expect(at(live, 'spec', 'template', 'spec', 'nodeSelector')).toEqual(action['nodeSelector']);
}

async function valuesNow(world: TraceWorld, action: TraceAction, [name = '']: readonly string[]): Promise<void> {
  const live: KubeObject | undefined = await world.cluster.read(refTo(world, 'HelmRelease', name));
  expect(at(live, 'spec', 'values')).toEqual(action['values']);
}

async function releaseValues(world: TraceWorld, action: TraceAction, [name = '']: readonly string[]): Promise<void> {
  expect(await world.userValues(name)).toEqual(action['values']);
}
