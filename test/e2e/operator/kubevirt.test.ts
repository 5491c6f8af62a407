import { afterAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube.ts';
import type { ReadyWhen } from '../../../src/api/readiness.ts';
import { createClock } from '../../../src/compose/clock.ts';
import { customResourceChart, deploymentChart } from './charts.ts';
import { expectAfter } from './expect-after.ts';
import { customKind, FakeOperator, type Step } from './fake-operator.ts';
import { deletePackage, imagesOf, inNamespace, isAt, phases, publish, says } from './packages.ts';
import { condition, hasReason, OperatorWorld } from './world.ts';

const GROUP = 'virt.example.org';
const VIRT = { apiVersion: `${GROUP}/v1`, kind: 'Virt' };
const FINALIZER = `${GROUP}/operator`;
const NAME = 'kubevirt';
const OPERATOR = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: NAME, name: 'operator' };
const CRD_DELAY_MS = 5000;

const CONDITIONS = [
  ['Available', 'True'],
  ['Progressing', 'False'],
  ['Degraded', 'False'],
] as const;

const readyWhen: readonly ReadyWhen[] = CONDITIONS.map(([type, status]) => ({
  ...VIRT,
  name: NAME,
  condition: type,
  status,
}));

function step(afterMs: number, Available: boolean, Progressing: boolean): Step {
  const word = (value: boolean): 'True' | 'False' => (value ? 'True' : 'False');
  return {
    afterMs,
    conditions: { Available: word(Available), Progressing: word(Progressing), Degraded: 'False' },
  };
}

/** Each entry holds again and again, and never all of them at one time before the end. */
const TAKING_TURNS = Array.from({ length: 12 }, (_, index) => step(150, index % 2 === 0, index % 2 === 0));
const DEPLOYED = step(300, true, false);
/** The old word stays for a while before the operator says anything about the new spec: long enough for it to be seen. */
const SLOW = [step(8000, false, true), step(500, true, false)];
const NEVER = [step(200, false, true)];

/** As good as down once it is to be deleted. */
async function isOperatorUp(): Promise<boolean> {
  const deployment = await world.cluster.read(OPERATOR);
  return deployment !== undefined && deployment.metadata.deletionTimestamp === undefined;
}

const world = await OperatorWorld.start({ audit: false });
/** It is down until its Deployment is ready, as nothing else makes the CRD. */
const operator = new FakeOperator({ ...VIRT, cluster: world.cluster, finalizer: FINALIZER, isUp: isOperatorUp });
afterAll(async () => {
  operator.stop();
  await world.stop();
});
const tree = await world.push('kubevirt/tree', {
  operator: deploymentChart(),
  kubevirt: customResourceChart(VIRT.apiVersion, VIRT.kind, [FINALIZER]),
});
await world.startOperator();

async function release(version: string, script: readonly Step[], timeout = '5m'): Promise<void> {
  const at = inNamespace(NAME);
  const first = at('operator', { privileged: true });
  const second = at('kubevirt', { privileged: true, dependsOn: ['operator'], readyWhen: [...readyWhen] });
  await publish(world, NAME, { tree, version, safe: false, components: [first, second] });
  await world.applyPackage(NAME, {
    upgrade: { timeout },
    components: {
      operator: { values: { image: `example.org/virt-operator:${version}` } },
      kubevirt: { values: { spec: { generationIn: 'conditions', script: [...script] } } },
    },
  });
}

/** The operator makes its CRD by itself, long after its Deployment has become ready. */
async function makeKindLate(): Promise<void> {
  await world.until(OPERATOR.apiVersion, OPERATOR.kind, OPERATOR.name, (object) => {
    return condition(object, 'Available')?.status === 'True';
  });
  await new Promise<void>((resolve) => {
    createClock().after(CRD_DELAY_MS, resolve);
  });
  await world.cluster.write({ verb: 'create', object: customKind(GROUP, VIRT.kind) });
}

/** The revision as it was when it had just been applied. */
const applied = async (revision: number): Promise<KubeObject> => {
  const found = await world.untilRevision(`${NAME}-${String(revision)}`, ({ status }) => status?.phase === 'Applied');
  return found as unknown as KubeObject;
};

describe('a package like KubeVirt', { timeout: 120_000 }, () => {
  it('F25 installs: a kind that is not served yet is waited for, three conditions are judged on one snapshot', async () => {
    const made = makeKindLate();
    const done = applied(1);
    await release('1.0.0', [...TAKING_TURNS, DEPLOYED]);
    const early = await world.untilPackage(NAME, says(/component kubevirt .*(no matches for kind|not served yet)/));
    expect(condition(early, 'Ready')?.reason).toBe('Progressing');
    await made;
    const revision = await done;
    expect(operator.written).toHaveLength(TAKING_TURNS.length + 1);
    expectAfter(revision, operator.last(NAME));
    await world.untilPackage(NAME, isAt('1.0.0'));
    const namespace = await world.cluster.read({ apiVersion: 'v1', kind: 'Namespace', name: NAME });
    expect(namespace?.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'privileged' });
    expect(phases(await world.revisions(NAME))).toEqual(['Applied']);
  });

  it('R6 F15 upgrades: what the conditions said of the former generation does not count', async () => {
    const done = applied(2);
    await release('1.1.0', SLOW);
    await world.untilPackage(NAME, says(/generation 1 of 2/));
    const revision = await done;
    const last = operator.last(NAME);
    expect(condition(last ?? revision, 'Available')?.observedGeneration).toBe(2);
    expectAfter(revision, last);
    await world.untilPackage(NAME, isAt('1.1.0'));
  });

  it('P11 fails forward: nothing is rolled back, and the next version goes through', async () => {
    await release('1.2.0', NEVER, '12s');
    const stopped = await world.untilPackage(NAME, hasReason('UpgradeFailed'));
    expect(stopped.status?.version).toBe('1.1.0');
    expect(await imagesOf(world, NAME)).toEqual(['operator example.org/virt-operator:1.2.0']);
    expect(phases(await world.revisions(NAME)).at(-1)).toBe('Failed');
    await release('1.2.1', SLOW);
    await world.untilPackage(NAME, isAt('1.2.1'));
    // The source and the Package are written one after the other: the operator may look in between.
    const revisions = (await world.revisions(NAME)).filter(({ status }) => status?.failure?.code !== 'Interrupted');
    expect(phases(revisions)).toEqual(['Superseded', 'Superseded', 'Failed', 'Applied']);
  });

  it('R16 F58 P20 is removed: first the object, by the operator that still runs, then the operator', async () => {
    await deletePackage(world, NAME);
    await world.gone('kubepkg.dev/v1', 'Package', NAME);
    expect(operator.released).toEqual([NAME]);
    expect(operator.faults).toEqual([]);
    expect(await world.cluster.read({ ...VIRT, namespace: NAME, name: NAME })).toBeUndefined();
    expect(await isOperatorUp()).toBe(false);
    expect(await world.cluster.read({ apiVersion: 'v1', kind: 'Namespace', name: NAME })).toBeDefined();
    expect(await world.cluster.served(VIRT.apiVersion, VIRT.kind)).toBeDefined();
  });
});
