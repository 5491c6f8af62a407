import { asRevision, isRunning, revisionsOf } from './observers/revisions.ts';
import { conditionIn } from './observers/words.ts';
import { ours } from './places.ts';
import { recordAt } from './record.ts';
import type { World } from './world.ts';

/** Reasons that name what a package waits for, without an end. */
const WAITING = ['RequirementsNotMet', 'Suspended', 'Degraded', 'Conflict', 'Deleting'] as const;

/** I8: at the end every package is what it was asked to be, waits for something named, or has stalled with a reason. */
export function checkRest(world: World): void {
  for (const { name } of world.universe) checkPackage(world, name);
  world.observers.belongings.settled();
}

function checkPackage(world: World, name: string): void {
  const { cluster, ledger } = world;
  const pkg = cluster.get(ours('Package', name));
  if (pkg === undefined) {
    const left = cluster.all('PackageRevision').filter((object) => asRevision(object)?.spec.package === name);
    if (left.length > 0) ledger.violate('I8', `package ${name} is gone, and its revisions are not`);
    return;
  }
  const ready = conditionIn(pkg, 'Ready');
  const stalled = conditionIn(pkg, 'Stalled');
  if (ready === undefined || ready.message === '') {
    ledger.violate('I8', `package ${name} says nothing`);
    return;
  }
  if (ready.status === 'True') {
    if (ready.reason !== 'RolledBack') checkApplied(world, name);
    return;
  }
  const isNamed = stalled?.status === 'True' || WAITING.some((reason) => reason === ready.reason);
  if (!isNamed) ledger.violate('I8', `package ${name} rests with ${ready.reason}: ${ready.message}`);
  const running = revisionsOf(cluster, name).find((revision) => isRunning(revision));
  const isHeld = ready.reason === 'Suspended' || ready.reason === 'Deleting';
  if (running !== undefined && !isHeld) ledger.violate('I8', `${running.metadata.name} is still in progress: ${ready.message}`);
}

/** Ready is right: what runs is what is wanted. */
function checkApplied(world: World, name: string): void {
  const { cluster, ledger, editor, truth } = world;
  const wish = editor.wishOf(name);
  if (wish === undefined) return;
  for (const component of wish.version.components) {
    if (component.hook || wish.disabled.has(component.name)) continue;
    const namespace = wish.moved.get(component.name) ?? component.namespace;
    const record = recordAt(cluster, { namespace, releaseName: component.releaseName });
    const isRight =
      record?.delivery === 'delivered' &&
      record.content === component.chart.content &&
      record.values['size'] === (wish.values.get(component.name) ?? 0);
    const idle = record?.inventory.find((ref) => !truth.worked(ref, 0));
    if (isRight && idle === undefined) continue;
    const why = idle === undefined ? 'its release is not what is wanted' : `${idle.kind} ${idle.name} does not work`;
    ledger.violate('I8', `package ${name} is Ready at ${wish.version.version}, and ${component.name}: ${why}`);
  }
}
