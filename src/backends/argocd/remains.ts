import { type KubeObject, nameOf, refOf } from '../../api/kube.ts';
import { FINALIZER } from '../../api/names.ts';
import { describeHold } from '../../helm/describe-hold.ts';
import { isCrd, isKept, readMetadata } from '../../helm/ownership.ts';
import { isTerminating } from '../../helm/remains.ts';
import { parseTime } from '../../lib/time.ts';
import type { PresentRelease, ReleaseTarget } from '../../ports/backend.ts';
import type { Clock } from '../../ports/system.ts';
import { readApplication, SKIP_RECONCILE } from './application.ts';
import { SILENCE_MS } from './interpret.ts';
import { readInventory } from './inventory.ts';
import { isUnended, operationInProgress } from './operation.ts';
import { isProtected } from './protect.ts';
import type { ArgoCdTools } from './tools.ts';
import { isOurs } from './tracking.ts';

/** With it, Argo CD deletes what it takes for the objects of an Application when that is deleted. */
const CASCADE = 'resources-finalizer.argocd.argoproj.io';
/** Argo CD takes Helm's annotation for its own only where nothing else is in it. */
const HOOKS = { argocd: 'argocd.argoproj.io/hook', helm: 'helm.sh/hook' };
const SYNC_WAVE = 'argocd.argoproj.io/sync-wave';

/** What a removal that was begun still has to do. */
export interface Rest {
  readonly remains: readonly KubeObject[];
  /** Those that are to be deleted now. */
  readonly due: readonly KubeObject[];
}

export async function findRest(application: KubeObject, target: ReleaseTarget, tools: ArgoCdTools): Promise<Rest> {
  const remains = await findRemains(application, target, tools);
  return { remains, due: dueOf(remains, application) };
}

/** What the removal of a release waits for. */
export async function describeRemoval(
  application: KubeObject,
  target: ReleaseTarget,
  tools: ArgoCdTools,
): Promise<Pick<PresentRelease, 'delivery' | 'message' | 'uninstalling'>> {
  const facts = readApplication(application);
  const message = `${facts.name} is being removed`;
  const { remains, due } = await findRest(application, target, tools);
  const [first] = due;
  if (first !== undefined) {
    return { delivery: 'removing', message: `${message}: ${nameOf(refOf(first))} is to be removed` };
  }
  if (isOver(application, remains)) return { delivery: 'removing', message };
  if (isUnended(application)) return { delivery: 'removing', message: `${message}: its operation is to be ended` };
  const terminating = remains.filter((object) => isTerminating(object));
  const held = (await describeHold(terminating, tools.cluster)) ?? silenceOf(application, remains, tools.clock);
  const isStanding = operationInProgress(application) !== undefined || terminating.length < remains.length;
  return {
    delivery: 'draining',
    message: held === undefined ? message : `${message}: ${held}`,
    ...(isStanding ? { uninstalling: true } : {}),
  };
}

/** Only the Application itself is left, and Argo CD has nothing to do with it any more. */
export function isOver(application: KubeObject, remains: readonly KubeObject[]): boolean {
  const { metadata } = application;
  const isBusy = operationInProgress(application) !== undefined;
  const isDeleted = metadata.deletionTimestamp !== undefined;
  // Once it is deleted, it is held by those who still have something to do, and last by us.
  const isHeld = isDeleted && (metadata.finalizers ?? []).some((finalizer) => finalizer !== FINALIZER);
  return remains.length === 0 && !isBusy && !isHeld;
}

/**
 * In the order of Argo CD: the last sync wave first, and the next one when all of that is gone. Where somebody has let
 * Argo CD delete them, what was made after that: it looks again only when all that it deleted has gone.
 */
function dueOf(remains: readonly KubeObject[], application: KubeObject): readonly KubeObject[] {
  if (operationInProgress(application) !== undefined) return [];
  const last = Math.max(...remains.map((object) => waveOf(object)));
  const isDue = isCascading(application)
    ? ({ metadata }: KubeObject) => parseTime(metadata.creationTimestamp ?? '') >= deletedAt
    : (object: KubeObject) => waveOf(object) === last;
  const deletedAt = parseTime(application.metadata.deletionTimestamp ?? '');
  return remains.filter((object) => !isTerminating(object) && isDue(object));
}

function isCascading({ metadata }: KubeObject): boolean {
  const { deletionTimestamp, finalizers = [] } = metadata;
  return deletionTimestamp !== undefined && finalizers.some((finalizer) => finalizer.startsWith(CASCADE));
}

/** As Argo CD was told to delete them by somebody: not by us, who know what it may have missed. */
export function withoutCascade(finalizers: readonly string[] = []): readonly string[] {
  return finalizers.filter((finalizer) => !finalizer.startsWith(CASCADE));
}

function waveOf({ metadata }: KubeObject): number {
  const wave = Number(metadata.annotations?.[SYNC_WAVE] ?? '0');
  return Number.isFinite(wave) ? wave : 0;
}

/** Argo CD has to end an operation, or to let go of the Application: it does not look, or cannot. */
function silenceOf(application: KubeObject, [standing]: readonly KubeObject[], clock: Clock): string | undefined {
  const { isPaused, deletedAt = '', deletionErrors } = readApplication(application);
  if (isPaused) return `it is paused by its annotation ${SKIP_RECONCILE}`;
  if (clock.now() - parseTime(deletedAt) < SILENCE_MS) return undefined;
  if (deletionErrors.length > 0) return `Argo CD says: ${deletionErrors.join('; ')}`;
  const what = standing === undefined ? 'has not let go of it' : `has not removed ${nameOf(refOf(standing))}`;
  const isBusy = operationInProgress(application) !== undefined;
  return `Argo CD's application controller ${isBusy ? 'has not ended its operation' : what} since ${deletedAt}: is it running?`;
}

/**
 * Objects of the release that are there still, and are not to stay. Hooks that run when the Application goes are Argo
 * CD's to make and to remove.
 */
async function findRemains(
  application: KubeObject,
  target: ReleaseTarget,
  { cluster, store }: ArgoCdTools,
): Promise<readonly KubeObject[]> {
  const remains: KubeObject[] = [];
  const { every } = await readInventory(application, store);
  for (const ref of every.filter((candidate) => !isCrd(candidate))) {
    const live = await readMetadata(ref, cluster);
    if (live === undefined || !isOurs(live, target) || isPostDelete(live)) continue;
    if (isTerminating(live) || !(isKept(live) || isProtected(live, 'Delete=false'))) remains.push(live);
  }
  return remains;
}

function isPostDelete({ metadata: { annotations = {} } }: KubeObject): boolean {
  return /\bPostDelete\b/.test(annotations[HOOKS.argocd] ?? '') || annotations[HOOKS.helm]?.trim() === 'post-delete';
}
