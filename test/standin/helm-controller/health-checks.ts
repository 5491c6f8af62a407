import type { KubeObject, ObjectRef } from '../../../src/api/kube.ts';
import { asNumber, at } from '../../../src/lib/json.ts';
import { compileCel, evaluate, type Program } from '../../../src/lib/cel/cel.ts';
import type { KStatus } from './kstatus.ts';
import type { HealthCheck } from './spec.ts';

const QUESTIONS = ['inProgress', 'failed', 'current'] as const;

interface CompiledCheck {
  readonly group: string;
  readonly kind: string;
  readonly programs: Partial<Readonly<Record<(typeof QUESTIONS)[number], Program>>>;
}

/** What is unknown of an object is waited for, until the deadline [18: nob]. */
export type HealthStatus = KStatus | 'Unknown';

/** `spec.healthCheckExprs`, ready to be asked. */
export interface HealthChecks {
  /** Undefined for an object that no check is about. */
  judge(object: KubeObject): HealthStatus | undefined;
}

/** An expression that does not parse ends everything before anything is written [18: syn]. */
export function compileHealthChecks(checks: readonly HealthCheck[]): HealthChecks | { readonly invalid: string } {
  const compiled: CompiledCheck[] = [];
  for (const [index, check] of checks.entries()) {
    const programs: Partial<Record<(typeof QUESTIONS)[number], Program>> = {};
    for (const question of QUESTIONS) {
      const expression = check[question];
      if (expression === undefined || expression === '') continue;
      const compilation = compileCel(expression);
      if (compilation.kind === 'invalid')
        return { invalid: invalidMessage({ index, question, expression, compilation }) };
      programs[question] = compilation.program;
    }
    compiled.push({ group: groupOf(check.apiVersion), kind: check.kind, programs });
  }
  return { judge: (object) => judge(object, compiled) };
}

function invalidMessage(found: {
  readonly index: number;
  readonly question: string;
  readonly expression: string;
  readonly compilation: { readonly message: string };
}): string {
  const question = `${found.question.charAt(0).toUpperCase()}${found.question.slice(1)}`;
  return (
    `failed to create custom status evaluator for healthchecks[${String(found.index)}]: failed to parse the expression ` +
    `${question}: failed to parse the CEL expression '${found.expression}': ${found.compilation.message}`
  );
}

function judge(object: KubeObject, checks: readonly CompiledCheck[]): HealthStatus | undefined {
  const check = checks.find((candidate) => isAbout(candidate, object));
  if (check === undefined) return undefined;
  if (isBehind(object)) return 'InProgress';
  for (const question of QUESTIONS) {
    const program = check.programs[question];
    if (program === undefined) continue;
    const outcome = evaluate(program, object);
    if (outcome.kind !== 'value' || typeof outcome.value !== 'boolean') return 'Unknown';
    if (outcome.value) return question === 'inProgress' ? 'InProgress' : question === 'failed' ? 'Failed' : 'Current';
  }
  return 'InProgress';
}

function isAbout({ group, kind }: CompiledCheck, ref: Pick<ObjectRef, 'apiVersion' | 'kind'>): boolean {
  return group === groupOf(ref.apiVersion) && (kind === '' || kind === ref.kind);
}

function isBehind(object: KubeObject): boolean {
  const observed = asNumber(at(object, 'status', 'observedGeneration'));
  const { generation } = object.metadata;
  return observed !== undefined && generation !== undefined && observed !== generation;
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
