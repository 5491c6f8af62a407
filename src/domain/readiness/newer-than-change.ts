import type { KubeObject } from '../../api/kube.ts';
import { parseTime } from '../../lib/time.ts';

/** After a status write, this much quiet makes it the controller's last word on the change. */
const QUIET_MS = 5000;
/** Without any status write, the controller has had this long to say something else. */
const SILENCE_MS = 30_000;

export interface Change {
  /** When the delivery began that may have changed the object. */
  readonly startedAt: number;
  /** When the delivery was seen to be complete. */
  readonly since: number;
  readonly now: number;
}

/**
 * For an object that says nowhere which generation its status is about: when what it says can be taken for newer than
 * the change (milliseconds since the epoch). Kubernetes keeps these times in whole seconds, so a doubt goes against it.
 */
export function credibleAt(object: KubeObject, transition: string | undefined, change: Change): number {
  const { startedAt, since } = change;
  const created = parseTime(object.metadata.creationTimestamp ?? '');
  if (created >= wholeSeconds(startedAt)) return since;
  if (transition !== undefined && parseTime(transition) >= since) return since;
  const written = lastStatusWrite(object);
  return written !== undefined && written >= wholeSeconds(since) ? written + QUIET_MS : since + SILENCE_MS;
}

function lastStatusWrite({ metadata }: KubeObject): number | undefined {
  const times = (metadata.managedFields ?? [])
    .filter(({ subresource }) => subresource === 'status')
    .map(({ time }) => parseTime(time ?? ''))
    .filter((time) => Number.isFinite(time));
  return times.length === 0 ? undefined : Math.max(...times);
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
