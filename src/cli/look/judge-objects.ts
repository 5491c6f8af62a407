import { describeError, isCode } from '../../api/errors.ts';
import { type KubeObject, nameOf, type ObjectRef, refKey } from '../../api/kube.ts';
import type { RevisionComponent } from '../../api/package-revision.ts';
import type { HealthCheckExpr } from '../../api/readiness.ts';
import { assess, hasReadiness, relatedTo, terminating } from '../../domain/readiness/assess.ts';
import { conditionsOf } from '../../domain/readiness/conditions.ts';
import { explain } from '../../domain/readiness/explain.ts';
import { judgeHealthCheckExpr, matchesHealthCheck } from '../../domain/readiness/health-check-exprs.ts';
import { STOPPED } from '../../domain/readiness/job.ts';
import { resolveReadinessOptions } from '../../domain/readiness/options.ts';
import { podCause } from '../../domain/readiness/pod-cause.ts';
import { isPodReady, podsOf } from '../../domain/readiness/pods.ts';
import { evaluateReadyWhen } from '../../domain/readiness/ready-when.ts';
import type { ReadinessContext, RelatedQuery, Verdict } from '../../domain/readiness/verdict.ts';
import { asArray, asString, at } from '../../lib/json.ts';
import { stableJson } from '../../lib/stable-json.ts';
import type { InventoryItem } from '../../ports/backend.ts';
import type { Cluster } from '../host.ts';
import type { Member } from './package-scope.ts';
import type { Sight } from './sight.ts';

/** Objects of one component that are looked at. */
const MAX_OBJECTS = 200;
/** Pods of one object that are told of; the others fail like these. */
const MAX_PODS = 5;

export type ObjectState = 'Ready' | 'Progressing' | 'Failed' | 'Terminating' | 'Unknown' | 'Missing' | 'Unreadable';

export interface PodReport {
  readonly name: string;
  readonly since: string | undefined;
  readonly cause: string;
}

/** One object of a component, judged on what was read just now. */
export interface ObjectReport {
  readonly ref: ObjectRef;
  readonly state: ObjectState;
  readonly message: string;
  /** Since when it has not been ready, where it says so. */
  readonly since: string | undefined;
  readonly pods: readonly PodReport[];
  readonly morePods: number;
}

type JudgeSight = Pick<Sight, 'cluster' | 'troubles'>;

const STATES: Readonly<Record<Verdict['status'], ObjectState>> = {
  ready: 'Ready',
  progressing: 'Progressing',
  failed: 'Failed',
  terminating: 'Terminating',
  unknown: 'Unknown',
};

type Sighting =
  | { readonly kind: 'present'; readonly object: KubeObject }
  | { readonly kind: 'missing' | 'unserved' }
  | { readonly kind: 'unreadable'; readonly message: string };

interface Scene {
  readonly sight: JudgeSight;
  readonly member: Member;
  readonly siblings: readonly KubeObject[];
  readonly read: (queries: readonly RelatedQuery[]) => Promise<readonly KubeObject[]>;
}

/** The objects of a component that can be ready or not, by the rules that the operator judges by; with `all` the others too. */
export async function judgeObjects(
  sight: JudgeSight,
  member: Member,
  { inventory, all }: { readonly inventory: readonly InventoryItem[]; readonly all: boolean },
): Promise<readonly ObjectReport[]> {
  const judged = inventory.filter((item) => all || isJudged(member.component, item));
  if (judged.length > MAX_OBJECTS) {
    const { name } = member.component;
    sight.troubles.note(`of ${String(judged.length)} objects of ${name} the first ${String(MAX_OBJECTS)} are shown`);
  }
  const looked = await Promise.all(
    judged.slice(0, MAX_OBJECTS).map(async (item) => {
      // Of what is ready by existing, what it holds is nobody's business.
      const metadataOnly = !isJudged(member.component, item);
      return { item, seen: await look(sight.cluster, item, { metadataOnly }) };
    }),
  );
  const siblings = looked.flatMap(({ seen }) => (seen.kind === 'present' ? [seen.object] : []));
  const scene: Scene = { sight, member, siblings, read: relatedReader(sight) };
  const own = await Promise.all(looked.map(({ item, seen }) => judgeItem(scene, item, seen)));
  const awaited = await Promise.all((member.component.readyWhen ?? []).map((entry) => judgeEntry(scene, entry)));
  return [...own.flat(), ...awaited];
}

function isJudged(component: RevisionComponent, item: ObjectRef): boolean {
  return hasReadiness(item) || checkOf(component, item) !== undefined;
}

