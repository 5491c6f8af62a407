import { isCode } from '../api/errors.ts';
import { type KubeObject, nameOf, type ObjectRef } from '../api/kube.ts';
import type { RevisionComponent } from '../api/package-revision.ts';
import type { ReadyWhen } from '../api/readiness.ts';
import { assess, hasReadiness, relatedTo } from '../domain/readiness/assess.ts';
import { explain } from '../domain/readiness/explain.ts';
import { resolveReadinessOptions } from '../domain/readiness/options.ts';
import { evaluateReadyWhen } from '../domain/readiness/ready-when.ts';
import { type ReadinessContext, type RelatedQuery, type Verdict } from '../domain/readiness/verdict.ts';
import type { HealthReport } from '../domain/release/component-view.ts';
import { asArray, asString, at, isRecord } from '../lib/json.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { ObjectTracker, TrackedObject } from './object-tracker.ts';

/** One thing that a component waits for, judged. */
interface Finding {
  readonly ref: ObjectRef;
  readonly verdict: Verdict;
  readonly message: string;
}

export interface HealthRequest {
  readonly component: RevisionComponent;
  /** The objects of its release. */
  readonly inventory: readonly ObjectRef[];
  /** The objects that its `readyWhen` names, placed. */
  readonly awaited: readonly ObjectRef[];
}

/** What has to be followed to judge a component. */
export function followedBy(request: HealthRequest): readonly ObjectRef[] {
  return [...request.inventory.filter((ref) => hasReadiness(ref)), ...request.awaited];
}

/** Judges a component on what the tracker has, reading besides only what explains one that is not ready. */
export async function judgeHealth(
  cluster: Cluster,
  tracker: ObjectTracker,
  request: HealthRequest,
): Promise<HealthReport> {
  const refs = request.inventory.filter((ref) => hasReadiness(ref));
  const states = [...refs, ...request.awaited].map((ref) => tracker.look(ref));
  if (states.some((state) => state.kind === 'unread'))
    return { status: 'unobserved', message: 'its objects are being read', notes: [] };
  const siblings = refs.flatMap((ref) => presentObject(tracker.look(ref)));
  const findings: Finding[] = [];
  for (const ref of refs)
    findings.push(await judgeObject(cluster, { ref, state: tracker.look(ref), siblings, request }));
  for (const [index, entry] of (request.component.readyWhen ?? []).entries()) {
    const ref = request.awaited[index];
    if (ref !== undefined) findings.push(judgeEntry(entry, ref, tracker.look(ref)));
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

async function judgeObject(cluster: Cluster, { ref, state, siblings, request }: ObjectCase): Promise<Finding> {
  if (state.kind !== 'present') {
    const message = state.kind === 'unserved' ? `${ref.apiVersion} ${ref.kind} is not served` : 'does not exist';
    const verdict: Verdict = { status: 'progressing', reason: 'NotFound', message };
    return { ref, verdict, message };
  }
  const { object } = state;
  const context: ReadinessContext = {
    options: resolveReadinessOptions(request.component.readiness ?? {}, { isHook: false }),
    related: [],
    siblings,
    served: await servedKinds(cluster, object),
  };
  const first = assess(object, context);
  if (first.status === 'ready') return { ref, verdict: first, message: first.note ?? first.message };
  const related = await readRelated(cluster, relatedTo(object, first));
  const verdict = assess(object, { ...context, related });
  return {
    ref,
    verdict,
    message: verdict.status === 'ready' ? (verdict.note ?? verdict.message) : explain(object, verdict, related),
  };
}

function judgeEntry(entry: ReadyWhen, ref: ObjectRef, state: TrackedObject): Finding {
  const object = state.kind === 'present' ? state.object : undefined;
  const condition = entry.condition ?? '';
  const verdict = evaluateReadyWhen({ ...entry, condition }, object, { served: state.kind !== 'unserved' });
  return { ref, verdict, message: verdict.message };
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

async function readRelated(cluster: Cluster, queries: readonly RelatedQuery[]): Promise<readonly KubeObject[]> {
  const found = await Promise.all(queries.map((query) => readQuery(cluster, query)));
  return found.flat();
}

/** What may not be read explains nothing; the verdict stands without it. */
async function readQuery(cluster: Cluster, query: RelatedQuery): Promise<readonly KubeObject[]> {
  try {
    if (query.kind === 'selected') return (await cluster.list(query.selection)).items;
    const object = await cluster.read(query.ref);
    return object === undefined ? [] : [object];
  } catch (error) {
    if (isCode(error, 'ApiForbidden', 'KindNotServed')) return [];
    throw error;
  }
}

function reportOf(findings: readonly Finding[]): HealthReport {
  const notes = findings.filter(({ verdict }) => verdict.note !== undefined).map(describe);
  const failed = findings.filter(({ verdict }) => verdict.status === 'failed');
  const worst = failed.find(({ verdict }) => verdict.final === true) ?? failed[0];
  if (worst !== undefined) {
    return { status: 'failed', message: describe(worst), notes, final: worst.verdict.final === true };
  }
  const waiting = findings.find(({ verdict }) => verdict.status !== 'ready');
  if (waiting !== undefined) return { status: 'progressing', message: describe(waiting), notes };
  return { status: 'ready', message: 'every object is ready', notes };
}

function describe({ ref, message }: Finding): string {
  return `${nameOf(ref)}: ${message}`;
}
