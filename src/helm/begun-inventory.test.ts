import { describe, expect, it } from 'vitest';
import { releaseSecret, TARGET } from '../../test/build/helm-release.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { begunInventory } from './begun-inventory.ts';
import { decodeRecord, encodeRecord } from './record.ts';
import { ReleaseStore } from './release-store.ts';

const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop-ns', name: 'web' };
const JOB = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop-ns', name: 'migrate' };

function manifestOf(kind: string): string {
  const apiVersion = kind === 'Job' ? 'batch/v1' : 'v1';
  return `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: migrate\n`;
}

/** Of a release that was cut off, with a hook of that kind. */
function cutOff(kind: string, startedAt: string): ReleaseStore {
  const cluster = new MemoryCluster();
  const secret = releaseSecret({
    status: 'pending-install',
    manifest: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n',
  });
  const hooks = [{ name: 'migrate', manifest: manifestOf(kind), last_run: { started_at: startedAt } }];
  cluster.put(encodeRecord(secret, { ...decodeRecord(secret).raw, hooks }));
  return new ReleaseStore(cluster);
}

describe('P16 what a delivery that was cut off has begun', () => {
  it.each([
    ['a Job of a hook of the chart that helm has started', 'Job', '2026-01-01T00:00:00Z', [JOB]],
    ['a Pod of such a hook', 'Pod', '2026-01-01T00:00:00Z', [{ ...JOB, apiVersion: 'v1', kind: 'Pod' }]],
    ['nothing of a hook that only makes something', 'ConfigMap', '2026-01-01T00:00:00Z', []],
    ['nothing of a hook that was not started', 'Job', '0001-01-01T00:00:00Z', []],
  ])('has %s, which may be gone', async (_, kind, startedAt, started) => {
    const found = await begunInventory(TARGET, cutOff(kind, startedAt));
    expect(found).toEqual([CONFIG, ...started.map((ref) => ({ ...ref, mayVanish: true }))]);
  });

  it('is nothing where there is no record', async () => {
    expect(await begunInventory(TARGET, new ReleaseStore(new MemoryCluster()))).toEqual([]);
  });
});
