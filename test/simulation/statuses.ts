import type { KubeObject } from '../../src/api/kube.ts';
import { formatSeconds } from '../../src/lib/time.ts';
import type { Health, Script } from './universe.ts';

interface Moment {
  readonly now: number;
  readonly health: Health;
}

const WORDS: Readonly<Record<Health, 'True' | 'False' | 'Unknown'>> = {
  ready: 'True',
  progressing: 'False',
  failed: 'False',
  unknown: 'Unknown',
};

export function deploymentStatus({ metadata }: KubeObject, { health }: Moment): unknown {
  const available = health === 'ready' ? 1 : 0;
  const progress =
    health === 'failed'
      ? { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'it crashes' }
      : {
          type: 'Progressing',
          status: 'True',
          reason: available === 1 ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
        };
  return {
    observedGeneration: metadata.generation,
    replicas: 1,
    updatedReplicas: 1,
    readyReplicas: available,
    availableReplicas: available,
    conditions: [{ type: 'Available', status: WORDS[health], reason: 'Counted', message: health }, progress],
  };
}

/** `none` names no generation at all. */
export function widgetStatus(object: KubeObject, { now, health }: Moment, mode: Script['generation']): unknown {
  const { generation } = object.metadata;
  const condition = { type: 'Available', status: WORDS[health], reason: 'Judged', message: health };
  const dated = { ...condition, lastTransitionTime: formatSeconds(now) };
  if (mode === 'condition') return { conditions: [{ ...dated, observedGeneration: generation }] };
  if (mode === 'status') return { observedGeneration: generation, conditions: [dated] };
  if (mode === 'string') return { observedGeneration: String(generation), conditions: [dated] };
  return { conditions: [dated] };
}

export function jobStatus(state: 'running' | 'complete' | 'failed', now: number): unknown {
  const startTime = formatSeconds(now);
  if (state === 'running') return { active: 1, startTime };
  const type = state === 'complete' ? 'Complete' : 'Failed';
  const counts = state === 'complete' ? { succeeded: 1 } : { failed: 1 };
  return { ...counts, startTime, conditions: [{ type, status: 'True', reason: 'Ended', message: state }] };
}
