import { type KubeObject, nameOf, refOf } from '../../api/kube.ts';
import { asNumber, at, isRecord } from '../../lib/json.ts';
import { warningAbout } from './events.ts';
import { recordsOf, textOf } from './fields.ts';
import { isPodReady } from './pods.ts';
import { tidy } from './texts.ts';

/** What is kept of a failure; more would make the revision, or the Secret with the log lines, too large to be read. */
export const EVIDENCE_LIMITS = { findings: 20, pods: 5, containers: 10 } as const;

const STATUS_FIELDS = ['initContainerStatuses', 'containerStatuses'] as const;

interface Container {
  readonly name: string;
  readonly restarts: number;
  readonly isRunning: boolean;
  /** How it ended, now or the last time; undefined: it never did. */
  readonly ended: Readonly<Record<string, unknown>> | undefined;
}

/** The end of one container's log, as it is to be read. */
export interface WantedLog {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly previous: boolean;
}

/** Those that tell of a failure first, and of these the youngest. */
export function rankPods(pods: readonly KubeObject[]): readonly KubeObject[] {
  const order = (pod: KubeObject): string => `${pod.metadata.creationTimestamp ?? ''} ${pod.metadata.name}`;
  return [...pods].sort((a, b) => rankOf(a) - rankOf(b) || (order(a) < order(b) ? 1 : -1));
}

function rankOf(pod: KubeObject): number {
  const phase = textOf(pod, 'status', 'phase');
  // One that is well may have ended badly long ago.
  if (phase === 'Succeeded' || isPodReady(pod)) return 2;
  return phase === 'Failed' || containersOf(pod).some(hasFailed) ? 0 : 1;
}

/** `Pod shop/migrate-x: container migrate exited with code 3 (Error)`, one for each container that ended badly or was restarted; none of a pod that is ready. */
export function endsOf(pod: KubeObject): readonly string[] {
  if (isPodReady(pod)) return [];
  const telling = containersOf(pod).filter((container) => hasFailed(container) || container.restarts > 0);
  return telling.map((container) => `${nameOf(refOf(pod))}: container ${container.name} ${describeEnd(container)}`);
}

/** A termination message may be a piece of the log, so it is not repeated. */
function describeEnd({ ended, restarts }: Container): string {
  const reason = textOf(ended, 'reason');
  const named = reason === '' ? '' : ` (${reason})`;
  const end = ended === undefined ? [] : [`exited with code ${String(exitCode(ended))}${named}`];
  return [...end, ...(restarts === 0 ? [] : [`restarts: ${String(restarts)}`])].join(', ');
}

/** `Warning about Pod shop/web-0: FailedMount: …`, the newest of each reason. */
export function warningsAbout(object: KubeObject, related: readonly KubeObject[]): readonly string[] {
  const reasons = related.filter((item) => warningAbout(object, [item]) !== undefined).map((e) => textOf(e, 'reason'));
  return [...new Set(reasons)].sort().map((reason) => {
    const ofReason = related.filter((item) => textOf(item, 'reason') === reason);
    return `Warning about ${nameOf(refOf(object))}: ${reason}: ${warningAbout(object, ofReason) ?? ''}`;
  });
}

/** Which logs to read, in the order of `pods`: of each the containers that failed first, and the run before a restart too. */
export function wantedLogs(pods: readonly KubeObject[]): readonly WantedLog[] {
  const containers = pods.slice(0, EVIDENCE_LIMITS.pods).flatMap((pod) =>
    [...containersOf(pod)]
      .sort((a, b) => Number(hasFailed(b)) - Number(hasFailed(a)))
      .filter(({ isRunning, ended }) => isRunning || ended !== undefined)
      .map((container) => ({ pod, container })),
  );
  return containers.slice(0, EVIDENCE_LIMITS.containers).flatMap(({ pod, container }) => {
    const { name, namespace = '' } = pod.metadata;
    const wanted = { namespace, pod: name, container: container.name };
    const present = { ...wanted, previous: false };
    return container.restarts > 0 ? [present, { ...wanted, previous: true }] : [present];
  });
}

/** Fit for a status: short, each once, the first ones. */
export function trimFindings(findings: readonly string[]): string[] {
  const { findings: limit } = EVIDENCE_LIMITS;
  const distinct = [...new Set(findings.map((finding) => tidy(finding)))];
  if (distinct.length <= limit) return distinct;
  return [...distinct.slice(0, limit - 1), `${String(distinct.length - limit + 1)} more findings were left out`];
}

function containersOf(pod: KubeObject): readonly Container[] {
  return STATUS_FIELDS.flatMap((field) => recordsOf(pod, 'status', field)).map((entry) => ({
    name: textOf(entry, 'name'),
    restarts: asNumber(entry.restartCount) ?? 0,
    isRunning: at(entry, 'state', 'running') !== undefined,
    ended: endIn(entry, 'state') ?? endIn(entry, 'lastState'),
  }));
}

function endIn(entry: unknown, field: 'state' | 'lastState'): Readonly<Record<string, unknown>> | undefined {
  const terminated = at(entry, field, 'terminated');
  return isRecord(terminated) ? terminated : undefined;
}

function hasFailed({ ended }: Container): boolean {
  return ended !== undefined && exitCode(ended) !== 0;
}

function exitCode(ended: Readonly<Record<string, unknown>>): number {
  return asNumber(ended.exitCode) ?? 0;
}
