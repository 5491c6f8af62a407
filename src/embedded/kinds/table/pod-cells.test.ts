import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../../model/object.ts';
import { POD_CELLS } from './pod-cells.ts';

const NOW = Date.parse('2026-01-02T03:10:00Z');

const running = { ready: true, restartCount: 0, state: { running: {} } };
const waiting = (reason: string): JsonMap => ({ ready: false, restartCount: 0, state: { waiting: { reason } } });
const ended = (terminated: JsonMap): JsonMap => ({ ready: false, restartCount: 0, state: { terminated } });
const crashed = {
  restartCount: 3,
  state: { waiting: { reason: 'CrashLoopBackOff' } },
  lastState: { terminated: { finishedAt: '2026-01-02T03:08:00Z' } },
};

interface Given {
  readonly phase: string;
  readonly containers?: readonly JsonMap[];
  readonly inits?: readonly JsonMap[];
  readonly status?: JsonMap;
  readonly metadata?: JsonMap;
}

function pod({ phase, containers = [], inits = [], status = {}, metadata = {} }: Given): JsonMap {
  const named = (statuses: readonly JsonMap[], prefix: string) =>
    statuses.map((one, index) => ({ ...one, name: `${prefix}${String(index)}` }));
  const specs = (statuses: readonly JsonMap[], prefix: string) =>
    named(statuses, prefix).map(({ name, ...one }) => ({
      name,
      ...((one as JsonMap)['sidecar'] === true ? { restartPolicy: 'Always' } : {}),
    }));
  return {
    metadata,
    spec: { containers: specs(containers, 'c'), initContainers: specs(inits, 'i') },
    status: {
      phase,
      containerStatuses: named(containers, 'c'),
      initContainerStatuses: named(inits, 'i'),
      ...status,
    },
  };
}

const READY = { conditions: [{ type: 'Ready', status: 'True' }] };
const SUCCESS = { exitCode: 0, reason: 'Completed' };

describe('a pod in a table', () => {
  it.each<[string, string, string, string, Given]>([
    ['runs', '1/1', 'Running', '0', { phase: 'Running', containers: [running] }],
    ['waits', '0/1', 'ContainerCreating', '0', { phase: 'Pending', containers: [waiting('ContainerCreating')] }],
    ['crashes', '1/2', 'CrashLoopBackOff', '3 (2m ago)', { phase: 'Running', containers: [running, crashed] }],
    ['cannot be scheduled', '0/0', 'Pending', '0', { phase: 'Pending' }],
    ['has ended', '0/1', 'Completed', '0', { phase: 'Succeeded', containers: [ended(SUCCESS)] }],
    ['has failed', '0/1', 'Error', '0', { phase: 'Failed', containers: [ended({ exitCode: 1, reason: 'Error' })] }],
    [
      'has failed without a reason',
      '0/1',
      'ExitCode:7',
      '0',
      { phase: 'Failed', containers: [ended({ exitCode: 7 })] },
    ],
    ['was killed', '0/1', 'Signal:9', '0', { phase: 'Failed', containers: [ended({ exitCode: 137, signal: 9 })] }],
    ['was evicted', '0/1', 'Evicted', '0', { phase: 'Failed', containers: [{}], status: { reason: 'Evicted' } }],
    [
      'is half done and ready',
      '1/2',
      'Running',
      '0',
      { phase: 'Running', containers: [running, ended(SUCCESS)], status: READY },
    ],
    ['is half done', '1/2', 'NotReady', '0', { phase: 'Running', containers: [running, ended(SUCCESS)] }],
    [
      'begins',
      '0/1',
      'Init:0/1',
      '0',
      { phase: 'Pending', inits: [{ state: { running: {} } }], containers: [waiting('')] },
    ],
    [
      'cannot begin',
      '0/1',
      'Init:ErrImagePull',
      '0',
      { phase: 'Pending', inits: [waiting('ErrImagePull')], containers: [waiting('PodInitializing')] },
    ],
    [
      'fails to begin',
      '0/1',
      'Init:Error',
      '0',
      { phase: 'Pending', inits: [ended({ exitCode: 1, reason: 'Error' })], containers: [{}] },
    ],
    [
      'has a sidecar',
      '2/2',
      'Running',
      '1',
      {
        phase: 'Running',
        inits: [{ ...running, sidecar: true, started: true, restartCount: 1 }],
        containers: [running],
      },
    ],
    [
      'goes',
      '1/1',
      'Terminating',
      '0',
      { phase: 'Running', containers: [running], metadata: { deletionTimestamp: '2026-01-02T03:09:00Z' } },
    ],
    [
      'waits behind a gate',
      '0/0',
      'SchedulingGated',
      '0',
      {
        phase: 'Pending',
        status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
      },
    ],
  ])('that %s is %s, %s, %s', (_, ready, status, restarts, given) => {
    const object = pod(given);
    const cells = ['Ready', 'Status', 'Restarts'].map((name) => POD_CELLS[name]?.(object, NOW));
    expect(cells).toEqual([ready, status, restarts]);
  });
});
