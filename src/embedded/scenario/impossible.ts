import type { Problem } from '../../api/unknown-fields.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { Written, WrittenScenario } from './shape.ts';

/** Kinds whose status a controller or the API server writes; by group. */
const SERVED_GROUPS: ReadonlySet<string> = new Set(['', 'apps', 'batch', 'apiextensions.k8s.io']);

type PodRule = Written<'workloads'> | Written<'jobs'>;
type WrittenStep = NonNullable<Written<'customResources'>['steps']>[number];

/** What is written well, and cannot be: each with what to write instead. */
export function impossibleParts(written: WrittenScenario): readonly Problem[] {
  return [
    ...each('workloads', written.workloads, podRuleProblems),
    ...each('jobs', written.jobs, podRuleProblems),
    ...each('customResources', written.customResources, scriptProblems),
    ...each('crds', written.crds, definitionProblems),
    ...each('objects', written.objects, objectProblems),
    ...each('webhooks', written.webhooks, webhookProblems),
    ...nodeProblems(written.nodes ?? []),
  ];
}

function each<T>(
  field: string,
  items: readonly T[] | undefined,
  check: (item: T, path: string) => readonly Problem[],
): readonly Problem[] {
  return (items ?? []).flatMap((item, index) => check(item, `${field}[${String(index)}]`));
}

function podRuleProblems(rule: PodRule, path: string): readonly Problem[] {
  const { after, until } = rule;
  return [...windowProblems({ after, until }, path), ...readinessProblems(rule, path), ...failureProblems(rule, path)];
}

function readinessProblems(rule: PodRule, path: string): readonly Problem[] {
  if (rule.behaviour !== 'never-ready' || !('readyAfter' in rule)) return [];
  const remedy = 'leave one of them out, or say with until when it recovers';
  return [{ path: `${path}.readyAfter`, message: 'cannot be with behaviour never-ready', remedy }];
}

const FAILING: ReadonlySet<string> = new Set(['fail', 'crash', 'init-crash']);

function failureProblems({ behaviour, exitCode, failures }: PodRule, path: string): readonly Problem[] {
  if (behaviour === undefined) return [];
  const problems: Problem[] = [];
  if (failures !== undefined && !FAILING.has(behaviour)) {
    const remedy = 'use behaviour fail or crash';
    problems.push({ path: `${path}.failures`, message: `counts nothing with behaviour ${behaviour}`, remedy });
  }
  if (exitCode === 0 && behaviour !== 'crash' && FAILING.has(behaviour)) {
    const remedy = 'use another exit code, or behaviour complete';
    problems.push({ path: `${path}.exitCode`, message: `cannot be 0 with behaviour ${behaviour}`, remedy });
  }
  if ((exitCode ?? 0) !== 0 && behaviour === 'complete') {
    const remedy = 'leave it out, or use behaviour fail';
    problems.push({ path: `${path}.exitCode`, message: 'can only be 0 with behaviour complete', remedy });
  }
  return problems;
}

function windowProblems(
  { after, until }: { readonly after?: number | undefined; readonly until?: number | undefined },
  path: string,
): readonly Problem[] {
  if (until === undefined || until > (after ?? 0)) return [];
  const remedy = 'both count from the same moment: make until the later one';
  return [
    { path: `${path}.until`, message: `must be later than after, which is ${formatDuration(after ?? 0)}`, remedy },
  ];
}

function scriptProblems(script: Written<'customResources'>, path: string): readonly Problem[] {
  const { apiVersion, kind } = script.match ?? {};
  const steps = script.steps ?? [];
  const within = (problem: Problem): Problem => ({ ...problem, path: `${path}.${problem.path}` });
  return [
    ...required({ apiVersion, kind }, `${path}.match`),
    ...servedProblems(script, path),
    ...each('steps', steps, stepProblems).map(within),
    ...steps.flatMap((step, index) =>
      orderProblems(steps.slice(0, index), step.after ?? 0, `${path}.steps[${String(index)}]`),
    ),
    ...againProblems(script, path),
  ];
}

