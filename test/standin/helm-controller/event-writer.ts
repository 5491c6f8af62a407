import { isCode } from '../../../src/api/errors.ts';
import { type KubeObject, refOf } from '../../../src/api/kube.ts';
import { sha256 } from '../../../src/lib/digest.ts';
import { formatSeconds } from '../../../src/lib/time.ts';
import type { Cluster } from '../../../src/ports/cluster.ts';
import type { Clock } from '../../../src/ports/system.ts';

const LONGEST_MESSAGE = 1000;

export interface Event {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Events about HelmReleases: equal ones are counted up [08, 12]. The namespace may be gone; then so is the event. */
export class EventWriter {
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #counts = new Map<string, number>();

  constructor(cluster: Cluster, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
  }

  async write(about: KubeObject, event: Event): Promise<void> {
    const { namespace = 'default', name, uid = '' } = about.metadata;
    const key = sha256(`${uid}/${event.reason}/${event.message}`).slice(0, 16);
    const ref = { apiVersion: 'v1', kind: 'Event', namespace, name: `${name}.${key}` };
    const count = (this.#counts.get(`${namespace}/${ref.name}`) ?? 0) + 1;
    this.#counts.set(`${namespace}/${ref.name}`, count);
    const time = formatSeconds(this.#clock.now());
    try {
      if (count > 1) {
        await this.#cluster.write({ verb: 'merge-patch', ref, patch: { count, lastTimestamp: time } });
        return;
      }
      await this.#cluster.write({
        verb: 'create',
        object: {
          apiVersion: ref.apiVersion,
          kind: ref.kind,
          metadata: { namespace, name: ref.name },
          involvedObject: { ...refOf(about), uid },
          type: event.type,
          reason: event.reason,
          message: event.message.slice(0, LONGEST_MESSAGE),
          source: { component: 'helm-controller' },
          reportingComponent: 'helm-controller',
          reportingInstance: 'helm-controller',
          firstTimestamp: time,
          lastTimestamp: time,
          count,
        },
      });
    } catch (error) {
      if (!isCode(error, 'ApiNotFound', 'ApiAlreadyExists', 'NamespaceTerminating', 'ApiForbidden')) throw error;
    }
  }
}
