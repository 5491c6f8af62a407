import { describe, expect, it } from 'vitest';
import { rest, VirtualClock } from '../../../test/fakes/clock.ts';
import { MemoryCluster } from '../../../test/fakes/memory-cluster.ts';
import { RecordingLog } from '../../../test/fakes/recording-log.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { createEventRecorder } from './event-recorder.ts';

const PACKAGE: KubeObject = {
  apiVersion: 'kubepkg.dev/v1',
  kind: 'Package',
  metadata: { name: 'app', uid: 'u-1', resourceVersion: '7' },
};
const READY = { type: 'Normal', reason: 'ReconciliationSucceeded', message: 'all is well' } as const;

function trial(cluster = new MemoryCluster()) {
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
  const clock = new VirtualClock();
  const log = new RecordingLog();
  const recorder = createEventRecorder({ cluster, clock, log, instance: 'host_1' });
  const events = () => cluster.all('Event');
  return { cluster, clock, log, recorder, events };
}

describe('recording events', () => {
  it('writes an event on a cluster-scoped object into the namespace default', async () => {
    const { recorder, events } = trial();
    recorder.record(PACKAGE, READY);
    await rest();
    expect(events()).toHaveLength(1);
    expect(events()[0]).toMatchObject({
      metadata: { namespace: 'default', name: expect.stringMatching(/^app\.[0-9a-f]{16}$/) as string },
      involvedObject: { apiVersion: 'kubepkg.dev/v1', kind: 'Package', name: 'app', uid: 'u-1', resourceVersion: '7' },
      ...READY,
      source: { component: 'kubepkg' },
      reportingInstance: 'host_1',
      firstTimestamp: '2030-01-01T00:00:00Z',
      lastTimestamp: '2030-01-01T00:00:00Z',
      count: 1,
    });
  });

  it('writes an event on a namespaced object beside it', async () => {
    const { cluster, recorder, events } = trial();
    cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    recorder.record({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'shop' } }, READY);
    await rest();
    expect(events()[0]).toMatchObject({ metadata: { namespace: 'shop' }, involvedObject: { namespace: 'shop' } });
  });

  it('counts an equal event, with the time of the last one', async () => {
    const { clock, recorder, events } = trial();
    recorder.record(PACKAGE, READY);
    await clock.advance(60_000);
    for (let times = 0; times < 2; times += 1) recorder.record(PACKAGE, READY);
    await rest();
    expect(events()).toHaveLength(1);
    expect(events()[0]).toMatchObject({
      count: 3,
      firstTimestamp: '2030-01-01T00:00:00Z',
      lastTimestamp: '2030-01-01T00:01:00Z',
    });
  });

  it('counts on from what a former run wrote', async () => {
    const first = trial();
    first.recorder.record(PACKAGE, READY);
    await rest();
    const second = trial(first.cluster);
    second.recorder.record(PACKAGE, READY);
    second.recorder.record(PACKAGE, READY);
    await rest();
    expect(second.events()).toHaveLength(1);
    expect(second.events()[0]).toMatchObject({ count: 3 });
  });

  it.each([
    ['another message', PACKAGE, { ...READY, message: 'other' }],
    ['another reason', PACKAGE, { ...READY, reason: 'Other' }],
    ['another type', PACKAGE, { ...READY, type: 'Warning' as const }],
    ['another object of the same name', { ...PACKAGE, metadata: { ...PACKAGE.metadata, uid: 'u-2' } }, READY],
  ])('keeps apart what has %s', async (_what, about, event) => {
    const { recorder, events } = trial();
    recorder.record(PACKAGE, READY);
    recorder.record(about, event);
    await rest();
    expect(events()).toHaveLength(2);
  });

  it('writes an event anew that has expired meanwhile', async () => {
    const { cluster, recorder, events } = trial();
    recorder.record(PACKAGE, READY);
    await rest();
    cluster.remove({ apiVersion: 'v1', kind: 'Event', namespace: 'default', name: events()[0]?.metadata.name ?? '' });
    recorder.record(PACKAGE, READY);
    await rest();
    expect(events()[0]).toMatchObject({ count: 1 });
  });

  it('shows many events of one reason as one, with the last message', async () => {
    const { recorder, events } = trial();
    for (let number = 1; number <= 14; number += 1)
      recorder.record(PACKAGE, { ...READY, message: `part ${String(number)}` });
    await rest();
    expect(events()).toHaveLength(11);
    expect(events().at(-1)).toMatchObject({ message: '(combined from similar events): part 14', count: 4 });
  });

  it('shows them apart again after ten quiet minutes', async () => {
    const { clock, recorder, events } = trial();
    for (let number = 1; number <= 11; number += 1)
      recorder.record(PACKAGE, { ...READY, message: `part ${String(number)}` });
    await clock.advance(600_001);
    recorder.record(PACKAGE, { ...READY, message: 'later' });
    await rest();
    expect(events().at(-1)).toMatchObject({ message: 'later' });
  });

  it('shows them as one for as long as they keep coming', async () => {
    const { clock, recorder, events } = trial();
    for (let number = 1; number <= 12; number += 1) {
      recorder.record(PACKAGE, { ...READY, message: `part ${String(number)}` });
      await clock.advance(500_000);
    }
    expect(events().at(-1)).toMatchObject({ message: '(combined from similar events): part 12', count: 2 });
  });

  it('limits what one object can cause, and not what the others do', async () => {
    const { clock, cluster, recorder, events } = trial();
    const failed = { ...READY, type: 'Warning' as const };
    for (let times = 0; times < 200; times += 1) recorder.record(PACKAGE, failed);
    recorder.record({ ...PACKAGE, metadata: { name: 'other' } }, READY);
    await rest();
    expect(events().map((event) => event['count'])).toEqual([150, 1]);
    await clock.advance(30_000);
    for (let times = 0; times < 2; times += 1) recorder.record(PACKAGE, failed);
    await rest();
    expect(events()[0]).toMatchObject({ count: 151 });
    expect(cluster.writes()).toHaveLength(152);
    await clock.advance(86_400_000);
    for (let times = 0; times < 200; times += 1) recorder.record(PACKAGE, failed);
    await rest();
    expect(events()[0]).toMatchObject({ count: 301 });
  });

  it('keeps room for warnings, however much goes well', async () => {
    const { recorder, events } = trial();
    for (let times = 0; times < 200; times += 1) recorder.record(PACKAGE, READY);
    for (let times = 0; times < 30; times += 1) recorder.record(PACKAGE, { ...READY, type: 'Warning' });
    await rest();
    expect(events().map((event) => event['count'])).toEqual([125, 25]);
  });

  it('shows every step of an upgrade of ten components, and of its rollback', async () => {
    const { recorder, events } = trial();
    const told: string[] = [];
    for (const revision of [2, 3]) {
      for (const reason of ['ComponentSubmitted', 'ComponentReady', 'ComponentFailed', 'ComponentRemoved']) {
        for (let number = 1; number <= 10; number += 1) {
          const message = `revision ${String(revision)}: component c${String(number)}: ${reason}`;
          told.push(message);
          recorder.record(PACKAGE, { type: 'Normal', reason, message });
        }
      }
    }
    await rest();
    expect(told).toHaveLength(80);
    expect(events().map((event) => event['message'])).toEqual(expect.arrayContaining(told));
    expect(events().every((event) => event['count'] === 1)).toBe(true);
  });

  it('shows the components of a very large package as one when they get too many', async () => {
    const { recorder, events } = trial();
    for (let number = 1; number <= 63; number += 1)
      recorder.record(PACKAGE, { type: 'Normal', reason: 'ComponentReady', message: `c${String(number)}` });
    await rest();
    expect(events()).toHaveLength(61);
    expect(events().at(-1)).toMatchObject({ message: '(combined from similar events): c63', count: 3 });
  });

  it('cuts a message that is too long for the API server, between characters', async () => {
    const { recorder, events } = trial();
    recorder.record(PACKAGE, { ...READY, message: 'ä'.repeat(1000) });
    await rest();
    const message = String(events()[0]?.['message']);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024);
    expect(message).toMatch(/^ä{500,}…$/);
  });
});

