import type { KubeObject } from '../../api/kube.ts';
import { at } from '../../lib/json.ts';
import { recordsOf, textOf } from './fields.ts';

/** What an object says about which generation of its spec it speaks of. */
export type GenerationEvidence =
  | { readonly kind: 'current' }
  | { readonly kind: 'stale'; readonly observed: number; readonly generation: number }
  /** The field is there and holds no whole number. */
  | { readonly kind: 'malformed' }
  | { readonly kind: 'none' };

export interface ObservedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** `lastTransitionTime`; empty where it has none. */
  readonly transition: string;
  /** About the generation that the condition itself names, where it names one. */
  readonly evidence: GenerationEvidence;
}

/** A whole number, also when it is written as text (Argo Rollouts does). */
export function parseGeneration(value: unknown): number | undefined {
  if (typeof value === 'string') return /^[0-9]{1,15}$/.test(value) ? Number(value) : undefined;
  return Number.isSafeInteger(value) ? Number(value) : undefined;
}

/** Of `status.observedGeneration`. */
export function statusEvidence(object: KubeObject): GenerationEvidence {
  return evidenceOf(object, at(object, 'status', 'observedGeneration'));
}

/**
 * The guard against evidence older than the change: the generation on the conditions of a type where they
 * have one, else the one of the status. `none`: the object says nothing of generations, so only times can tell.
 */
export function generationEvidence(object: KubeObject, type?: string): GenerationEvidence {
  const entries = conditionsOf(object).filter((condition) => condition.type === type);
  const own = entries.map((condition) => condition.evidence).filter((evidence) => evidence.kind !== 'none');
  return own.find((evidence) => evidence.kind !== 'current') ?? own[0] ?? statusEvidence(object);
}

export function conditionsOf(object: KubeObject): readonly ObservedCondition[] {
  return recordsOf(object, 'status', 'conditions').map((entry) => ({
    type: textOf(entry, 'type'),
    status: textOf(entry, 'status'),
    reason: textOf(entry, 'reason'),
    message: textOf(entry, 'message'),
    transition: textOf(entry, 'lastTransitionTime'),
    evidence: evidenceOf(object, entry.observedGeneration),
  }));
}

/** Whether all conditions of the type, at least one, have exactly that status, and none is out of date. */
export function conditionHolds(object: KubeObject, type: string, status = 'True'): boolean {
  const entries = conditionsOf(object).filter((condition) => condition.type === type);
  return entries.length > 0 && entries.every((condition) => isCurrent(condition) && condition.status === status);
}

/** The first condition of the type with exactly that status that is not out of date. */
export function findCondition(object: KubeObject, type: string, status = 'True'): ObservedCondition | undefined {
  return conditionsOf(object).find(
    (condition) => condition.type === type && condition.status === status && isCurrent(condition),
  );
}

/** `condition Ready is False: Creating: still creating`. */
export function describeCondition(object: KubeObject, type: string, wanted = 'True'): string {
  const entries = conditionsOf(object).filter((condition) => condition.type === type);
  const telling = entries.find((condition) => !isCurrent(condition) || condition.status !== wanted) ?? entries[0];
  if (telling === undefined) return `condition ${type} is not there yet`;
  if (telling.evidence.kind === 'stale') {
    const { observed, generation } = telling.evidence;
    return `condition ${type} is about generation ${String(observed)} of ${String(generation)}`;
  }
  if (telling.evidence.kind === 'malformed') return `condition ${type} has an observedGeneration that is no number`;
  const status = telling.status === '' ? 'malformed' : telling.status;
  return [`condition ${type} is ${status}`, telling.reason, telling.message].filter((part) => part !== '').join(': ');
}

function isCurrent(condition: ObservedCondition): boolean {
  return condition.evidence.kind === 'current' || condition.evidence.kind === 'none';
}

function evidenceOf(object: KubeObject, written: unknown): GenerationEvidence {
  const { generation } = object.metadata;
  if (generation === undefined || written === undefined) return { kind: 'none' };
  const observed = parseGeneration(written);
  if (observed === undefined) return { kind: 'malformed' };
  return observed >= generation ? { kind: 'current' } : { kind: 'stale', observed, generation };
}
