import { asKubepkgError, describeError, isCode, KubepkgError } from '../api/errors.ts';
import { type KubeObject, nameOf, type ObjectRef, refKey, refOf } from '../api/kube.ts';
import { API_VERSION, LABEL } from '../api/names.ts';
import type { Evidence, PackageRevision, RevisionComponent } from '../api/package-revision.ts';
import { assess, hasReadiness, relatedTo } from '../domain/readiness/assess.ts';
import {
  endsOf,
  rankPods,
  trimFindings,
  type WantedLog,
  wantedLogs,
  warningsAbout,
} from '../domain/readiness/evidence.ts';
import { explain } from '../domain/readiness/explain.ts';
import { resolveReadinessOptions } from '../domain/readiness/options.ts';
import { evaluateReadyWhen } from '../domain/readiness/ready-when.ts';
import { progressing, type RelatedQuery } from '../domain/readiness/verdict.ts';
import { evidenceSecretName } from '../domain/release/evidence.ts';
import { sha256 } from '../lib/digest.ts';
import { stableJson } from '../lib/stable-json.ts';
import type { Backend, InventoryItem, ReleaseTarget } from '../ports/backend.ts';
import type { Cluster } from '../ports/cluster.ts';
import { ensureNamespace } from './namespaces.ts';

const TAIL_LINES = 50;
const LOG_BYTES = 16 * 1024;
/** The kubelet counts from the first of the last lines on, so that a lower limit would cut off the very last ones. */
const READ_BYTES = 8 * LOG_BYTES;
const ALL_LOGS_BYTES = 256 * 1024;
/** Objects of one release that are looked at. */
const MAX_OBJECTS = 200;
/** Longest key of a Secret, with room for a digest. */
const MAX_KEY = 230;

export interface EvidenceDeps {
  readonly cluster: Cluster;
  /** Namespace of the operator: the log lines are kept there. */
  readonly namespace: string;
}

export interface EvidenceRequest {
  readonly revision: PackageRevision;
  /** The component or hook that failed. */
  readonly component: RevisionComponent;
  readonly isHook: boolean;
  readonly target: ReleaseTarget;
  readonly backend: Pick<Backend, 'inventory'>;
  /** What is known already, and is kept first. */
  readonly findings?: readonly string[];
}

/** What could be read, and what could not. */
interface Scene {
  readonly objects: readonly KubeObject[];
  /** Pods and warnings. */
  readonly related: readonly KubeObject[];
  readonly findings: readonly string[];
  readonly troubles: readonly string[];
}

/**
 * Looks at a failed component before anything is undone: findings for the revision, and the last log lines of its pods
 * into a Secret beside the values, which goes with the revision. Log lines may hold secrets, so no finding has any.
 * What cannot be read is a finding too; it never throws, since a failure has to be recorded whatever is known of it.
 * Called again after a crash, it replaces the Secret.
 */
export async function collectEvidence(deps: EvidenceDeps, request: EvidenceRequest): Promise<Evidence> {
  const component = request.component.name;
  const given = request.findings ?? [];
  try {
    const scene = await look(deps, request);
    const pods = rankPods(podsIn(scene));
    const kept = await keepLogs(deps, request, pods);
    const warnings = [...scene.objects, ...pods].flatMap((object) => warningsAbout(object, scene.related));
    const findings = [
      ...given,
      ...scene.findings,
      ...[...scene.troubles, ...kept.troubles].sort(),
      ...pods.flatMap(endsOf),
      ...warnings,
    ];
    return { component, findings: trimFindings(findings), ...(kept.logs === undefined ? {} : { logs: kept.logs }) };
  } catch (thrown) {
    const text = `the evidence could not be collected: ${describeError(asKubepkgError(thrown))}`;
    return { component, findings: trimFindings([...given, text]) };
  }
}