describe('an API server that does not take events', () => {
  it('gets one again after a pause when the trouble passes', async () => {
    const { clock, cluster, recorder, events } = trial();
    let failures = 3;
    cluster.before = () => {
      if ((failures -= 1) >= 0) throw new KubepkgError('ApiUnreachable', 'no answer');
    };
    recorder.record(PACKAGE, READY);
    await rest();
    expect(events()).toEqual([]);
    await clock.advance(10_000);
    expect(events()).toHaveLength(1);
  });

  it.each([
    ['that does not pass', 'ApiUnreachable', 4],
    ['that cannot pass by itself', 'ApiForbidden', 1],
  ] as const)('costs a log entry with trouble %s, and no later event', async (_what, code, tries) => {
    const { clock, cluster, log, recorder, events } = trial();
    cluster.before = () => {
      throw new KubepkgError(code, 'no');
    };
    recorder.record(PACKAGE, READY);
    await clock.advance(60_000);
    expect(cluster.requests).toHaveLength(tries);
    expect(log.at('warn')).toHaveLength(1);
    cluster.before = () => undefined;
    recorder.record(PACKAGE, READY);
    await rest();
    expect(events()).toHaveLength(1);
  });

  it('refuses a repetition: said, and not written as a new one', async () => {
    const { cluster, log, recorder } = trial();
    recorder.record(PACKAGE, READY);
    await rest();
    cluster.before = () => {
      throw new KubepkgError('ApiForbidden', 'no');
    };
    recorder.record(PACKAGE, READY);
    await rest();
    expect(cluster.writes().map((line) => line.split(' ')[0])).toEqual(['create', 'merge-patch']);
    expect(log.at('warn')).toHaveLength(1);
  });

  it('lets only so many wait', async () => {
    const { cluster, log, recorder } = trial();
    cluster.before = () => new Promise(() => undefined);
    for (let number = 0; number < 1100; number += 1) {
      recorder.record({ ...PACKAGE, metadata: { name: `app-${String(number)}` } }, READY);
    }
    await rest();
    expect(log.at('debug')).toHaveLength(99);
  });
});
