import type { HealthCheckExpr, ReadyWhen } from '../../api/readiness.ts';
import { compileCel } from '../../lib/cel/cel.ts';
import { DYN, STRING } from '../../lib/cel/types.ts';
import { type DesiredComponent, type DesiredPackage, type Unresolvable, unresolvable } from './desired.ts';

/** Top-level fields of Kubernetes' own kinds and of common custom ones; a name beyond them is taken for a slip. */
const FIELDS = [
  'metadata spec status data binaryData stringData immutable type',
  'rules roleRef subjects aggregationRule webhooks secrets imagePullSecrets automountServiceAccountToken',
  'provisioner parameters reclaimPolicy volumeBindingMode allowVolumeExpansion mountOptions allowedTopologies',
  'value globalDefault preemptionPolicy description handler overhead scheduling driver deletionPolicy',
  'endpoints addressType ports subsets revision template involvedObject reason message',
  'operation results summary report scope config items',
].flatMap((names) => names.split(' '));

const VARIABLES = new Map([
  ['apiVersion', STRING.type],
  ['kind', STRING.type],
  ...FIELDS.map((name) => [name, DYN.type] as const),
]);

/** Of `readyWhen`, where the whole object has a name as well. */
const WITH_SELF = new Map([...VARIABLES, ['self', DYN.type] as const]);

interface Finding {
  readonly field: string;
  readonly problem: string;
}

/** The first expression that could never be evaluated: it does not compile, its types do not fit, or it costs too much. */
export function findInvalidExpression(desired: Pick<DesiredPackage, 'components' | 'hooks'>): Unresolvable | undefined {
  for (const component of [...desired.components, ...desired.hooks]) {
    const [first] = findingsOf(component);
    if (first === undefined) continue;
    return unresolvable(
      'InvalidConfiguration',
      `component ${component.name}: install.${first.field} cannot be used: ${first.problem}`,
    );
  }
  return undefined;
}

function findingsOf({ readyWhen, healthCheckExprs }: DesiredComponent): readonly Finding[] {
  return [
    ...readyWhen.flatMap((entry, index) => checkEntry(entry, `readyWhen[${String(index)}]`)),
    ...healthCheckExprs.flatMap((check, index) => checkHealthCheck(check, `healthCheckExprs[${String(index)}]`)),
  ];
}

function checkEntry({ expression }: ReadyWhen, field: string): readonly Finding[] {
  return expression === undefined ? [] : compile(expression, `${field}.expression`, WITH_SELF);
}

function checkHealthCheck(check: HealthCheckExpr, field: string): readonly Finding[] {
  const { apiVersion, current, inProgress = '', failed = '' } = check;
  if (apiVersion.split('/').length > 2) {
    return [{ field: `${field}.apiVersion`, problem: `"${apiVersion}" is no API version such as example.dev/v1` }];
  }
  return [
    ...compile(current, `${field}.current`, VARIABLES),
    ...(inProgress === '' ? [] : compile(inProgress, `${field}.inProgress`, VARIABLES)),
    ...(failed === '' ? [] : compile(failed, `${field}.failed`, VARIABLES)),
  ];
}

/** The position is part of the problem: `line:column`. */
function compile(expression: string, field: string, variables: typeof VARIABLES): readonly Finding[] {
  if (expression.trim() === '')
    return [{ field, problem: 'it is empty; write a CEL expression that is true or false' }];
  const compilation = compileCel(expression, { variables });
  return compilation.kind === 'compiled' ? [] : [{ field, problem: `at ${compilation.message}` }];
}
