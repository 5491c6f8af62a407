import { describe, expect, it } from 'vitest';
import { OWN_LABELS, type RecordShape, releaseSecret, TARGET } from '../../test/build/helm-release.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { type LiveRelease, readLiveRelease } from './live-values.ts';

function read(...records: readonly RecordShape[]): Promise<LiveRelease | undefined> {
  const cluster = new MemoryCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: TARGET.namespace } });
  for (const record of records) cluster.put(releaseSecret(record));
  const { namespace, releaseName } = TARGET;
  return readLiveRelease(cluster, { package: 'shop', namespace, releaseName });
}

describe('a release that may be adopted', () => {
  it('is told by its chart, its owner and the values that its user gave', async () => {
    expect(await read({ labels: {}, config: { replicas: 2 } })).toEqual({
      revision: 1,
      status: 'deployed',
      chartName: 'web',
      chartVersion: '1.0.0',
      values: { replicas: 2 },
      owner: undefined,
    });
  });

  it.each<[string, readonly RecordShape[], Partial<LiveRelease> | undefined]>([
    ['there is none', [], undefined],
    [
      'it was uninstalled, and its history kept',
      [{ status: 'superseded' }, { revision: 2, status: 'uninstalled' }],
      undefined,
    ],
    [
      'an upgrade of it failed',
      [{ config: { a: 1 } }, { revision: 2, status: 'failed', config: { a: 2 } }],
      { revision: 1, values: { a: 1 } },
    ],
    ['its user gave nothing', [{ config: null }], { values: {} }],
    ['it is of the package that asks', [{ labels: OWN_LABELS }], { owner: 'shop' }],
    ['it is of another one', [{ labels: { ...OWN_LABELS, 'kubepkg.dev/package': 'db' } }], { owner: 'db' }],
  ])('%s', async (_say, records, expected) => {
    const found = await read(...records);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
  });
});