function checkOf({ healthCheckExprs = [] }: RevisionComponent, ref: ObjectRef): HealthCheckExpr | undefined {
  return healthCheckExprs.find((check) => matchesHealthCheck(check, ref));
}

async function look(cluster: Cluster, ref: ObjectRef, options?: { readonly metadataOnly: boolean }): Promise<Sighting> {
  try {
    const object = await cluster.read(ref, options);
    return object === undefined ? { kind: 'missing' } : { kind: 'present', object };
  } catch (error) {
    if (isCode(error, 'KindNotServed')) return { kind: 'unserved' };
    if (isCode(error, 'ApiForbidden')) return { kind: 'unreadable', message: describeError(error) };
    throw error;
  }
}

/** Each question is asked once; what may not be read explains nothing, and the missing right is noted. */
function relatedReader({ cluster, troubles }: JudgeSight): Scene['read'] {
  const asked = new Map<string, Promise<readonly KubeObject[]>>();
  const ask = async (query: RelatedQuery): Promise<readonly KubeObject[]> => {
    if (query.kind === 'selected') return (await cluster.list(query.selection)).items;
    const object = await cluster.read(query.ref);
    return object === undefined ? [] : [object];
  };
  return async (queries) => {
    const answers = queries.map((query) => {
      const key = stableJson(query);
      const known = asked.get(key);
      if (known !== undefined) return known;
      const answer = troubles.attempt(describeQuery(query), () => ask(query)).then((found) => found ?? []);
      asked.set(key, answer);
      return answer;
    });
    return (await Promise.all(answers)).flat();
  };
}

function describeQuery(query: RelatedQuery): string {
  if (query.kind === 'object') return nameOf(query.ref);
  const { kind, namespace } = query.selection;
  return `the ${kind} objects${namespace === undefined ? '' : ` of namespace ${namespace}`}`;
}

async function judgeItem(scene: Scene, item: InventoryItem, seen: Sighting): Promise<readonly ObjectReport[]> {
  // A Job that removes itself is no loss.
  if (seen.kind === 'missing' && item.mayVanish === true) return [];
  if (seen.kind !== 'present') return [absent(item, seen)];
  const { object } = seen;
  if (!isJudged(scene.member.component, item)) return [existing(item, object)];
  const check = checkOf(scene.member.component, item);
  if (check !== undefined) {
    const verdict = terminating(object) ?? judgeHealthCheckExpr(check, object);
    return [await reportOn(scene, { ref: item, object, verdict })];
  }
  const context = await contextOf(scene, object);
  const first = assess(object, context);
  const related = await scene.read(relatedTo(object, first));
  const verdict = first.status === 'ready' ? first : assess(object, { ...context, related });
  return [await reportOn(scene, { ref: item, object, verdict })];
}

function absent(ref: ObjectRef, seen: Exclude<Sighting, { kind: 'present' }>): ObjectReport {
  const { apiVersion, kind } = ref;
  const place = { ref: placeOf(ref), since: undefined, pods: [], morePods: 0 };
  if (seen.kind === 'unreadable') return { ...place, state: 'Unreadable', message: seen.message };
  const message = seen.kind === 'unserved' ? `${apiVersion} ${kind} is not served yet` : 'does not exist';
  return { ...place, state: 'Missing', message };
}

function existing(ref: ObjectRef, object: KubeObject): ObjectReport {
  const going = terminating(object);
  const [state, message] = going === undefined ? (['Ready', ''] as const) : (['Terminating', going.message] as const);
  return { ref: placeOf(ref), state, message, since: undefined, pods: [], morePods: 0 };
}

