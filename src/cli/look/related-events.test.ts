import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube.ts';
import { eventFilter, mergeEvents, readEvent } from './related-events.ts';

function about(kind: string, name: string, more: object = {}): KubeObject {
  const apiVersion = kind === 'Package' || kind === 'PackageRevision' ? 'kubepkg.dev/v1' : 'v1';
  const involvedObject = { apiVersion, kind, name, namespace: 'shop', ...more };
  return { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' }, type: 'Normal', involvedObject };
}

const items = [
  { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: 'shop' },
  { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', namespace: 'shop' },
  { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', namespace: 'shop' },
  { apiVersion: 'batch/v1', kind: 'Job', name: 'migrate', namespace: 'shop' },
  { apiVersion: 'batch/v1', kind: 'CronJob', name: 'backup', namespace: 'shop' },
];

describe('the events of a package', () => {
  const isAbout = eventFilter({ name: 'shop', revisions: ['shop-1'], items });

  it.each([
    ['Package', 'shop', {}],
    ['PackageRevision', 'shop-1', {}],
    ['Deployment', 'web', { apiVersion: 'apps/v1beta1' }],
    ['ReplicaSet', 'web-5d9f7c', {}],
    ['Pod', 'web-5d9f7c-x2x4k', {}],
    ['Pod', 'db-0', {}],
    ['Pod', 'agent-x2x4k', {}],
    ['Pod', 'migrate-x2x4k', {}],
    ['Job', 'backup-29000000', {}],
    ['Pod', 'backup-29000000-x2x4k', {}],
  ])('are those about %s %s', (kind, name, more) => {
    const apiVersion = kind === 'Deployment' ? { apiVersion: 'apps/v1' } : {};
    expect(isAbout(about(kind, name, { ...apiVersion, ...more }))).toBe(true);
  });

  it.each([
    ['Package', 'web', {}],
    ['PackageRevision', 'shop-11', {}],
    ['Pod', 'web-canary-5d9f7c-x2x4k', {}],
    ['Pod', 'website-5d9f7c-x2x4k', {}],
    ['Pod', 'db-backup', {}],
    ['Pod', 'web-5d9f7c-x2x4k', { namespace: 'other' }],
    ['Deployment', 'web', { apiVersion: 'apps/v1', namespace: 'other' }],
    ['Deployment', 'web', { apiVersion: 'example.org/v1' }],
  ])('are not those about %s %s', (kind, name, more) => {
    expect(isAbout(about(kind, name, more))).toBe(false);
  });

  it('are read in either form of the API', () => {
    const event = {
      ...about('Pod', 'web'),
      eventTime: '2030-01-01T00:00:00.000000Z',
      series: { count: 4, lastObservedTime: '2030-01-01T00:01:00Z' },
    };
    expect(readEvent({ ...event, note: 'said', reason: 'R' })).toMatchObject({
      message: 'said',
      count: 4,
      first: '2030-01-01T00:00:00.000000Z',
      last: '2030-01-01T00:01:00Z',
      about: 'Pod shop/web',
    });
  });

  it('are merged where they say the same, and stand where they were seen last', () => {
    const at = (time: string, message: string, count: number): ReturnType<typeof readEvent> =>
      readEvent({ ...about('Pod', 'web'), message, count, firstTimestamp: time, lastTimestamp: time });
    const merged = mergeEvents([
      at('2030-01-01T00:00:03Z', 'a', 2),
      at('2030-01-01T00:00:02Z', 'b', 1),
      at('2030-01-01T00:00:01Z', 'a', 1),
    ]);
    expect(merged.map(({ message, count, first }) => [message, count, first])).toEqual([
      ['b', 1, '2030-01-01T00:00:02Z'],
      ['a', 3, '2030-01-01T00:00:01Z'],
    ]);
  });

  it.each<[string, readonly (readonly [message: string, version: string, time: object])[]]>([
    [
      'by when they were written, within a second that is told no closer',
      [
        ['third', '1000', { lastTimestamp: '2030-01-01T00:00:01Z' }],
        ['second', '999', { eventTime: '2030-01-01T00:00:01.900000Z' }],
        ['first', '98', { lastTimestamp: '2030-01-01T00:00:01Z' }],
      ],
    ],
    [
      'by their times where all tell them',
      [
        ['third', '1', { eventTime: '2030-01-01T00:00:01.300000Z' }],
        ['first', '3', { eventTime: '2030-01-01T00:00:01.100000Z' }],
        [
          'second',
          '2',
          { eventTime: '2030-01-01T00:00:00.000000Z', series: { lastObservedTime: '2030-01-01T00:00:01.200000Z' } },
        ],
      ],
    ],
  ])('are in order %s', (_say, rows) => {
    const events = rows.map(([message, resourceVersion, time]) => {
      const event = about('Pod', 'web');
      return readEvent({ ...event, metadata: { ...event.metadata, resourceVersion }, message, ...time });
    });
    expect(mergeEvents(events).map(({ message }) => message)).toEqual(['first', 'second', 'third']);
  });
});
