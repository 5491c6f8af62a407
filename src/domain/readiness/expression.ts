import type { KubeObject } from '../../api/kube.ts';
import { compileCel, evaluate, type Outcome } from '../../lib/cel/cel.ts';
import { progressing, type Verdict } from './verdict.ts';

/** What an expression says about an object. */
export type Judgement =
  | { readonly kind: 'true' }
  | { readonly kind: 'false' }
  /** It asks for a field that the object does not have yet. */
  | { readonly kind: 'missing'; readonly path: string }
  | { readonly kind: 'error'; readonly message: string };

/** Evaluates an expression whose variables are the top-level fields of the object, and `more`. */
export function judgeExpression(
  expression: string,
  object: KubeObject,
  more: Readonly<Record<string, unknown>> = {},
): Judgement {
  const compilation = compileCel(expression);
  if (compilation.kind === 'invalid') return { kind: 'error', message: compilation.message };
  return judgementOf(evaluate(compilation.program, { ...more, ...object }));
}

function judgementOf(outcome: Outcome): Judgement {
  if (outcome.kind !== 'value') return outcome;
  if (typeof outcome.value === 'boolean') return { kind: outcome.value ? 'true' : 'false' };
  return { kind: 'error', message: 'its result is neither true nor false' };
}

/** The verdict on an expression that gave no answer: what is not there yet, or never will be, is waited for. */
export function describeJudgement(name: string, judgement: Extract<Judgement, { kind: 'missing' | 'error' }>): Verdict {
  if (judgement.kind === 'missing') {
    return progressing('FieldMissing', `${name}: the object has no ${judgement.path} yet`);
  }
  return { status: 'unknown', reason: 'EvaluationError', message: `${name}: ${judgement.message}` };
}