function servedProblems({ match = {} }: Written<'customResources'>, path: string): readonly Problem[] {
  const { apiVersion = 'none/v1', kind } = match;
  const slash = apiVersion.indexOf('/');
  if (!SERVED_GROUPS.has(slash < 0 ? '' : apiVersion.slice(0, slash))) return [];
  const remedy = 'say under workloads or jobs how its pods behave';
  const message = `has a controller that writes the status of ${kind ?? apiVersion}`;
  return [{ path: `${path}.match`, message, remedy }];
}

function orderProblems(before: readonly WrittenStep[], after: number, path: string): readonly Problem[] {
  const last = Math.max(0, ...before.map((step) => step.after ?? 0));
  if (after >= last) return [];
  const remedy = `all times count from the change of the object: put the step before the one of ${formatDuration(last)}`;
  return [{ path: `${path}.after`, message: 'is earlier than the step before it', remedy }];
}

function againProblems({ againOnUpgrade, operator }: Written<'customResources'>, path: string): readonly Problem[] {
  if (againOnUpgrade !== true || operator !== undefined) return [];
  const remedy = 'name the operator whose upgrade is meant';
  return [{ path: `${path}.againOnUpgrade`, message: 'needs an operator', remedy }];
}

function stepProblems({ status, flap }: WrittenStep, path: string): readonly Problem[] {
  if ((status === undefined) === (flap === undefined)) {
    const message = status === undefined ? 'does nothing' : 'cannot have both status and flap';
    return [{ path, message, remedy: 'give it either status or flap' }];
  }
  if (flap === undefined) return [];
  const problems: Problem[] = [];
  if ((flap.statuses ?? []).length < 2) {
    problems.push({
      path: `${path}.flap.statuses`,
      message: 'must have at least two entries',
      remedy: 'or use status',
    });
  }
  if (flap.every === 0) {
    problems.push({ path: `${path}.flap.every`, message: 'must be more than 0s', remedy: 'write it as 10s' });
  }
  return problems;
}

function definitionProblems({ name = '', kind }: Written<'crds'>, path: string): readonly Problem[] {
  const isFull = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?\.[a-z0-9.-]+\.[a-z]+$/.test(name);
  const isKind = kind === undefined || /^[A-Z][A-Za-z0-9]*$/.test(kind);
  return [
    ...(isFull
      ? []
      : [{ path: `${path}.name`, message: 'must be PLURAL.GROUP', remedy: 'write it as sites.example.org' }]),
    ...(isKind ? [] : [{ path: `${path}.kind`, message: 'must be a kind', remedy: 'write it as Site' }]),
  ];
}

function objectProblems({ object }: Written<'objects'>, path: string): readonly Problem[] {
  const { apiVersion, kind, metadata } = object ?? {};
  const name = (metadata as { readonly name?: unknown } | undefined)?.name;
  return required({ apiVersion, kind, 'metadata.name': name }, `${path}.object`);
}

function webhookProblems({ refuse, fails, match }: Written<'webhooks'>, path: string): readonly Problem[] {
  const problems: Problem[] = [...required({ kind: match?.kind }, `${path}.match`)];
  if ((refuse === undefined) === (fails === undefined)) {
    const message = refuse === undefined ? 'does not refuse anything' : 'cannot have both refuse and fails';
    problems.push({ path, message, remedy: 'give it refuse with a message, or fails' });
  }
  return problems;
}

function required(fields: Readonly<Record<string, unknown>>, path: string): readonly Problem[] {
  return Object.entries(fields).flatMap(([key, value]) =>
    typeof value === 'string' && value !== ''
      ? []
      : [{ path: `${path}.${key}`, message: 'is required', remedy: 'add it' }],
  );
}

function nodeProblems(nodes: readonly Written<'nodes'>[]): readonly Problem[] {
  return nodes.flatMap(({ name, notReady }, index) => {
    const path = `nodes[${String(index)}]`;
    const isTwice = nodes.findIndex((other) => other.name === name) < index;
    const remedy = 'give each node a name of its own';
    return [
      ...(isTwice ? [{ path: `${path}.name`, message: `is the name of another node: ${name ?? ''}`, remedy }] : []),
      ...(notReady === undefined ? [] : windowProblems(notReady, `${path}.notReady`)),
    ];
  });
}
