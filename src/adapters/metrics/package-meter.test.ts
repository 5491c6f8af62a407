import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube.ts';
import { LABEL } from '../../api/names.ts';
import type { WatchEvent } from '../../ports/cluster.ts';
import type { Metrics, PackageSample } from '../../ports/metrics.ts';
import { PackageMeter } from './package-meter.ts';

const PACKAGES = { apiVersion: 'kubepkg.dev/v1', kind: 'Package' };
const REVISIONS = { apiVersion: 'kubepkg.dev/v1', kind: 'PackageRevision' };

function meter() {
  const told: unknown[] = [];
  const metrics: Metrics = {
    setPackage: (sample: PackageSample) => told.push(sample),
    removePackage: (name) => told.push(['gone', name]),
    countRevision: (...counted) => told.push(counted),
    observeTurn: () => undefined,
    page: () => Promise.reject(new Error('not asked')),
  };
  return { told, subject: new PackageMeter(metrics) };
}

function pkg(status: unknown): KubeObject {
  return { ...PACKAGES, metadata: { name: 'app' }, status };
}

function revision(number: number, phase?: string): KubeObject {
  const metadata = { name: `app-${String(number)}`, labels: { [LABEL.package]: 'app' } };
  return { ...REVISIONS, metadata, status: { phase } };
}

describe('measuring packages', () => {
  it.each<[string, unknown, object]>([
    ['without a status', undefined, { ready: false }],
    [
      'that is ready',
      { version: '1.0.0', currentRevision: 2, conditions: [{ type: 'Ready', status: 'True' }] },
      {
        ready: true,
        version: '1.0.0',
        revision: 2,
      },
    ],
    [
      'that is not',
      {
        conditions: [
          { type: 'Ready', status: 'False' },
          { type: 'Available', status: 'True' },
        ],
      },
      {
        ready: false,
      },
    ],
  ])('tells of one %s', (_what, status, sample) => {
    const { told, subject } = meter();
    subject.tap(PACKAGES)?.({ type: 'set', object: pkg(status) });
    expect(told).toEqual([{ name: 'app', version: undefined, revision: undefined, ...sample }]);
  });

  it('tells that one is gone', () => {
    const { told, subject } = meter();
    subject.tap(PACKAGES)?.({ type: 'gone', object: pkg({}) });
    expect(told).toEqual([['gone', 'app']]);
  });

  it.each([
    ['another kind', { apiVersion: 'kubepkg.dev/v1', kind: 'PackageSource' }],
    ['the same word of another group', { apiVersion: 'example.org/v1', kind: 'Package' }],
  ])('listens to no watch on %s', (_what, selection) => {
    expect(meter().subject.tap(selection)).toBeUndefined();
  });
});

describe('counting revisions', () => {
  const set = (object: KubeObject): WatchEvent => ({ type: 'set', object });
  const synced: WatchEvent = { type: 'synced' };

  it.each<[string, readonly WatchEvent[], readonly unknown[]]>([
    ['not what had ended before', [set(revision(1, 'Applied')), synced, set(revision(1, 'Applied'))], []],
    ['not what only goes on', [synced, set(revision(1)), set(revision(1, 'Applying'))], []],
    ['each end once', [synced, set(revision(1, 'Applied')), set(revision(1, 'Applied'))], [['app', 'applied']]],
    [
      'nor one that is superseded',
      [synced, set(revision(1, 'Applied')), set(revision(1, 'Superseded'))],
      [['app', 'applied']],
    ],
    [
      'a failure, and that it was rolled back',
      [synced, set(revision(2, 'Failed')), set(revision(2, 'RolledBack'))],
      [
        ['app', 'failed'],
        ['app', 'rolled_back'],
      ],
    ],
    [
      'what ended while the watch was down',
      [synced, set(revision(1, 'Applying')), synced, set(revision(1, 'Failed'))],
      [['app', 'failed']],
    ],
    [
      'a new one under the name of one that is gone',
      [
        synced,
        set(revision(1, 'Applied')),
        { type: 'gone', object: revision(1, 'Applied') },
        set(revision(1, 'Applied')),
      ],
      [
        ['app', 'applied'],
        ['app', 'applied'],
      ],
    ],
  ])('counts %s', (_what, events, counted) => {
    const { told, subject } = meter();
    const listen = subject.tap(REVISIONS);
    for (const event of events) listen?.(event);
    expect(told).toEqual(counted);
  });
});
