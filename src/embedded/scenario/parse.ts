import { KubepkgError } from '../../api/errors.ts';
import type { Problem } from '../../api/unknown-fields.ts';
import { parseYaml, YamlError } from '../../lib/yaml.ts';
import type { JsonMap } from '../model/object.ts';
import { impossibleParts } from './impossible.ts';
import { scenario as scenarioField, type Written, type WrittenScenario } from './shape.ts';
import {
  type ClaimRule,
  DEFAULT_NODE,
  DEFAULT_TIMES,
  type LateObject,
  type NodeSpec,
  type Operator,
  type PodRule,
  type Scenario,
  type Script,
  type Step,
  type Webhook,
} from './types.ts';

const SHOWN_PROBLEMS = 5;
const DEFAULT_LOAD_BALANCER_MS = 1000;

/** A scenario file; what is wrong with it is named with its field and a remedy. */
export function parseScenario(text: string, file: string): Scenario {
  const problems: Problem[] = [];
  const written = scenarioField(readYaml(text, file), '', problems);
  if (written === undefined || problems.length > 0) throw refusal(file, problems);
  const impossible = impossibleParts(written);
  if (impossible.length > 0) throw refusal(file, impossible);
  return scenarioOf(written);
}

function readYaml(text: string, file: string): unknown {
  try {
    return parseYaml(text, file) ?? {};
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new KubepkgError('InvalidInput', error.message, { hint: 'correct the YAML of the scenario', cause: error });
  }
}

function refusal(file: string, problems: readonly Problem[]): KubepkgError {
  const isOne = problems.length === 1;
  const shown = problems.slice(0, SHOWN_PROBLEMS).map((problem) => describe(problem) + (isOne ? '' : aside(problem)));
  const more = problems.length - shown.length;
  const list = [...shown, ...(more > 0 ? [`and ${String(more)} more`] : [])].join('; ');
  const hint = (isOne ? problems[0]?.remedy : undefined) ?? 'correct the scenario file';
  return new KubepkgError('InvalidInput', `scenario ${file}: ${list}`, { hint });
}

/** Several problems have each a remedy of their own. */
function aside({ remedy }: Problem): string {
  return remedy === undefined ? '' : ` (${remedy})`;
}

function describe({ path, message }: Problem): string {
  if (path === '') return message;
  return message === 'unknown field' ? `unknown field ${path}` : `${path} ${message}`;
}

function scenarioOf(written: WrittenScenario): Scenario {
  const { metadata, defaults, loadBalancers } = written;
  const nodes = (written.nodes ?? []).map(nodeOf);
  const each = <T, U>(items: readonly T[] | undefined, read: (item: T) => U): readonly U[] => (items ?? []).map(read);
  return {
    name: metadata?.name ?? '',
    defaults: { ...DEFAULT_TIMES, ...defaults },
    nodes: nodes.length === 0 ? [DEFAULT_NODE] : nodes,
    workloads: each(written.workloads, podRuleOf),
    jobs: each(written.jobs, podRuleOf),
    claims: each(written.claims, claimOf),
    loadBalancersAfter: loadBalancers === undefined ? DEFAULT_LOAD_BALANCER_MS : loadBalancers.readyAfter?.ms,
    customResources: each(written.customResources, scriptOf),
    lateObjects: [...each(written.crds, lateDefinition), ...each(written.objects, lateObjectOf)],
    webhooks: each(written.webhooks, webhookOf),
  };
}

function claimOf({ match = {}, boundAfter }: Written<'claims'>): ClaimRule {
  return { match, boundAfter: boundAfter?.ms };
}

function podRuleOf({ match = {}, ...rest }: Written<'workloads'> | Written<'jobs'>): PodRule {
  return { ...rest, match };
}

function nodeOf({ name = '', taints = [], notReady, ...rest }: Written<'nodes'>): NodeSpec {
  return {
    ...DEFAULT_NODE,
    ...rest,
    name,
    taints,
    ...(notReady === undefined ? {} : { notReady: { after: notReady.after ?? 0, until: notReady.until } }),
  };
}

function scriptOf({ match = {}, steps = [], operator, finalizer, ...rest }: Written<'customResources'>): Script {
  const { apiVersion = '', kind = '' } = match;
  return {
    match: { ...match, apiVersion, kind },
    observedGeneration: rest.observedGeneration ?? 'none',
    againOnUpgrade: rest.againOnUpgrade ?? false,
    steps: steps.map(stepOf),
    ...operatorOf(operator),
    ...(finalizer === undefined
      ? {}
      : { finalizer: { name: finalizer.name ?? '', releasedAfter: finalizer.releasedAfter?.ms } }),
  };
}

function stepOf({ after = 0, status, flap }: NonNullable<Written<'customResources'>['steps']>[number]): Step {
  if (flap === undefined) return { after, status: status ?? {} };
  const { every = 0, times, statuses = [] } = flap;
  return { after, flap: { every, statuses, ...(times === undefined ? {} : { times }) } };
}

function operatorOf(written: Written<'crds'>['operator']): { readonly operator?: Operator } {
  if (written === undefined) return {};
  const { kind = 'Deployment', namespace = '', name = '' } = written;
  return { operator: { kind, namespace, name } };
}

function lateObjectOf({ object = {}, after = 0, operator }: Written<'objects'>): LateObject {
  return { object, after, ...operatorOf(operator) };
}

function lateDefinition({ name = '', after = 0, operator, ...rest }: Written<'crds'>): LateObject {
  return { object: definitionObject(name, rest), after, ...operatorOf(operator) };
}

/** Without a schema, everything may be written in it. */
function definitionObject(name: string, rest: Omit<Written<'crds'>, 'name' | 'after' | 'operator'>): JsonMap {
  const dot = name.indexOf('.');
  const [plural, group] = [name.slice(0, dot), name.slice(dot + 1)];
  const { kind = '', scope = 'Namespaced', versions = ['v1'] } = rest;
  const openAPIV3Schema = rest.schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      scope,
      versions: versions.map((version, index) => ({
        name: version,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema },
        subresources: { status: {} },
      })),
    },
  };
}

function webhookOf({ match = {}, operations, operator, ...rest }: Written<'webhooks'>): Webhook {
  return {
    name: rest.name ?? 'webhook.rehearse.kubepkg.dev',
    match,
    operations: operations ?? ['CREATE', 'UPDATE'],
    failure: rest.fails ?? 'denied',
    message: rest.refuse ?? '',
    until: rest.until,
    ...operatorOf(operator),
  };
}
