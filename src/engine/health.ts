import { type KubeObject, type ObjectRef, refKey } from '../api/kube.ts';
import type { RevisionComponent } from '../api/package-revision.ts';
import type { HealthCheckExpr, ReadyWhen } from '../api/readiness.ts';
import { assess, hasReadiness, relatedTo, terminating } from '../domain/readiness/assess.ts';
import { conditionsOf } from '../domain/readiness/conditions.ts';
import { isCustomKind } from '../domain/readiness/custom-kinds.ts';
import { explain } from '../domain/readiness/explain.ts';
import { judgeHealthCheckExpr, matchesHealthCheck } from '../domain/readiness/health-check-exprs.ts';
import { type Happenings, isMadeBy } from '../domain/readiness/newer-than-change.ts';
import { resolveReadinessOptions } from '../domain/readiness/options.ts';
import { evaluateReadyWhen } from '../domain/readiness/ready-when.ts';
import { keptPod } from '../domain/readiness/stateful-set.ts';
import { hasEnded, judgeVanishedJob } from '../domain/readiness/vanished-job.ts';
import { progressing, type ReadinessContext, type Verdict } from '../domain/readiness/verdict.ts';
import type { HealthReport } from '../domain/release/component-view.ts';
import { asArray, asString, at, isRecord } from '../lib/json.ts';
import { stableJson } from '../lib/stable-json.ts';
import type { InventoryItem } from '../ports/backend.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Clock } from '../ports/system.ts';
import { admit, type Finding, reportOf } from './finding.ts';
import type { ObjectTracker, TrackedObject } from './object-tracker.ts';
import type { RelatedReader } from './related.ts';
import type { Witness } from './witness.ts';

export interface HealthRequest {
  readonly component: RevisionComponent;
  /** The objects of its release. */
  readonly inventory: readonly InventoryItem[];
  /** The objects that its `readyWhen` names, placed. */
  readonly awaited: readonly ObjectRef[];
  /** What its evidence has to be newer than; undefined: what is said now is enough. */
  readonly happenings?: Happenings | undefined;
  readonly isHook?: boolean | undefined;
  /** Somebody waits for it: what has to be stable has to have been. */
  readonly isAwaited?: boolean | undefined;
}

/** Where the objects of a component are looked up. */
export interface HealthSight {
  readonly cluster: Cluster;
  readonly tracker: ObjectTracker;
  readonly related: RelatedReader;
  readonly clock: Clock;
  /** What this process has seen of the release before. */
  readonly witness: Witness;
}

/** One request with one snapshot of everything that it is judged on. */
interface Scene extends HealthSight {
  readonly request: HealthRequest;
  readonly look: (ref: ObjectRef) => TrackedObject;
  readonly siblings: readonly KubeObject[];
}

/** What has to be followed to judge a component. */
export function followedBy(request: HealthRequest): readonly ObjectRef[] {
  return [...judgedItems(request), ...request.awaited];
}

function judgedItems({ inventory, component }: HealthRequest): readonly InventoryItem[] {
  return inventory.filter((item) => hasReadiness(item) || checkOf(component, item) !== undefined);
}

function checkOf({ healthCheckExprs = [] }: RevisionComponent, ref: ObjectRef): HealthCheckExpr | undefined {
  return healthCheckExprs.find((check) => matchesHealthCheck(check, ref));
}

/** Judges a component on what the tracker has, reading besides only what explains one that is not ready. */
export async function judgeHealth(sight: HealthSight, request: HealthRequest): Promise<HealthReport> {
  const followed = followedBy(request);
  const states = new Map(followed.map((ref) => [refKey(ref), sight.tracker.look(ref)]));
  if ([...states.values()].some((state) => state.kind === 'unread'))
    return { status: 'unobserved', message: 'its objects are being read', notes: [] };
  const look = (ref: ObjectRef): TrackedObject => states.get(refKey(ref)) ?? { kind: 'unread' };
  const items = judgedItems(request);
  const siblings = items.flatMap((item) => presentObject(look(item)));
  const scene: Scene = { ...sight, request, look, siblings };
  const isChanging = request.happenings?.change !== undefined;
  for (const ref of followed) for (const object of presentObject(look(ref))) sight.witness.sees(object, { isChanging });
  const findings: Finding[] = [];
  for (const item of items) findings.push(await judgeItem(scene, item));
  for (const [index, entry] of (request.component.readyWhen ?? []).entries()) {
    const ref = request.awaited[index];
    if (ref !== undefined) findings.push(await judgeEntry(scene, entry, ref));
  }
  return reportOf(findings);
}

function presentObject(state: TrackedObject): KubeObject[] {
  return state.kind === 'present' ? [state.object] : [];
}

/** One object of the release, by a health check of the component where one is about it, else by the rule of its kind. */
async function judgeItem(scene: Scene, item: InventoryItem): Promise<Finding> {
  const state = scene.look(item);
  const vanished = item.mayVanish === true ? endOf(scene, state) : undefined;
  if (vanished !== undefined) return findingOf(item, vanished);
  const check = checkOf(scene.request.component, item);
  if (state.kind !== 'present') {
    if (check !== undefined) scene.witness.breaks(keyOf(item, check), scene.clock.now());
    return unavailable(item, state);
  }
  return check === undefined ? judgeByKind(scene, item, state.object) : judgeByCheck(scene, { item, check }, state);
}