async function look(deps: EvidenceDeps, request: EvidenceRequest): Promise<Scene> {
  const troubles: string[] = [];
  const { backend, target, component, isHook } = request;
  const inventory =
    (await attempt(troubles, 'its objects could not be read', () => backend.inventory(target, 'begun'))) ?? [];
  const wanted = inventory.filter((ref) => hasReadiness(ref));
  if (wanted.length > MAX_OBJECTS)
    troubles.push(`only the first ${String(MAX_OBJECTS)} of ${String(wanted.length)} objects were looked at`);
  const found = await readAll(deps.cluster, wanted.slice(0, MAX_OBJECTS), troubles);
  const objects = found.flatMap(({ object }) => object ?? []);
  const related = await readRelated(deps.cluster, objects, troubles);
  const options = resolveReadinessOptions(component.readiness ?? {}, { isHook });
  const context = { options, related, siblings: objects, served: () => undefined };
  const findings = found.flatMap(({ ref, object }) => {
    if (object === undefined) return ref.mayVanish === true && !isHook ? [] : [`${nameOf(ref)}: does not exist`];
    const verdict = assess(object, context);
    return verdict.status === 'ready' ? [] : [`${nameOf(ref)}: ${explain(object, verdict, related)}`];
  });
  return {
    objects,
    related,
    findings: [...findings, ...(await judgeAwaited(deps.cluster, component, troubles))],
    troubles,
  };
}

function podsIn({ objects, related }: Scene): readonly KubeObject[] {
  const pods = [...objects, ...related].filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Pod');
  return [...new Map(pods.map((pod) => [refKey(refOf(pod)), pod])).values()];
}

interface Found {
  readonly ref: InventoryItem;
  readonly object: KubeObject | undefined;
}

/** Those that could be asked for. */
async function readAll(
  cluster: Cluster,
  refs: readonly InventoryItem[],
  troubles: string[],
): Promise<readonly Found[]> {
  const read = refs.map((ref) =>
    attempt(
      troubles,
      `${nameOf(ref)} could not be read`,
      async (): Promise<Found> => ({ ref, object: await cluster.read(ref) }),
    ),
  );
  return (await Promise.all(read)).flatMap((found) => found ?? []);
}

/** Of ready objects too: the pods of a controller that is well may say why something else is not. */
async function readRelated(
  cluster: Cluster,
  objects: readonly KubeObject[],
  troubles: string[],
): Promise<readonly KubeObject[]> {
  const queries = new Map<string, RelatedQuery>();
  for (const object of objects) {
    for (const query of relatedTo(object, progressing('Failed', ''))) queries.set(stableJson(query), query);
  }
  const asked = [...queries.values()].map((query) => {
    const what = query.kind === 'object' ? nameOf(query.ref) : `what ${query.selection.kind} objects tell`;
    return attempt(troubles, `${what} could not be read`, () => ask(cluster, query));
  });
  return (await Promise.all(asked)).flatMap((found) => found ?? []);
}

async function ask(cluster: Cluster, query: RelatedQuery): Promise<readonly KubeObject[]> {
  if (query.kind === 'selected') return (await cluster.list(query.selection)).items;
  const object = await cluster.read(query.ref);
  return object === undefined ? [] : [object];
}

/** What the component waits for outside its release, or more closely than by its kind. */
async function judgeAwaited(
  cluster: Cluster,
  component: RevisionComponent,
  troubles: string[],
): Promise<readonly string[]> {
  const entries = (component.readyWhen ?? []).map(async (entry) => {
    const { apiVersion, kind, name } = entry;
    const served = await cluster.served(apiVersion, kind);
    const place = served?.namespaced === false ? {} : { namespace: entry.namespace ?? component.namespace };
    const ref: ObjectRef = { apiVersion, kind, name, ...place };
    const object = served === undefined ? undefined : await cluster.read(ref);
    const verdict = evaluateReadyWhen(entry, object, { served: served !== undefined });
    return verdict.status === 'ready' ? [] : [`${nameOf(ref)}: ${verdict.message}`];
  });
  const judged = entries.map((entry) => attempt(troubles, 'what readyWhen names could not be read', () => entry));
  return (await Promise.all(judged)).flatMap((found) => found ?? []);
}

interface Kept {
  readonly logs?: { readonly namespace: string; readonly name: string };
  readonly troubles: readonly string[];
}

