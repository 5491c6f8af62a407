import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube.ts';
import { credibleAt } from './newer-than-change.ts';

const T = Date.parse('2026-01-01T12:00:00Z');
const at = (seconds: number): string => new Date(T + seconds * 1000).toISOString().replace('.000Z', 'Z');
const CHANGE = { startedAt: T, since: T + 1000, now: T + 2000 };

function site(created: number, written?: number): KubeObject {
  const managedFields = written === undefined ? [] : [{ subresource: 'status', time: at(written) }];
  return {
    apiVersion: 'example.org/v1',
    kind: 'Site',
    metadata: { name: 'main', creationTimestamp: at(created), managedFields },
  };
}

describe('F18 R6 a status that names no generation counts', () => {
  it.each([
    { say: 'at once when the object was made by this delivery', object: site(0), seconds: 1 },
    { say: 'at once when its condition has changed since', object: site(-60), transition: at(2), seconds: 1 },
    {
      say: 'after 5 s of quiet when its status was written since',
      object: site(-60, 3),
      transition: at(-50),
      seconds: 8,
    },
    { say: 'after 30 s when nobody has written it', object: site(-60), transition: at(-50), seconds: 31 },
    { say: 'after 30 s when it was written before', object: site(-60, -1), transition: at(-50), seconds: 31 },
    { say: 'after 30 s when its condition changed before', object: site(-60), transition: at(0), seconds: 31 },
  ])('$say', ({ object, transition, seconds }) => {
    expect(credibleAt(object, transition, CHANGE)).toBe(T + seconds * 1000);
  });
});
