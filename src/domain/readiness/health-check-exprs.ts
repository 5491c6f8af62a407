import type { KubeObject, ObjectRef } from '../../api/kube.ts';
import type { HealthCheckExpr } from '../../api/readiness.ts';
import { at } from '../../lib/json.ts';
import { type Judgement, describeJudgement, judgeExpression } from './expression.ts';
import { groupOf } from './fields.ts';
import { failed, progressing, ready, type Verdict } from './verdict.ts';

/** Whether a health check is about an object: only the group counts, and an empty kind means all of the group. */
export function matchesHealthCheck(
  expr: Pick<HealthCheckExpr, 'apiVersion' | 'kind'>,
  ref: Pick<ObjectRef, 'apiVersion' | 'kind'>,
): boolean {
  if (!isApiVersion(expr.apiVersion)) return false;
  return groupOf(expr.apiVersion) === groupOf(ref.apiVersion) && (expr.kind === '' || expr.kind === ref.kind);
}

/** The first that is true decides. */
const QUESTIONS = ['inProgress', 'failed', 'current'] as const;

type Question = (typeof QUESTIONS)[number];

/**
 * Judges one object as Flux does: an old status is in progress, then `inProgress`, `failed`, `current` are asked in
 * this order, one that cannot be answered ends the asking, and none true is in progress.
 */
export function judgeHealthCheckExpr(expr: HealthCheckExpr, object: KubeObject): Verdict {
  const stale = judgeGeneration(object);
  if (stale !== undefined) return stale;
  for (const question of QUESTIONS) {
    const expression = expr[question] ?? '';
    if (expression === '' && question !== 'current') continue;
    const judgement = judgeExpression(expression, object);
    if (judgement.kind !== 'false') return verdictOf(question, judgement);
  }
  return progressing('InProgress', `current is false: ${expr.current}`);
}

function verdictOf(question: Question, judgement: Exclude<Judgement, { kind: 'false' }>): Verdict {
  if (judgement.kind !== 'true') return describeJudgement(question, judgement);
  const message = `${question} is true`;
  if (question === 'current') return ready(message);
  return question === 'failed' ? failed('Failed', message) : progressing('InProgress', message);
}

/** Two generations that differ, whichever is the greater; anything but whole numbers says nothing. */
function judgeGeneration(object: KubeObject): Verdict | undefined {
  const observed = at(object, 'status', 'observedGeneration');
  const generation = at(object, 'metadata', 'generation');
  if (!Number.isInteger(observed) || !Number.isInteger(generation) || observed === generation) return undefined;
  return progressing(
    'NotObserved',
    `the status is about generation ${String(observed)}, the object has generation ${String(generation)}`,
  );
}

function isApiVersion(apiVersion: string): boolean {
  return apiVersion.split('/').length <= 2;
}
