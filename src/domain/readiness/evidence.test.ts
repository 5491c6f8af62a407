import { describe, expect, it } from 'vitest';
import { pod, warning } from '../../../test/build/readiness-objects.ts';
import type { KubeObject } from '../../api/kube.ts';
import { endsOf, EVIDENCE_LIMITS, rankPods, trimFindings, wantedLogs, warningsAbout } from './evidence.ts';
import { podCause } from './pod-cause.ts';

interface ContainerParts {
  readonly name?: string;
  readonly restarts?: number;
  readonly state?: unknown;
  readonly lastState?: unknown;
}

const RUNNING = { running: { startedAt: '2026-01-01T00:00:00Z' } };
const CRASHED = { terminated: { exitCode: 3, reason: 'Error' } };
const WAITING = { waiting: { reason: 'CrashLoopBackOff' } };

function container({ name = 'app', restarts = 0, state = RUNNING, lastState }: ContainerParts = {}): unknown {
  return { name, ready: false, restartCount: restarts, state, ...(lastState === undefined ? {} : { lastState }) };
}

function aPod(name: string, containers: readonly unknown[], more: Readonly<Record<string, unknown>> = {}): KubeObject {
  return pod({ metadata: { name }, status: { phase: 'Running', containerStatuses: containers, ...more } });
}

describe('how containers ended', () => {
  it.each<[string, readonly unknown[], readonly string[]]>([
    ['a container that runs tells nothing', [container()], []],
    [
      'one that ended well tells nothing',
      [container({ state: { terminated: { exitCode: 0, reason: 'Completed' } } })],
      [],
    ],
    ['one that failed', [container({ state: CRASHED })], ['Pod shop/p: container app exited with code 3 (Error)']],
    [
      'one that is restarted again and again',
      [container({ restarts: 4, state: WAITING, lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } } })],
      ['Pod shop/p: container app exited with code 137 (OOMKilled), restarts: 4'],
    ],
    ['one whose end nobody knows any more', [container({ restarts: 1 })], ['Pod shop/p: container app restarts: 1']],
  ])('%s', (_say, containers, expected) => {
    expect(endsOf(aPod('p', containers))).toEqual(expected);
  });

  it('init containers come first', () => {
    const object = aPod('p', [container({ state: CRASHED })], {
      initContainerStatuses: [container({ name: 'wait', state: CRASHED })],
    });
    expect(endsOf(object).map((text) => text.split(' ')[3])).toEqual(['wait', 'app']);
  });

  it('a pod that is ready tells nothing of a restart that it had', () => {
    const past = container({ restarts: 1, lastState: CRASHED });
    const conditions = [{ type: 'Ready', status: 'True' }];
    expect([{ conditions }, {}].map((more) => endsOf(aPod('p', [past], more)).length)).toEqual([0, 1]);
  });

  it('I10 a termination message, which may be a piece of the log, is never told', () => {
    const state = { terminated: { exitCode: 1, reason: 'Error', message: 'password=hunter2' } };
    expect(endsOf(aPod('p', [container({ state })])).join()).not.toContain('hunter2');
  });
});

describe('I10 the message of a container that the kubelet fills from its log', () => {
  const said = { terminated: { exitCode: 1, message: 'password=hunter2' } };
  const withPolicy = (policy: string, field = 'containers'): KubeObject => {
    const parts = [container({ state: WAITING, lastState: said, restarts: 1 })];
    const pod = aPod(
      'p',
      field === 'containers' ? parts : [],
      field === 'containers' ? {} : { [`${field.slice(0, -1)}Statuses`]: parts },
    );
    return { ...pod, spec: { [field]: [{ name: 'app', terminationMessagePolicy: policy }] } };
  };

  it.each([
    ['containers', 'container'],
    ['initContainers', 'init container'],
  ])('is not repeated, of %s', (field, role) => {
    expect(podCause(withPolicy('FallbackToLogsOnError', field), [])).toBe(`${role} app last ended with exit code 1`);
  });

  it('is what the program itself wrote otherwise', () => {
    expect(podCause(withPolicy('File'), [])).toContain('password=hunter2');
  });
});

describe('the pods and logs that are looked at', () => {
  it('are those that failed first, then those that are not ready, and the youngest of each', () => {
    const young = { metadata: { creationTimestamp: '2026-01-02T00:00:00Z' } };
    const failed = aPod('b-failed', [container({ state: CRASHED })]);
    const younger = { ...failed, metadata: { ...failed.metadata, ...young.metadata, name: 'a-younger' } };
    const past = container({ restarts: 1, lastState: CRASHED });
    const ready = aPod('a-ready', [past], { conditions: [{ type: 'Ready', status: 'True' }] });
    const pending = aPod('a-pending', [], { phase: 'Pending' });
    const evicted = aPod('c-evicted', [], { phase: 'Failed' });
    const ranked = rankPods([ready, pending, failed, evicted, younger]).map(({ metadata }) => metadata.name);
    expect(ranked).toEqual(['a-younger', 'c-evicted', 'b-failed', 'a-pending', 'a-ready']);
  });

  it('are the failed containers first, with the run before a restart, and none that never ran', () => {
    const object = aPod('p', [
      container({ name: 'fine' }),
      container({ name: 'pulling', state: { waiting: { reason: 'ImagePullBackOff' } } }),
      container({ name: 'bad', restarts: 2, state: WAITING, lastState: CRASHED }),
    ]);
    expect(wantedLogs([object]).map(({ container: name, previous }) => [name, previous])).toEqual([
      ['bad', false],
      ['bad', true],
      ['fine', false],
    ]);
  });

  it('are bounded', () => {
    const wide = Array.from({ length: 3 }, (_, n) => container({ name: `c${String(n)}` }));
    const pods = Array.from({ length: 9 }, (_, n) => aPod(`p${String(n)}`, wide));
    const wanted = wantedLogs(pods);
    expect(wanted).toHaveLength(EVIDENCE_LIMITS.containers);
    const single = wantedLogs(pods.map((object) => ({ ...object, status: { containerStatuses: [container()] } })));
    expect(single).toHaveLength(EVIDENCE_LIMITS.pods);
  });
});

describe('warnings', () => {
  it('are told once for each reason, newest first, and only those about the object', () => {
    const object = pod({ metadata: { name: 'p' } });
    const other = pod({ metadata: { name: 'q' } });
    const related = [
      warning(object, 'Unhealthy', 'probe failed: 500', '2026-01-01T00:00:00Z'),
      warning(object, 'Unhealthy', 'probe failed: 503', '2026-01-01T00:01:00Z'),
      warning(object, 'BackOff', 'back-off', '2026-01-01T00:00:30Z'),
      warning(other, 'FailedMount', 'no volume', '2026-01-01T00:02:00Z'),
    ];
    expect(warningsAbout(object, related)).toEqual([
      'Warning about Pod shop/p: BackOff: back-off',
      'Warning about Pod shop/p: Unhealthy: probe failed: 503',
    ]);
  });
});

describe('findings', () => {
  it('are short, each told once, and as many as fit', () => {
    const many = Array.from({ length: 25 }, (_, n) => `${String(n)} ${'x'.repeat(400)}`);
    const trimmed = trimFindings([...many, ...many]);
    expect(trimmed).toHaveLength(EVIDENCE_LIMITS.findings);
    expect(Math.max(...trimmed.map(({ length }) => length))).toBe(300);
    expect(trimmed.at(-1)).toBe('6 more findings were left out');
    expect(trimFindings(['a', 'a', 'b'])).toEqual(['a', 'b']);
  });
});
