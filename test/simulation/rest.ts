import type { KubeObject } from '../../src/api/kube.ts';
import type { Wish } from './editor.ts';
import { asRevision, runningRevision } from './observers/revisions.ts';
import { conditionIn } from './observers/words.ts';
import { ours } from './places.ts';
import { recordAt } from './record.ts';
import type { ComponentPlan } from './universe.ts';
import type { World } from './world.ts';

/** Reasons that name what a package waits for, without an end. */
const WAITING = ['RequirementsNotMet', 'Suspended', 'Degraded', 'Conflict', 'Deleting'] as const;

/** I8: at the end every package is what it was asked to be, waits for something named, or has stalled with a reason. */
export function checkRest(world: World): void {
  for (const { name } of world.universe) checkPackage(world, name);
  world.observers.belongings.settled();
}

function checkPackage(world: World, name: string): void {
  const pkg = world.cluster.get(ours('Package', name));
  if (pkg === undefined) checkGone(world, name);
  else if (conditionIn(pkg, 'Ready')?.status === 'True') checkReady(world, pkg);
  else checkWaiting(world, pkg);
}

function checkGone({ cluster, ledger }: World, name: string): void {
  const left = cluster.all('PackageRevision').filter((object) => asRevision(object)?.spec.package === name);
  if (left.length > 0) ledger.violate('I8', `package ${name} is gone, and its revisions are not`);
}

function checkWaiting({ cluster, ledger }: World, pkg: KubeObject): void {
  const { name } = pkg.metadata;
  const { reason = 'nothing', message = '' } = conditionIn(pkg, 'Ready') ?? {};
  if (!isNamed(pkg, reason) || message === '') {
    ledger.violate('I8', `package ${name} rests with ${reason}: ${message}`);
  }
  const running = runningRevision(cluster, name);
  const isHeld = reason === 'Suspended' || reason === 'Deleting';
  if (running !== undefined && !isHeld) {
    ledger.violate('I8', `${running.metadata.name} is still in progress: ${message}`);
  }
}

function isNamed(pkg: KubeObject, reason: string): boolean {
  return conditionIn(pkg, 'Stalled')?.status === 'True' || WAITING.some((known) => known === reason);
}

/** Ready is right: what runs is what is wanted, or what somebody has gone back to. */
function checkReady(world: World, pkg: KubeObject): void {
  const { name } = pkg.metadata;
  const wish = world.editor.wishOf(name);
  if (wish === undefined || conditionIn(pkg, 'Ready')?.reason === 'RolledBack') return;
  const wanted = wish.version.components.filter((component) => !component.hook && !wish.disabled.has(component.name));
  for (const component of wanted) {
    const why = whyNotWanted(world, wish, component);
    if (why === undefined) continue;
    world.ledger.violate('I8', `package ${name} is Ready at ${wish.version.version}, and ${component.name}: ${why}`);
  }
}

function whyNotWanted({ cluster, truth }: World, wish: Wish, component: ComponentPlan): string | undefined {
  const { name, releaseName, chart } = component;
  const namespace = wish.moved.get(name) ?? component.namespace;
  const record = recordAt(cluster, { namespace, releaseName });
  if (record?.delivery !== 'delivered') return `its release is ${record?.delivery ?? 'absent'}`;
  if (record.content !== chart.content) return `chart ${record.content} runs, ${chart.content} is wanted`;
  if (record.values['size'] !== (wish.values.get(name) ?? 0)) return 'it runs with other values';
  const idle = record.inventory.find((ref) => !truth.worked(ref, 0));
  return idle === undefined ? undefined : `${idle.kind} ${idle.name} does not work`;
}