/** Of a Job that removes itself, and is going or gone. */
function endOf(scene: Scene, state: TrackedObject): Verdict | undefined {
  const judged = (last: KubeObject | undefined): Verdict =>
    judgeVanishedJob({ last, isHook: scene.request.isHook === true }, contextOf(scene));
  if (state.kind === 'missing') return judged(isMeant(scene, state.last) ? state.last : undefined);
  if (state.kind !== 'present' || terminating(state.object) === undefined || !hasEnded(state.object)) return undefined;
  return judged(state.object);
}

/** An earlier Job of the same name says nothing about the one that was delivered. */
function isMeant({ request, witness }: Scene, last: KubeObject | undefined): boolean {
  const change = request.happenings?.change;
  return last !== undefined && (change === undefined || isMadeBy(last, change) || witness.hasSeen(last));
}

async function judgeByKind(scene: Scene, ref: ObjectRef, object: KubeObject): Promise<Finding> {
  const context = { ...contextOf(scene), served: await servedKinds(scene.cluster, object) };
  const first = assess(object, context);
  const ended = first.final === true ? object.metadata.resourceVersion : undefined;
  const related = await scene.related.read(relatedTo(object, first), ended);
  const verdict = first.status === 'ready' ? first : assess(object, { ...context, related });
  const kept = verdict.status === 'ready' ? undefined : keptPod(object, related);
  const finding = { ...findingOf(ref, verdict, explain(object, verdict, related)), ...keptBack(kept) };
  const isTold = isCustomKind(ref) && conditionsOf(object).some(({ type }) => type === 'Ready');
  if (!isTold) return finding;
  return admit(finding, { key: keyOf(ref, 'Ready'), object, condition: 'Ready', inRelease: true }, waitOf(scene));
}

function keptBack(pod: KubeObject | undefined): Pick<Finding, 'keptPod'> {
  const { namespace, name, uid } = pod?.metadata ?? {};
  return namespace === undefined || name === undefined || uid === undefined
    ? {}
    : { keptPod: { namespace, name, uid } };
}

async function judgeByCheck(
  scene: Scene,
  { item, check }: { readonly item: ObjectRef; readonly check: HealthCheckExpr },
  { object }: Extract<TrackedObject, { kind: 'present' }>,
): Promise<Finding> {
  const verdict = terminating(object) ?? judgeHealthCheckExpr(check, object);
  const finding = findingOf(item, verdict, await explained(scene, object, verdict));
  return admit(finding, { key: keyOf(item, check), object, inRelease: true }, waitOf(scene));
}

async function judgeEntry(scene: Scene, entry: ReadyWhen, ref: ObjectRef): Promise<Finding> {
  const state = scene.look(ref);
  const object = state.kind === 'present' ? state.object : undefined;
  const verdict =
    state.kind === 'unreadable'
      ? unavailable(ref, state).verdict
      : evaluateReadyWhen(entry, object, { served: state.kind !== 'unserved' });
  const message = object === undefined ? verdict.message : await explained(scene, object, verdict);
  const inRelease = scene.request.inventory.some((item) => refKey(item) === refKey(ref));
  const claim = { key: keyOf(ref, entry), object, condition: entry.condition, inRelease };
  const isOpen = entry.observedGeneration === 'Ignore';
  return admit(findingOf(ref, verdict, message), { ...claim, isOpen, stableFor: entry.stableFor }, waitOf(scene));
}

async function explained(scene: Scene, object: KubeObject, verdict: Verdict): Promise<string> {
  return explain(object, verdict, await scene.related.read(relatedTo(object, verdict)));
}

function waitOf({ request, witness, clock }: Scene): Parameters<typeof admit>[2] {
  return { happenings: request.happenings ?? {}, isAwaited: request.isAwaited === true, witness, now: clock.now() };
}

function keyOf(ref: ObjectRef, declared: unknown): string {
  return `${refKey(ref)} ${stableJson(declared)}`;
}

function findingOf(ref: ObjectRef, verdict: Verdict, message = verdict.message): Finding {
  return { ref, verdict, message: verdict.status === 'ready' ? (verdict.note ?? message) : message };
}

/** What cannot be looked at is waited for until the deadline, and said. */
function unavailable(ref: ObjectRef, state: Exclude<TrackedObject, { kind: 'present' }>): Finding {
  return findingOf(ref, progressing('NotFound', absenceOf(ref, state)));
}

function absenceOf(ref: ObjectRef, state: Exclude<TrackedObject, { kind: 'present' }>): string {
  if (state.kind === 'unserved') return `${ref.apiVersion} ${ref.kind} is not served yet`;
  return state.kind === 'unreadable' ? state.message : 'does not exist';
}

function contextOf({ request, siblings }: Scene): ReadinessContext {
  const options = resolveReadinessOptions(request.component.readiness ?? {}, { isHook: request.isHook === true });
  return { options, related: [], siblings, served: () => undefined };
}

/** For a CRD: which of its versions discovery serves. */
async function servedKinds(cluster: Cluster, object: KubeObject): Promise<ReadinessContext['served']> {
  if (object.kind !== 'CustomResourceDefinition') return () => undefined;
  const group = asString(at(object, 'spec', 'group')) ?? '';
  const kind = asString(at(object, 'spec', 'names', 'kind')) ?? '';
  const served = new Map<string, boolean>();
  for (const version of asArray(at(object, 'spec', 'versions'))) {
    if (!isRecord(version) || version.served !== true) continue;
    const apiVersion = `${group}/${asString(version.name) ?? ''}`;
    served.set(apiVersion, (await cluster.served(apiVersion, kind)) !== undefined);
  }
  return (apiVersion) => served.get(apiVersion);
}
