import type { KubeObject, ObjectRef } from '../../api/kube.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { hasReadiness } from '../../domain/readiness/assess.ts';
import { wantedLogs } from '../../domain/readiness/evidence.ts';
import { isPodReady, selectorOf } from '../../domain/readiness/pods.ts';
import { asArray, asString, at, isRecord } from '../../lib/json.ts';
import type { Member } from './package-scope.ts';
import { releaseQuery, type Sight } from './sight.ts';

/** One container's log. */
export interface LogSource {
  readonly component: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly previous: boolean;
}

export interface LogChoice {
  /** Only of pods that are not ready, the run before a restart too. */
  readonly failed: boolean;
  readonly previous: boolean;
}

/** Pods of one component, by what selects them. */
export interface PodSelection {
  readonly component: string;
  readonly pods: readonly ObjectRef[];
  readonly selectors: readonly { readonly namespace: string; readonly labelSelector: string }[];
}

/** What the pods of components are found by; asked once, as it stays while pods come and go. */
export async function podSelections(
  sight: Sight,
  revision: PackageRevision,
  members: readonly Member[],
): Promise<readonly PodSelection[]> {
  const found = members.map(async ({ component }) => {
    const { name } = component;
    const items = await sight.troubles.attempt(`what belongs to component ${name}`, () =>
      sight.releases.inventory(releaseQuery(revision, component)),
    );
    const workloads = (items ?? []).filter((item) => hasReadiness(item));
    const pods = workloads.filter(({ kind, apiVersion }) => kind === 'Pod' && apiVersion === 'v1');
    const objects = await Promise.all(
      workloads.filter(({ kind }) => SELECTING.includes(kind)).map((ref) => readWorkload(sight, ref)),
    );
    const selectors = objects.flat().flatMap((object) => {
      const labelSelector = selectorOf(object);
      const { namespace = '' } = object.metadata;
      return labelSelector === undefined ? [] : [{ namespace, labelSelector }];
    });
    return { component: name, pods, selectors };
  });
  return Promise.all(found);
}

const SELECTING: readonly string[] = [
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'ReplicaSet',
  'ReplicationController',
  'Job',
];

async function readWorkload({ cluster, troubles }: Sight, ref: ObjectRef): Promise<readonly KubeObject[]> {
  const object = await troubles.attempt(`${ref.kind} ${ref.name}`, async () => ({ found: await cluster.read(ref) }));
  return object?.found === undefined ? [] : [object.found];
}

/** The containers that there are now. */
export async function logSources(
  sight: Sight,
  selections: readonly PodSelection[],
  choice: LogChoice,
): Promise<readonly LogSource[]> {
  const sources = selections.map(async (selection) => {
    const pods = await podsIn(sight, selection);
    const chosen = choice.failed ? pods.filter(isTroubled) : pods;
    return sourcesOf(chosen, choice).map((source) => ({ component: selection.component, ...source }));
  });
  return (await Promise.all(sources)).flat();
}

async function podsIn(sight: Sight, { pods, selectors }: PodSelection): Promise<readonly KubeObject[]> {
  const single = await Promise.all(pods.map((ref) => readWorkload(sight, ref)));
  const selected = await Promise.all(
    selectors.map(({ namespace, labelSelector }) =>
      sight.troubles.attempt(
        `the pods of namespace ${namespace}`,
        async () => (await sight.cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace, labelSelector })).items,
      ),
    ),
  );
  const all = [...single.flat(), ...selected.flatMap((items) => items ?? [])];
  const distinct = new Map(all.map((pod) => [`${pod.metadata.namespace ?? ''}/${pod.metadata.name}`, pod]));
  return [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pod]) => pod);
}

function isTroubled(pod: KubeObject): boolean {
  return !isPodReady(pod) && asString(at(pod, 'status', 'phase')) !== 'Succeeded';
}

function sourcesOf(
  pods: readonly KubeObject[],
  { failed, previous }: LogChoice,
): readonly Omit<LogSource, 'component'>[] {
  if (failed) return wantedLogs(pods).filter((wanted) => !previous || wanted.previous);
  return pods.flatMap((pod) =>
    containerNames(pod).map((container) => {
      const { name, namespace = '' } = pod.metadata;
      return { namespace, pod: name, container, previous };
    }),
  );
}

function containerNames(pod: KubeObject): readonly string[] {
  const fields = ['initContainers', 'containers'] as const;
  return fields.flatMap((field) => asArray(at(pod, 'spec', field)).flatMap((one) => asString(at(one, 'name')) ?? []));
}

/** Lines that the operator kept of a failure, by `pod.container`. */
export interface KeptLog {
  readonly component: string;
  readonly key: string;
  readonly lines: readonly string[];
}

/** What was kept when a revision failed, whatever has become of its pods. */
export async function keptLogs(
  { cluster, troubles }: Sight,
  revision: PackageRevision,
  members: readonly Member[],
): Promise<readonly KeptLog[]> {
  const { evidence } = revision.status ?? {};
  if (evidence?.logs === undefined) return [];
  if (!members.some(({ component }) => component.name === evidence.component)) return [];
  const ref = { apiVersion: 'v1', kind: 'Secret', ...evidence.logs };
  const secret = await troubles.attempt(`the log lines that were kept of ${evidence.component}`, () =>
    cluster.read(ref),
  );
  const data = at(secret, 'data');
  return Object.entries(isRecord(data) ? data : {}).map(([key, encoded]) => ({
    component: evidence.component,
    key,
    lines: linesOf(Buffer.from(asString(encoded) ?? '', 'base64').toString()),
  }));
}

export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** What a log has more than when it was read before; the oldest lines may have left it meanwhile. */
export function newLines(before: readonly string[], now: readonly string[]): readonly string[] {
  for (let shared = Math.min(before.length, now.length); shared > 0; shared -= 1) {
    const offset = before.length - shared;
    if (now.slice(0, shared).every((line, index) => line === before[offset + index])) return now.slice(shared);
  }
  return now;
}
