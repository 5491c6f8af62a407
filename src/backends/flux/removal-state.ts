import { type KubeObject, nameOf, refOf } from '../../api/kube.ts';
import { FINALIZER } from '../../api/names.ts';
import { describeHold } from '../../helm/describe-hold.ts';
import type { RecordHead } from '../../helm/interpret.ts';
import { isTerminating } from '../../helm/remains.ts';
import type { PresentRelease, ReleaseTarget } from '../../ports/backend.ts';
import { type Facts, factsOf } from './facts.ts';
import { unseenSince } from './interpret.ts';
import { CONTROLLER_FINALIZER, STAMP } from './names.ts';
import type { FluxTools } from './tools.ts';

/** A HelmRelease of that name never exists: while a release waits for it, helm-controller begins nothing. */
export function holdName({ releaseName }: ReleaseTarget): string {
  return `${releaseName.slice(0, 40)}-is-being-removed`;
}

/**
 * The turn that is under way, or the last one, began after the hold was written, and so any turn before has ended:
 * from here on nothing but a deletion makes helm-controller act.
 */
export function isHeldBack(object: KubeObject, target: ReleaseTarget): boolean {
  const { ready } = factsOf(object);
  return ready?.reason === 'DependencyNotReady' && ready.message.includes(holdName(target));
}

/** helm-controller has nothing more to do with it. */
export function isLetGo({ metadata }: KubeObject): boolean {
  return !(metadata.finalizers ?? []).includes(CONTROLLER_FINALIZER);
}

export function isRemovalBegun({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[STAMP.removal] !== undefined;
}

/** Undefined: it is not being removed. */
export async function observeRemoval(
  object: KubeObject,
  target: ReleaseTarget,
  tools: FluxTools,
): Promise<PresentRelease | undefined> {
  if (!isTerminating(object) && !isRemovalBegun(object)) return undefined;
  const heads = await tools.store.heads(target);
  const facts = factsOf(object);
  const state = (delivery: 'draining' | 'removing', message: string): PresentRelease => ({
    state: 'present',
    revision: heads[0]?.revision ?? facts.history[0]?.version ?? 0,
    token: facts.stamps.attempt,
    digest: facts.stamps.digest,
    delivery,
    everDelivered: false,
    message,
  });
  if (!isTerminating(object)) {
    return isHeldBack(object, target)
      ? state('removing', `${facts.name} is to be removed`)
      : { ...state('draining', sayHolding(facts, tools.clock.now())), uninstalling: true };
  }
  if (!isLetGo(object)) return { ...state('draining', sayUninstalling(facts, object)), uninstalling: true };
  if (!(object.metadata.finalizers ?? []).includes(FINALIZER)) return state('draining', sayHeld(object));
  const { delivery, message } = await judgeRest(target, heads, tools);
  return state(delivery, message);
}

function sayHolding(facts: Facts, now: number): string {
  const silence = facts.reconciling === undefined ? unseenSince(facts, now) : undefined;
  return silence ?? `${facts.name} is removed once helm-controller has ended what it is at`;
}

function sayUninstalling({ name, released }: Facts, { metadata }: KubeObject): string {
  const trouble = released?.reason === 'UninstallFailed' ? `, which reports UninstallFailed` : '';
  return `${name} is being removed by helm-controller since ${metadata.deletionTimestamp ?? ''}${trouble}`;
}

function sayHeld({ metadata, ...object }: KubeObject): string {
  const holders = (metadata.finalizers ?? []).join(', ');
  return `${nameOf(refOf({ ...object, metadata }))} is held by ${holders} since ${metadata.deletionTimestamp ?? ''}`;
}

/** What is left of a release that helm-controller has let go; its records are removed last. */
async function judgeRest(
  target: ReleaseTarget,
  heads: readonly RecordHead[],
  { store, cluster }: FluxTools,
): Promise<{ readonly delivery: 'draining' | 'removing'; readonly message: string }> {
  const newest = heads[0];
  const release = `release revision ${String(newest?.revision ?? 0)}`;
  if (newest === undefined) return { delivery: 'removing', message: 'its values and sources are to be removed' };
  if (newest.status !== 'uninstalled') {
    return { delivery: 'removing', message: `${release} is ${newest.status}: helm-controller has left it` };
  }
  const remains = await store.remains(target, newest);
  const standing = remains.find((object) => !isTerminating(object));
  const say = (what: string): string => `${release} is uninstalled: ${what}`;
  if (standing !== undefined)
    return { delivery: 'removing', message: say(`${nameOf(refOf(standing))} is to be removed`) };
  const held = await describeHold(remains, cluster);
  if (held !== undefined) return { delivery: 'draining', message: say(held) };
  return { delivery: 'removing', message: say('its records are to be removed') };
}
