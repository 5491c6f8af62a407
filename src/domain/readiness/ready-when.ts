import type { KubeObject } from '../../api/kube.ts';
import type { ReadyWhen } from '../../api/readiness.ts';
import { conditionHolds, describeCondition, type GenerationEvidence, generationEvidence } from './conditions.ts';
import { describeJudgement, judgeExpression } from './expression.ts';
import { progressing, ready, type Verdict } from './verdict.ts';

/**
 * Judges one entry on one snapshot of its object; what is not there yet is waited for, never an error. Where the object
 * names no generation at all, an entry holds here, and whether it is newer than the change is told by times.
 */
export function evaluateReadyWhen(
  entry: ReadyWhen,
  object: KubeObject | undefined,
  lookup: { readonly served: boolean },
): Verdict {
  if (!lookup.served) return progressing('KindNotServed', `${entry.apiVersion} ${entry.kind} is not served yet`);
  if (object === undefined) return progressing('NotFound', 'does not exist yet');
  if ((object.metadata.deletionTimestamp ?? '') !== '') {
    return { status: 'terminating', reason: 'Terminating', message: 'is being deleted' };
  }
  const { condition, expression } = entry;
  if (condition !== undefined && condition !== '') {
    return evaluateCondition({ condition, status: entry.status }, guarded(entry, object));
  }
  return evaluateExpression(expression ?? '', object, guarded(entry, object));
}

function evaluateCondition(
  { condition, status }: { readonly condition: string; readonly status: string },
  object: KubeObject,
): Verdict {
  if (object.status === undefined) return NO_STATUS;
  if (!conditionHolds(object, condition, status)) {
    return progressing('ConditionNotMet', `${describeCondition(object, condition, status)}; ${status} is wanted`);
  }
  return onlyCurrent(`condition ${condition} is ${status}`, generationEvidence(object, condition));
}

/** The variables are the top-level fields of the object, and `self` is all of it. */
function evaluateExpression(expression: string, object: KubeObject, evidenceFrom: KubeObject): Verdict {
  const judgement = judgeExpression(expression, object, { self: object });
  if (judgement.kind === 'true') return onlyCurrent('the expression is true', generationEvidence(evidenceFrom));
  if (judgement.kind === 'false') return progressing('ExpressionNotMet', `the expression is false: ${expression}`);
  const asksForStatus = judgement.kind === 'missing' && /^(self\.)?status$/.test(judgement.path);
  return asksForStatus ? NO_STATUS : describeJudgement('expression', judgement);
}

const NO_STATUS = progressing('NoStatus', 'has no status yet; does its controller run?');

function onlyCurrent(holding: string, evidence: GenerationEvidence): Verdict {
  if (evidence.kind === 'current' || evidence.kind === 'none') return ready(holding);
  return progressing('NotObserved', `${holding}, but ${describeEvidence(evidence)}`);
}

function guarded(entry: ReadyWhen, object: KubeObject): KubeObject {
  return entry.observedGeneration === 'Ignore' ? withoutGeneration(object) : object;
}

function describeEvidence(evidence: GenerationEvidence): string {
  if (evidence.kind !== 'stale') return 'status.observedGeneration is no number';
  return `the status is about generation ${String(evidence.observed)} of ${String(evidence.generation)}`;
}

/** Without a generation to compare with, no evidence is older than it. */
function withoutGeneration(object: KubeObject): KubeObject {
  return { ...object, metadata: { name: object.metadata.name } };
}
