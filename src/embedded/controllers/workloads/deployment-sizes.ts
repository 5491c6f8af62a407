import type { StoredObject } from '../../model/object.ts';
import { scaledValue } from '../kit/int-or-percent.ts';
import { byAge, countAt, mapAt, numberAt, textAt } from '../kit/read.ts';

export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';

export interface Resize {
  readonly replicaSet: StoredObject;
  readonly replicas: number;
}

export interface Rollout {
  readonly deployment: StoredObject;
  readonly current: StoredObject;
  readonly old: readonly StoredObject[];
}

export function sizeOf(object: StoredObject): number {
  return numberAt(object, 'spec', 'replicas') ?? 1;
}

export function totalSize(replicaSets: readonly StoredObject[]): number {
  return replicaSets.reduce((sum, each) => sum + sizeOf(each), 0);
}

export function totalOf(replicaSets: readonly StoredObject[], field: string): number {
  return replicaSets.reduce((sum, each) => sum + countAt(each, 'status', field), 0);
}

export function isRolling(deployment: StoredObject): boolean {
  return textAt(deployment, 'spec', 'strategy', 'type') !== 'Recreate';
}

/** Zero of both would never move; then one may be unavailable. */
export function limitsOf(deployment: StoredObject): { readonly surge: number; readonly unavailable: number } {
  const size = sizeOf(deployment);
  if (!isRolling(deployment)) return { surge: 0, unavailable: 0 };
  const given = mapAt(deployment, 'spec', 'strategy', 'rollingUpdate');
  const surge = scaledValue(given.maxSurge ?? '25%', size, 'up');
  const unavailable = scaledValue(given.maxUnavailable ?? '25%', size, 'down');
  return { surge, unavailable: Math.min(size, surge === 0 && unavailable === 0 ? 1 : unavailable) };
}

/** How large the newest ReplicaSet may be now. */
export function newSize(deployment: StoredObject, all: readonly StoredObject[], current: number): number {
  const wanted = sizeOf(deployment);
  if (!isRolling(deployment) || current >= wanted) return wanted;
  const room = wanted + limitsOf(deployment).surge - totalSize(all);
  return room <= 0 ? current : current + Math.min(room, wanted - current);
}

/** What old ReplicaSets give up now: first what is not available anyway, then what the newest one replaces. */
export function shrinkOld({ deployment, current, old }: Rollout): readonly Resize[] {
  const active = old.filter((each) => sizeOf(each) > 0).sort(byAge);
  const minAvailable = sizeOf(deployment) - limitsOf(deployment).unavailable;
  const newUnavailable = sizeOf(current) - countAt(current, 'status', 'availableReplicas');
  const room = totalSize([...old, current]) - minAvailable - newUnavailable;
  if (active.length === 0 || room <= 0) return [];
  const cleaned = take(active, room, (each) => sizeOf(each) - countAt(each, 'status', 'availableReplicas'));
  const sizes = new Map(cleaned.map(({ replicaSet, replicas }) => [replicaSet, replicas]));
  const left = (each: StoredObject): number => sizes.get(each) ?? sizeOf(each);
  const surplus = totalOf([...old, current], 'availableReplicas') - minAvailable;
  for (const { replicaSet, replicas } of take(active, surplus, left, left)) sizes.set(replicaSet, replicas);
  return [...sizes].map(([replicaSet, replicas]) => ({ replicaSet, replicas }));
}

function take(
  from: readonly StoredObject[],
  budget: number,
  ...[most, sizeNow = sizeOf]: readonly [(each: StoredObject) => number, ((each: StoredObject) => number)?]
): readonly Resize[] {
  const resizes: Resize[] = [];
  let left = budget;
  for (const replicaSet of from) {
    const share = Math.min(Math.max(0, left), Math.max(0, most(replicaSet)));
    if (share === 0) continue;
    left -= share;
    resizes.push({ replicaSet, replicas: sizeNow(replicaSet) - share });
  }
  return resizes;
}

/** A change of the wanted size in the middle of a rollout: each ReplicaSet gets its share, the largest what is left over. */
export function shareOut(deployment: StoredObject, all: readonly StoredObject[]): readonly Resize[] {
  const active = all.filter((each) => sizeOf(each) > 0).sort((a, b) => sizeOf(b) - sizeOf(a) || byAge(b, a));
  const wanted = sizeOf(deployment);
  const allowed = wanted > 0 ? wanted + limitsOf(deployment).surge : 0;
  const toAdd = allowed - totalSize(active);
  let left = toAdd;
  const sizes = active.map((each) => {
    const share = clampTo(left, proportion(each, wanted, allowed));
    left -= share;
    return sizeOf(each) + share;
  });
  return active.map((replicaSet, index) => ({
    replicaSet,
    replicas: Math.max(0, (sizes[index] ?? 0) + (index === 0 ? left : 0)),
  }));
}

function proportion(replicaSet: StoredObject, wanted: number, allowed: number): number {
  const size = sizeOf(replicaSet);
  if (wanted === 0) return -size;
  const before = Number(replicaSet.metadata.annotations?.[MAX_REPLICAS] ?? wanted);
  return Math.round((size * allowed) / before) - size;
}

function clampTo(left: number, share: number): number {
  return left > 0 ? Math.min(Math.max(share, 0), left) : Math.max(Math.min(share, 0), left);
}