async function keepLogs(deps: EvidenceDeps, request: EvidenceRequest, pods: readonly KubeObject[]): Promise<Kept> {
  const troubles: string[] = [];
  const texts = await Promise.all(
    wantedLogs(pods).map(async (wanted) => ({ wanted, text: await readLog(deps.cluster, wanted, troubles) })),
  );
  const data = logData(texts, request.component.namespace);
  if (Object.keys(data).length === 0) return { troubles };
  const secret = evidenceSecret(deps, request.revision, data);
  const saved = await attempt(troubles, 'the log lines could not be kept', () => save(deps, secret));
  const { namespace } = deps;
  return saved === undefined ? { troubles } : { logs: { namespace, name: secret.metadata.name }, troubles };
}

function readLog(cluster: Cluster, wanted: WantedLog, troubles: string[]): Promise<string | undefined> {
  const { previous, ...place } = wanted;
  const request = { ...place, tailLines: TAIL_LINES, limitBytes: READ_BYTES, ...(previous ? { previous } : {}) };
  return attempt(troubles, `the log of container ${wanted.container} could not be read`, () => cluster.logs(request));
}

interface LogText {
  readonly wanted: WantedLog;
  readonly text: string | undefined;
}

/** In the order of the logs, as long as there is room; the run before the present one only when it says something else. */
function logData(texts: readonly LogText[], home: string): Readonly<Record<string, string>> {
  const data: Record<string, string> = {};
  let room = ALL_LOGS_BYTES;
  let former = '';
  for (const { wanted, text = '' } of texts) {
    const bytes = endOf(Buffer.from(text), Math.min(LOG_BYTES, room));
    const repeated = wanted.previous && text === former;
    former = text;
    if (bytes.length === 0 || repeated) continue;
    room -= bytes.length;
    data[keyOf(wanted, home)] = bytes.toString('base64');
  }
  return data;
}

/** The last bytes, from the start of a line where there is one. */
function endOf(bytes: Buffer, limit: number): Buffer {
  if (bytes.length <= limit) return bytes;
  const end = bytes.subarray(bytes.length - limit);
  const newline = end.subarray(0, -1).indexOf('\n');
  return newline < 0 ? end : end.subarray(newline + 1);
}

/** `pod.container`, with the namespace where it is not the component's own. */
function keyOf({ namespace, pod, container, previous }: WantedLog, home: string): string {
  const parts = [...(namespace === home ? [] : [namespace]), pod, container, ...(previous ? ['previous'] : [])];
  const key = parts.join('.');
  return key.length <= MAX_KEY ? key : `${key.slice(0, MAX_KEY)}.${sha256(key).slice(0, 16)}`;
}

function evidenceSecret(
  { namespace }: EvidenceDeps,
  revision: PackageRevision,
  data: Readonly<Record<string, string>>,
): KubeObject {
  const { name, uid = '' } = revision.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: evidenceSecretName(name),
      namespace,
      labels: { [LABEL.package]: revision.spec.package },
      ownerReferences: [{ apiVersion: API_VERSION, kind: 'PackageRevision', name, uid }],
    },
    type: 'kubepkg.dev/evidence',
    data,
  };
}

async function save({ cluster, namespace }: EvidenceDeps, secret: KubeObject): Promise<KubeObject> {
  await ensureNamespace(cluster, namespace);
  try {
    return await cluster.write({ verb: 'create', object: secret });
  } catch (error) {
    if (!isCode(error, 'ApiAlreadyExists')) throw error;
    return replace(cluster, secret);
  }
}

/** Written before a crash, or left by a revision that no longer exists. */
async function replace(cluster: Cluster, secret: KubeObject): Promise<KubeObject> {
  const found = await cluster.read(refOf(secret), { metadataOnly: true });
  if (found === undefined) return cluster.write({ verb: 'create', object: secret });
  const { labels, resourceVersion = '' } = found.metadata;
  if (labels?.[LABEL.package] === undefined) {
    throw new KubepkgError('OwnershipConflict', 'a Secret of that name exists and was not made by kubepkg', {
      hint: `rename or remove ${nameOf(refOf(secret))}`,
    });
  }
  return cluster.write({ verb: 'replace', object: { ...secret, metadata: { ...secret.metadata, resourceVersion } } });
}

/** What fails is said among the findings, and the rest goes on. */
async function attempt<T>(troubles: string[], trouble: string, run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (thrown) {
    troubles.push(`${trouble}: ${describeError(asKubepkgError(thrown))}`);
    return undefined;
  }
}
