import { type KubeObject, nameOf, type ObjectRef } from '../api/kube.ts';
import type { RevisionComponent } from '../api/package-revision.ts';
import type { ReadyWhen } from '../api/readiness.ts';
import { assess, hasReadiness, relatedTo } from '../domain/readiness/assess.ts';
import { conditionsOf, generationEvidence } from '../domain/readiness/conditions.ts';
import { isCustomKind } from '../domain/readiness/custom-kinds.ts';
import { explain } from '../domain/readiness/explain.ts';
import { resolveReadinessOptions } from '../domain/readiness/options.ts';
import { type Change, credibleAt } from '../domain/readiness/newer-than-change.ts';
import { evaluateReadyWhen } from '../domain/readiness/ready-when.ts';
import { type ReadinessContext, type Verdict, progressing } from '../domain/readiness/verdict.ts';
import type { HealthReport } from '../domain/release/component-view.ts';
import { asArray, asString, at, isRecord } from '../lib/json.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { ObjectTracker, TrackedObject } from './object-tracker.ts';
import type { RelatedReader } from './related.ts';

/** One thing that a component waits for, judged. */
interface Finding {
  readonly ref: ObjectRef;
  readonly verdict: Verdict;
  readonly message: string;
  readonly until?: number;
}

export interface HealthRequest {
  readonly component: RevisionComponent;
  /** The objects of its release. */
  readonly inventory: readonly ObjectRef[];
  /** The objects that its `readyWhen` names, placed. */
  readonly awaited: readonly ObjectRef[];
  /** The delivery that its objects have to have answered to; undefined: what they say now is enough. */
  readonly change?: Change | undefined;
}

/** Where the objects of a component are looked up. */
export interface HealthSight {
  readonly cluster: Cluster;
  readonly tracker: ObjectTracker;
  readonly related: RelatedReader;
}

/** What has to be followed to judge a component. */
export function followedBy(request: HealthRequest): readonly ObjectRef[] {
  return [...request.inventory.filter((ref) => hasReadiness(ref)), ...request.awaited];
}

/** Judges a component on what the tracker has, reading besides only what explains one that is not ready. */
export async function judgeHealth(sight: HealthSight, request: HealthRequest): Promise<HealthReport> {
  const refs = request.inventory.filter((ref) => hasReadiness(ref));
  const states = [...refs, ...request.awaited].map((ref) => sight.tracker.look(ref));
  if (states.some((state) => state.kind === 'unread'))
    return { status: 'unobserved', message: 'its objects are being read', notes: [] };
  const siblings = refs.flatMap((ref) => presentObject(sight.tracker.look(ref)));
  const findings: Finding[] = [];
  for (const ref of refs)
    findings.push(await judgeObject(sight, { ref, state: sight.tracker.look(ref), siblings, request }));
  for (const [index, entry] of (request.component.readyWhen ?? []).entries()) {
    const ref = request.awaited[index];
    if (ref !== undefined) findings.push(judgeEntry({ entry, ref, change: request.change }, sight.tracker.look(ref)));
  }
  return reportOf(findings);
}

function presentObject(state: TrackedObject): KubeObject[] {
  return state.kind === 'present' ? [state.object] : [];
}

interface ObjectCase {
  readonly ref: ObjectRef;
  readonly state: TrackedObject;
  readonly siblings: readonly KubeObject[];
  readonly request: HealthRequest;
}

async function judgeObject(sight: HealthSight, { ref, state, siblings, request }: ObjectCase): Promise<Finding> {
  if (state.kind !== 'present') return unavailable(ref, state);
  const { object } = state;
  const context: ReadinessContext = {
    options: resolveReadinessOptions(request.component.readiness ?? {}, { isHook: false }),
    related: [],
    siblings,
    served: await servedKinds(sight.cluster, object),
  };
  const first = assess(object, context);
  if (first.status === 'ready') {
    const finding = { ref, verdict: first, message: first.note ?? first.message };
    const isTold = isCustomKind(ref) && conditionsOf(object).some(({ type }) => type === 'Ready');
    return isTold ? onlyNewer(finding, object, { condition: 'Ready', change: request.change }) : finding;
  }
  const related = await sight.related.read(relatedTo(object, first));
  const verdict = assess(object, { ...context, related });
  return {
    ref,
    verdict,
    message: verdict.status === 'ready' ? (verdict.note ?? verdict.message) : explain(object, verdict, related),
  };
}

/** What cannot be looked at is waited for until the deadline, and said. */
function unavailable(ref: ObjectRef, state: Exclude<TrackedObject, { kind: 'present' }>): Finding {
  const message = absenceOf(ref, state);
  return { ref, verdict: { status: 'progressing', reason: 'NotFound', message }, message };
}

function absenceOf(ref: ObjectRef, state: Exclude<TrackedObject, { kind: 'present' }>): string {
  if (state.kind === 'unserved') return `${ref.apiVersion} ${ref.kind} is not served yet`;
  return state.kind === 'unreadable' ? state.message : 'does not exist';
}

interface EntryCase {
  readonly entry: ReadyWhen;
  readonly ref: ObjectRef;
  readonly change: Change | undefined;
}

function judgeEntry({ entry, ref, change }: EntryCase, state: TrackedObject): Finding {
  if (state.kind === 'unreadable') return unavailable(ref, state);
  const object = state.kind === 'present' ? state.object : undefined;
  const condition = entry.condition ?? '';
  const verdict = evaluateReadyWhen({ ...entry, condition }, object, { served: state.kind !== 'unserved' });
  const finding = { ref, verdict, message: verdict.message };
  if (object === undefined || entry.observedGeneration === 'Ignore') return finding;
  return onlyNewer(finding, object, { condition, change });
}

/** What says nowhere which generation it is about counts only once it can be about this change. */
function onlyNewer(
  finding: Finding,
  object: KubeObject,
  { condition, change }: { readonly condition: string; readonly change: Change | undefined },
): Finding {
  if (change === undefined || finding.verdict.status !== 'ready') return finding;
  if (generationEvidence(object, condition).kind !== 'none') return finding;
  const transition = conditionsOf(object).find(({ type }) => type === condition)?.transition;
  const until = credibleAt(object, transition, change);
  if (change.now >= until) return finding;
  const message = `${finding.message}, perhaps from before the change: it names no generation`;
  return { ...finding, verdict: progressing('NotObserved', message), message, until };
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

function reportOf(findings: readonly Finding[]): HealthReport {
  const notes = findings.filter(({ verdict }) => verdict.note !== undefined).map(describe);
  const failed = findings.filter(({ verdict }) => verdict.status === 'failed');
  const worst = failed.find(({ verdict }) => verdict.final === true) ?? failed[0];
  if (worst !== undefined) {
    return { status: 'failed', message: describe(worst), notes, final: worst.verdict.final === true };
  }
  const waiting = findings.find(({ verdict }) => verdict.status !== 'ready');
  if (waiting !== undefined) {
    return { status: 'progressing', message: describe(waiting), notes, until: waiting.until };
  }
  return { status: 'ready', message: 'every object is ready', notes };
}

function describe({ ref, message }: Finding): string {
  return `${nameOf(ref)}: ${message}`;
}
