import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { SystemClock } from '../../../src/adapters/clock/system-clock.ts';
import { LeaderElector } from '../../../src/adapters/kube/leader-elector.ts';
import type { KubeClient } from '../../../src/adapters/kube/kube-client.ts';
import { RecordingLog } from '../../fakes/recording-log.ts';
import { BreakableProxy } from '../../conformance/breakable-proxy.ts';
import { WatchRecorder } from '../../conformance/watch-recorder.ts';
import { adminAccess, clientOf } from './clients.ts';

const NAMESPACE = 'kube-system';
const TIMES = { leaseMs: 3000, renewDeadlineMs: 2000, retryMs: 500 };

const admin = clientOf(adminAccess());

afterAll(() => {
  admin.close();
});

/** Tells when it leads and when it no longer does. */
class Contender {
  readonly elector: LeaderElector;
  readonly started: Promise<number>;
  readonly lost: Promise<number>;
  leads = false;

  constructor(client: KubeClient, name: string) {
    let onStarted: () => void = () => undefined;
    let onLost: () => void = () => undefined;
    this.started = new Promise((resolve) => {
      onStarted = () => {
        this.leads = true;
        resolve(performance.now());
      };
    });
    this.lost = new Promise((resolve) => {
      onLost = () => {
        this.leads = false;
        resolve(performance.now());
      };
    });
    const identity = randomUUID();
    this.elector = new LeaderElector({
      ...TIMES,
      cluster: client,
      clock: new SystemClock(),
      log: new RecordingLog(),
      namespace: NAMESPACE,
      name,
      identity,
      onStarted,
      onLost,
    });
    this.elector.start();
  }
}

function recorderOf(lease: string): WatchRecorder {
  const selection = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: NAMESPACE };
  return new WatchRecorder(admin, { ...selection, fieldSelector: `metadata.name=${lease}` });
}

function holderOf(recorder: WatchRecorder): string {
  const last = recorder.events.findLast((event) => event.type === 'set');
  const spec = last?.object['spec'] as { readonly holderIdentity?: string } | undefined;
  return spec?.holderIdentity ?? '';
}

describe('leader election on a real API server', () => {
  it('passes from a leader that is cut off to the next, with a gap in between', async () => {
    const lease = `cut-${randomUUID().slice(0, 8)}`;
    const access = adminAccess();
    const proxy = await BreakableProxy.start(Number(new URL(access.server).port));
    const lonely = clientOf({ ...access, server: `https://127.0.0.1:${String(proxy.port)}` });
    const first = new Contender(lonely, lease);
    await first.started;
    const second = new Contender(admin, lease);
    await proxy.close();
    const [lostAt, takenAt] = await Promise.all([first.lost, second.started]);
    expect(takenAt).toBeGreaterThan(lostAt);
    await second.elector.stop();
    await first.elector.stop();
    lonely.close();
  });

  it('passes at once from a leader that stops', async () => {
    const lease = `stop-${randomUUID().slice(0, 8)}`;
    const first = new Contender(admin, lease);
    await first.started;
    const second = new Contender(admin, lease);
    const stoppedAt = performance.now();
    await first.elector.stop();
    expect((await second.started) - stoppedAt).toBeLessThan(TIMES.leaseMs);
    await second.elector.stop();
  });

  it('excludes a program that uses client-go, and is excluded by it', async () => {
    const lease = `go-${randomUUID().slice(0, 8)}`;
    const recorder = recorderOf(lease);
    const heldByGo = (): Promise<void> => recorder.until(() => holderOf(recorder).includes('_'));
    const go = startScheduler(lease);
    await heldByGo();
    const contender = new Contender(admin, lease);
    await recorder.until((events) => events.length >= 6);
    expect(contender.leads).toBe(false);
    go.kill('SIGKILL');
    await contender.started;

    const next = startScheduler(lease);
    const renewals = recorder.events.length;
    await recorder.until((events) => events.length >= renewals + 6);
    expect(contender.leads).toBe(true);
    await contender.elector.stop();
    await heldByGo();
    next.kill('SIGKILL');
    recorder.stop();
  });
});

/** The scheduler of Kubernetes, which elects its leader with client-go. */
function startScheduler(lease: string): ChildProcess {
  const binary = inject('binaries')['kube-scheduler'] ?? '';
  const flags = {
    kubeconfig: inject('kubeconfig'),
    'secure-port': '0',
    'leader-elect': 'true',
    'leader-elect-resource-name': lease,
    'leader-elect-resource-namespace': NAMESPACE,
    'leader-elect-lease-duration': '3s',
    'leader-elect-renew-deadline': '2s',
    'leader-elect-retry-period': '500ms',
  };
  const args = Object.entries(flags).map(([key, value]) => `--${key}=${value}`);
  return spawn(binary, args, { stdio: 'ignore' });
}
