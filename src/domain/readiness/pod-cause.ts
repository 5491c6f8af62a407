import type { KubeObject } from '../../api/kube.ts';
import { asNumber, at } from '../../lib/json.ts';
import { findCondition } from './conditions.ts';
import { warningAbout } from './events.ts';
import { recordsOf, textOf } from './fields.ts';
import { tidy } from './texts.ts';

interface Container {
  /** With its role. */
  readonly name: string;
  readonly image: string;
  readonly isReady: boolean;
  readonly isRunning: boolean;
  /** Reason that it waits, empty when it does not. */
  readonly waiting: string;
  readonly message: string;
  /** How it ended, now or the last time. */
  readonly ended: unknown;
  /** What its program left as its last words; nothing where the kubelet was told to take lines of its log for them. */
  readonly lastWords: string;
}

interface Role {
  readonly role: string;
  readonly specs: string;
  readonly statuses: string;
}

const INIT: Role = { role: 'init container', specs: 'initContainers', statuses: 'initContainerStatuses' };
const MAIN: Role = { role: 'container', specs: 'containers', statuses: 'containerStatuses' };

/** Reasons that say no more than that the kubelet has not come to this container yet. */
const STARTING: ReadonlySet<string> = new Set(['', 'ContainerCreating', 'PodInitializing']);
const PULL_REASONS: ReadonlySet<string> = new Set(['ErrImagePull', 'ImagePullBackOff']);
const CRASH_REASON = 'CrashLoopBackOff';
/** Reasons of an end that add nothing to its exit code. */
const PLAIN_ENDS: ReadonlySet<string> = new Set(['', 'Error', 'Completed']);

/** Why a pod is not ready, down to the container; undefined when it does not say. */
export function podCause(pod: KubeObject, related: readonly KubeObject[]): string | undefined {
  return unscheduled(pod) ?? evicted(pod) ?? containersCause(pod, related) ?? startingCause(pod, related);
}

function unscheduled(pod: KubeObject): string | undefined {
  const condition = findCondition(pod, 'PodScheduled', 'False');
  if (condition === undefined) return undefined;
  return joined(['not scheduled', condition.message || condition.reason]);
}

/** Init containers come first: the others wait for them. */
function containersCause(pod: KubeObject, related: readonly KubeObject[]): string | undefined {
  const pullWarning = (image: string): string | undefined => pullWarningOf(pod, related, image);
  const all = [INIT, MAIN].flatMap((role) => containersOf(pod, role));
  return all.map((container) => faultOf(container, pullWarning)).find((fault) => fault !== undefined);
}

function containersOf(pod: KubeObject, { role, specs, statuses }: Role): readonly Container[] {
  const fromLog = new Set(recordsOf(pod, 'spec', specs).flatMap((spec) => (tellsItsLog(spec) ? [spec.name] : [])));
  return recordsOf(pod, 'status', statuses).map((status) => {
    const ended = at(status, 'state', 'terminated') ?? at(status, 'lastState', 'terminated');
    return {
      name: `${role} ${textOf(status, 'name')}`,
      image: textOf(status, 'image'),
      isReady: status.ready === true,
      isRunning: at(status, 'state', 'running') !== undefined,
      waiting: textOf(status, 'state', 'waiting', 'reason'),
      message: textOf(status, 'state', 'waiting', 'message'),
      ended,
      lastWords: fromLog.has(status.name) ? '' : textOf(ended, 'message'),
    };
  });
}

/** I10: lines of a log belong into no status. */
function tellsItsLog(spec: Readonly<Record<string, unknown>>): boolean {
  return spec.terminationMessagePolicy === 'FallbackToLogsOnError';
}

function faultOf(container: Container, pullWarning: (image: string) => string | undefined): string | undefined {
  const { name, image, waiting, message } = container;
  if (container.isReady) return undefined;
  if (PULL_REASONS.has(waiting)) {
    const detail = pullWarning(image) ?? /ErrImagePull: (.*)$/s.exec(message)?.[1] ?? '';
    return joined([`${name} cannot pull image ${image}`, detail]);
  }
  if (waiting === CRASH_REASON || STARTING.has(waiting)) return crashOf(container);
  return joined([name, waiting, message]);
}

/** The two reasons of a failing pull take turns, and only one tells why; the event does all the time. */
function pullWarningOf(pod: KubeObject, related: readonly KubeObject[], image: string): string | undefined {
  const prefix = `Failed to pull image "${image}": `;
  const message = warningAbout(pod, related, (text) => text.startsWith(`Failed: ${prefix}`));
  return message?.slice(prefix.length);
}

/** The same text while it waits for its restart, runs again and has just ended, so that it does not change with each try. */
function crashOf({ name, ended, waiting, lastWords }: Container): string | undefined {
  const exitCode = asNumber(at(ended, 'exitCode'));
  if (exitCode === undefined) return waiting === CRASH_REASON ? `${name} crashes` : undefined;
  if (exitCode === 0 && waiting !== CRASH_REASON) return undefined;
  const reason = textOf(ended, 'reason');
  const named = PLAIN_ENDS.has(reason) ? '' : ` (${reason})`;
  return joined([`${name} last ended with exit code ${String(exitCode)}${named}`, lastWords]);
}

/** The whole pod was ended, by the kubelet or a controller: its containers only tell that they were killed. */
function evicted(pod: KubeObject): string | undefined {
  const reason = textOf(pod, 'status', 'reason');
  if (textOf(pod, 'status', 'phase') !== 'Failed' || reason === '') return undefined;
  return joined(['failed', reason, textOf(pod, 'status', 'message')]);
}

/** Nothing is wrong with a container: volumes and networks come before it starts, probes after. */
function startingCause(pod: KubeObject, related: readonly KubeObject[]): string | undefined {
  const main = containersOf(pod, MAIN);
  const init = containersOf(pod, INIT);
  const running = [...init, ...main].find((container) => container.isRunning && !container.isReady);
  if (running === undefined) return tidied(warningAbout(pod, related));
  if (init.includes(running)) return `${running.name} has not ended yet`;
  const probe = warningAbout(pod, related, (text) => text.startsWith('Unhealthy: '));
  return joined([`${running.name} runs and is not ready`, probe ?? '']);
}

function tidied(text: string | undefined): string | undefined {
  return text === undefined ? undefined : tidy(text);
}

function joined(parts: readonly string[]): string {
  return tidy(parts.filter((part) => part !== '').join(': '));
}
