import { beforeEach, describe, expect, it } from 'vitest';
import { pod } from '../../test/build/readiness-objects.ts';
import { VirtualClock } from '../../test/fakes/clock.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { type ErrorCode, KubepkgError } from '../api/errors.ts';
import type { RelatedQuery } from '../domain/readiness/verdict.ts';
import { RelatedReader } from './related.ts';

const PODS: RelatedQuery = {
  kind: 'selected',
  purpose: 'cause',
  selection: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', labelSelector: 'app=web' },
};
const ONE: RelatedQuery = {
  kind: 'object',
  purpose: 'verdict',
  ref: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web' },
};

describe('what explains an object that is not ready', () => {
  let cluster: MemoryCluster;
  let clock: VirtualClock;
  let reader: RelatedReader;

  beforeEach(() => {
    cluster = new MemoryCluster();
    clock = new VirtualClock();
    reader = new RelatedReader(cluster, clock);
    cluster.put(pod());
  });

  async function names(...queries: readonly RelatedQuery[]): Promise<readonly string[]> {
    return (await reader.read(queries)).map(({ metadata }) => metadata.name);
  }

  it('is selected, or read by name; what is not there is left out', async () => {
    const absent: RelatedQuery = { ...ONE, ref: { ...ONE.ref, name: 'absent' } };
    const none: RelatedQuery = { ...PODS, selection: { ...PODS.selection, labelSelector: 'app=other' } };
    expect(await names(PODS, ONE, absent, none)).toEqual(['web', 'web']);
  });

  it('is read once a second at most, each query for itself', async () => {
    const none: RelatedQuery = { ...PODS, selection: { ...PODS.selection, labelSelector: 'app=other' } };
    expect([await names(PODS), await names(none)]).toEqual([['web'], []]);
    await clock.advance(999);
    expect([await names(PODS), await names(none)]).toEqual([['web'], []]);
    expect(cluster.requests).toHaveLength(2);
    await clock.advance(1);
    cluster.put(pod({ metadata: { name: 'young' } }));
    expect(await names(PODS)).toEqual(['web', 'young']);
  });

  it('F76 of an object that has ended is from after its end, and is read once for that', async () => {
    await names(PODS);
    cluster.put(pod({ metadata: { name: 'young' } }));
    const ended = async (): Promise<number> => (await reader.read([PODS], '7')).length;
    expect([await ended(), await ended()]).toEqual([2, 2]);
    expect(cluster.requests).toHaveLength(2);
  });

  it('that a verdict depends on is read every time', async () => {
    await names(ONE);
    cluster.remove(ONE.ref);
    expect(await names(ONE)).toEqual([]);
  });

  it.each<[ErrorCode]>([['ApiForbidden'], ['KindNotServed']])('that gives %s explains nothing', async (code) => {
    cluster.before = () => {
      throw new KubepkgError(code, 'no');
    };
    expect(await names(PODS, ONE)).toEqual([]);
  });

  it.each<[string, RelatedQuery, ErrorCode]>([
    ['that a verdict depends on, and cannot be read now,', ONE, 'ApiThrottled'],
    ['that can never be read', PODS, 'ApiInvalid'],
  ])('%s is an error', async (_say, query, code) => {
    cluster.before = () => {
      throw new KubepkgError(code, 'no');
    };
    await expect(reader.read([query])).rejects.toMatchObject({ code });
  });

  it('that only explains and cannot be read now is left out, and asked for again', async () => {
    cluster.before = () => {
      throw new KubepkgError('ApiThrottled', 'slow down');
    };
    expect(await names(PODS)).toEqual([]);
    cluster.before = () => undefined;
    await clock.advance(1000);
    expect(await names(PODS)).toEqual(['web']);
  });
});
