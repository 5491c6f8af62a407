import type { KubeObject } from '../../api/kube.ts';
import { conditionHolds, describeCondition, type GenerationEvidence, generationEvidence } from './conditions.ts';
import { progressing, ready, type Verdict } from './verdict.ts';

/** An entry of `readyWhen` that is about a condition. */
export interface ReadyWhenCondition {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly condition: string;
  readonly status: string;
  /** Opt-out of the guard against evidence that is older than the change. */
  readonly observedGeneration?: 'Ignore' | undefined;
}

/**
 * Judges one entry on one snapshot of its object; what is not there yet is waited for, never an error. Where the object
 * names no generation at all, a condition holds here, and whether it is newer than the change is told by its times.
 */
export function evaluateReadyWhen(
  entry: ReadyWhenCondition,
  object: KubeObject | undefined,
  lookup: { readonly served: boolean },
): Verdict {
  if (!lookup.served) return progressing('KindNotServed', `${entry.apiVersion} ${entry.kind} is not served yet`);
  if (object === undefined) return progressing('NotFound', 'does not exist yet');
  if ((object.metadata.deletionTimestamp ?? '') !== '') {
    return { status: 'terminating', reason: 'Terminating', message: 'is being deleted' };
  }
  if (object.status === undefined) return progressing('NoStatus', 'has no status yet; does its controller run?');
  return evaluateCondition(entry, entry.observedGeneration === 'Ignore' ? withoutGeneration(object) : object);
}

function evaluateCondition(entry: ReadyWhenCondition, object: KubeObject): Verdict {
  const { condition, status } = entry;
  if (!conditionHolds(object, condition, status)) {
    return progressing('ConditionNotMet', `${describeCondition(object, condition, status)}; ${status} is wanted`);
  }
  const evidence = generationEvidence(object, condition);
  const holding = `condition ${condition} is ${status}`;
  if (evidence.kind === 'current' || evidence.kind === 'none') return ready(holding);
  return progressing('NotObserved', `${holding}, but ${describeEvidence(evidence)}`);
}

function describeEvidence(evidence: GenerationEvidence): string {
  if (evidence.kind !== 'stale') return 'status.observedGeneration is no number';
  return `the status is about generation ${String(evidence.observed)} of ${String(evidence.generation)}`;
}

/** Without a generation to compare with, no evidence is older than it. */
function withoutGeneration(object: KubeObject): KubeObject {
  return { ...object, metadata: { name: object.metadata.name } };
}
