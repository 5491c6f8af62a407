import { formatSeconds } from '../../../lib/time.ts';
import type { JsonMap } from '../../model/object.ts';
import { mapsAt, textAt } from './read.ts';

export interface NewCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export function conditionOf(object: unknown, type: string): JsonMap | undefined {
  return mapsAt(object, 'status', 'conditions').find((condition) => condition.type === type);
}

export function hasCondition(object: unknown, type: string, status = 'True'): boolean {
  return textAt(conditionOf(object, type), 'status') === status;
}

/**
 * In place of the one of its type, at the end of the list. What has the same status and reason stays as it is, message
 * and all; the time of the last transition is kept while the status is.
 */
export function withCondition(conditions: readonly JsonMap[], next: NewCondition, now: number): readonly JsonMap[] {
  const old = conditions.find((condition) => condition.type === next.type);
  if (old?.status === next.status && old.reason === next.reason) return conditions;
  const transition = old?.status === next.status ? old.lastTransitionTime : undefined;
  const condition = { ...next, lastTransitionTime: transition ?? formatSeconds(now) };
  return [...conditions.filter((each) => each !== old), condition];
}

export function withoutCondition(conditions: readonly JsonMap[], type: string): readonly JsonMap[] {
  return conditions.some((condition) => condition.type === type)
    ? conditions.filter((condition) => condition.type !== type)
    : conditions;
}