function placeOf({ apiVersion, kind, name, namespace }: ObjectRef): ObjectRef {
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

async function judgeEntry(
  scene: Scene,
  entry: NonNullable<RevisionComponent['readyWhen']>[number],
): Promise<ObjectReport> {
  const { apiVersion, kind, name } = entry;
  const served = await scene.sight.cluster.served(apiVersion, kind);
  const place = served?.namespaced === false ? {} : { namespace: entry.namespace ?? scene.member.component.namespace };
  const ref: ObjectRef = { apiVersion, kind, name, ...place };
  const seen: Sighting = served === undefined ? { kind: 'unserved' } : await look(scene.sight.cluster, ref);
  if (seen.kind !== 'present') return absent(ref, seen);
  const { object } = seen;
  return reportOn(scene, { ref, object, verdict: evaluateReadyWhen(entry, object, { served: true }) });
}

interface Judged {
  readonly ref: ObjectRef;
  readonly object: KubeObject;
  readonly verdict: Verdict;
}

async function reportOn(scene: Scene, { ref, object, verdict }: Judged): Promise<ObjectReport> {
  const related = verdict.status === 'ready' ? [] : await scene.read(relatedTo(object, verdict));
  const pods = object.kind === 'Pod' ? [] : troubledPods(object, related);
  const told = pods.slice(0, MAX_PODS);
  // What its pods say is told below it, so that it is not told twice.
  const grounds = told.length === 0 ? related : related.filter(({ kind }) => kind !== 'Pod');
  const message = verdict.status === 'ready' ? (verdict.note ?? verdict.message) : explain(object, verdict, grounds);
  return {
    ref: placeOf(ref),
    // What kubepkg has stopped comes to no better end.
    state: verdict.reason === STOPPED ? 'Failed' : STATES[verdict.status],
    message,
    since: verdict.status === 'ready' ? undefined : unreadySince(object),
    pods: told,
    morePods: pods.length - told.length,
  };
}

function troubledPods(object: KubeObject, related: readonly KubeObject[]): readonly PodReport[] {
  return newestTemplateFirst(podsOf(object, related)).flatMap((pod) => {
    const isDone = asString(at(pod, 'status', 'phase')) === 'Succeeded';
    const cause = isPodReady(pod) || isDone ? undefined : podCause(pod, related);
    return cause === undefined ? [] : [{ name: pod.metadata.name, since: unreadySince(pod), cause }];
  });
}

/** Pods of a Deployment that a newer template replaces tell of what was. */
function newestTemplateFirst(pods: readonly KubeObject[]): readonly KubeObject[] {
  const templateOf = ({ metadata }: KubeObject): string => metadata.labels?.['pod-template-hash'] ?? '';
  const born = new Map<string, string>();
  for (const pod of pods) {
    const { creationTimestamp = '' } = pod.metadata;
    const template = templateOf(pod);
    if (creationTimestamp >= (born.get(template) ?? '')) born.set(template, creationTimestamp);
  }
  const bornOf = (pod: KubeObject): string => born.get(templateOf(pod)) ?? '';
  return [...pods].sort((a, b) => (bornOf(a) === bornOf(b) ? 0 : bornOf(a) < bornOf(b) ? 1 : -1));
}

/** By the conditions that the common kinds tell their readiness with. */
function unreadySince(object: KubeObject): string | undefined {
  const told = conditionsOf(object).filter(({ type }) => ['Ready', 'Available', 'Failed'].includes(type));
  const telling = told.find(({ type, status }) => (type === 'Failed' ? status === 'True' : status !== 'True'));
  return telling === undefined || telling.transition === '' ? undefined : telling.transition;
}

async function contextOf({ sight, member, siblings }: Scene, object: KubeObject): Promise<ReadinessContext> {
  const { component, part } = member;
  const options = resolveReadinessOptions(component.readiness ?? {}, { isHook: part === 'hooks' });
  return { options, related: [], siblings, served: await servedVersions(sight.cluster, object) };
}

/** Of a CRD: which of its versions discovery has. */
async function servedVersions(cluster: Cluster, object: KubeObject): Promise<ReadinessContext['served']> {
  if (object.kind !== 'CustomResourceDefinition') return () => undefined;
  const group = asString(at(object, 'spec', 'group')) ?? '';
  const kind = asString(at(object, 'spec', 'names', 'kind')) ?? '';
  const served = new Map<string, boolean>();
  for (const version of asArray(at(object, 'spec', 'versions'))) {
    if (at(version, 'served') !== true) continue;
    const apiVersion = `${group}/${asString(at(version, 'name')) ?? ''}`;
    served.set(apiVersion, (await cluster.served(apiVersion, kind)) !== undefined);
  }
  return (apiVersion) => served.get(apiVersion);
}

/** Objects that appear twice, as their component waits for them in two ways, worst first. */
export function notReady(reports: readonly ObjectReport[]): readonly ObjectReport[] {
  const worse = (state: ObjectState): number => (state === 'Failed' ? 0 : 1);
  const sorted = reports.filter(({ state }) => state !== 'Ready').sort((a, b) => worse(a.state) - worse(b.state));
  const distinct = new Map<string, ObjectReport>();
  for (const report of sorted) {
    const key = refKey(report.ref);
    if (!distinct.has(key)) distinct.set(key, report);
  }
  return [...distinct.values()];
}
