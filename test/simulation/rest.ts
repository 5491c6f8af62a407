import type { KubeObject } from '../../src/api/kube.ts';
import { LABEL } from '../../src/api/names.ts';
import { APPLICATION, readApplication } from '../../src/backends/argocd/application.ts';
import type { Wish } from './editor.ts';
import { isByHand } from './observers/order.ts';
import { asRevision, runningRevision } from './observers/revisions.ts';
import { conditionIn } from './observers/words.ts';
import { API_VERSIONS, GUARD, ours, OWNER } from './places.ts';
import { recordAt, type ReleaseRecord } from './record.ts';
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
  if (!(isNamed(pkg, reason) || isHeldBack(cluster, pkg)) || message === '') {
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

/** What is being removed has a finalizer that is never let go, and that is what it waits for. */
function isHeldBack(cluster: World['cluster'], { metadata }: KubeObject): boolean {
  const scripted = Object.keys(API_VERSIONS).flatMap((kind) => cluster.all(kind));
  return scripted.some(({ metadata: { annotations = {}, deletionTimestamp, finalizers = [] } }) => {
    const isOwn = annotations[OWNER]?.startsWith(`${metadata.name}/`) === true;
    return isOwn && deletionTimestamp !== undefined && finalizers.includes(GUARD);
  });
}

/** Ready is right: what runs is what is wanted, or what somebody has gone back to. */
function checkReady(world: World, pkg: KubeObject): void {
  const { name } = pkg.metadata;
  const wish = world.editor.wishOf(name);
  checkHandedBack(world, name);
  if (wish === undefined || conditionIn(pkg, 'Ready')?.reason === 'RolledBack') return;
  const wanted = wish.version.components.filter((component) => !component.hook && !wish.disabled.has(component.name));
  for (const component of wanted) {
    const why = whyNotWanted(world, wish, component);
    if (why === undefined) continue;
    world.ledger.violate('I8', `package ${name} is Ready at ${wish.version.version}, and ${component.name}: ${why}`);
  }
}

/** What a user chose for an Application is not kept back for ever. */
function checkHandedBack({ cluster, ledger }: World, pkg: string): void {
  const kept = cluster.all(APPLICATION.kind).find((application) => {
    const { hasPutAside, wanted, instructed } = readApplication(application);
    return hasPutAside && wanted === instructed && application.metadata.labels?.[LABEL.package] === pkg;
  });
  if (kept === undefined) return;
  ledger.violate('I8', `package ${pkg} is Ready, and what was put aside for ${kept.metadata.name} is not handed back`);
}

function whyNotWanted({ cluster, truth }: World, wish: Wish, component: ComponentPlan): string | undefined {
  const { name, releaseName } = component;
  const record = recordAt(cluster, { namespace: wish.moved.get(name) ?? component.namespace, releaseName });
  if (record?.delivery !== 'delivered') {
    return record !== undefined && isByHand(record) ? undefined : `its release is ${record?.delivery ?? 'absent'}`;
  }
  const idle = record.inventory.find((ref) => !truth.worked(ref, 0));
  return (
    whyOther(record, wish, component) ?? (idle === undefined ? undefined : `${idle.kind} ${idle.name} does not work`)
  );
}

function whyOther(record: ReleaseRecord, wish: Wish, { name, chart }: ComponentPlan): string | undefined {
  if (record.content !== chart.content) return `chart ${record.content} runs, ${chart.content} is wanted`;
  return record.values['size'] === (wish.values.get(name) ?? 0) ? undefined : 'it runs with other values';
}
