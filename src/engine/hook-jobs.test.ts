import { beforeEach, describe, expect, it } from 'vitest';
import { condition, deployment, job } from '../../test/build/readiness-objects.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { type ErrorCode, KubepkgError } from '../api/errors.ts';
import { type KubeObject, refOf } from '../api/kube.ts';
import { ANNOTATION } from '../api/names.ts';
import type { InventoryItem } from '../ports/backend.ts';
import { findHookJobs, haltJobs } from './hook-jobs.ts';

const WHY = 'DeadlineExceeded';
const JOB: InventoryItem = refOf(job());
const SHORT: InventoryItem = { ...JOB, name: 'short', mayVanish: true };
const POD = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web' } as const;
const WEB: InventoryItem = refOf(deployment());
const ended = (type: string): KubeObject => job({}, { conditions: [condition(type, 'True')] });

describe('the Jobs of a hook', () => {
  let cluster: MemoryCluster;

  beforeEach(() => {
    cluster = new MemoryCluster();
  });

  it.each<[string, readonly InventoryItem[], readonly KubeObject[], string]>([
    ['that has no objects', [], [], 'never'],
    ['that has no Job', [WEB], [deployment()], 'never'],
    ['of which none is there', [JOB, WEB], [deployment()], 'never'],
    ['of which one is there', [SHORT, JOB], [job()], 'some'],
    ['of which one has ended and is there', [JOB], [ended('Complete')], 'some'],
    ['of which one may have removed itself', [JOB, SHORT], [], 'unknown'],
    ['of which a Pod of the chart’s own hooks may have run and be gone', [{ ...POD, mayVanish: true }], [], 'unknown'],
    ['of which a Pod of the chart’s own hooks is there', [{ ...POD, mayVanish: true }], [{ ...job(), ...POD }], 'some'],
    ['that has a Pod which runs for ever', [POD], [{ ...job(), ...POD }], 'never'],
  ])('P16 %s', async (_say, items, objects, found) => {
    for (const object of objects) cluster.put(object);
    expect(await findHookJobs(cluster, items)).toBe(found);
  });

  it('cannot exist where the kind is not served; what may not be read is an error', async () => {
    const old = { ...JOB, apiVersion: 'batch/v0' };
    expect(await findHookJobs(cluster, [old])).toBe('never');
    await haltJobs(cluster, [old], WHY);
    cluster.before = () => {
      throw new KubepkgError('ApiForbidden', 'cannot get jobs');
    };
    await expect(findHookJobs(cluster, [JOB])).rejects.toMatchObject({ code: 'ApiForbidden' });
    await expect(haltJobs(cluster, [JOB], WHY)).rejects.toMatchObject({ code: 'ApiForbidden' });
  });

  it('that run are suspended, once, with a note why', async () => {
    cluster.put(job());
    cluster.put(deployment());
    await haltJobs(cluster, [JOB, SHORT, WEB], WHY);
    await haltJobs(cluster, [JOB, SHORT, WEB], WHY);
    const metadata = { annotations: { [ANNOTATION.stoppedFor]: WHY } };
    expect(cluster.get(JOB)).toMatchObject({ metadata, spec: { suspend: true, completions: 1 } });
    expect(cluster.writes()).toEqual(['merge-patch Job shop/web']);
  });

  it.each(['Complete', 'Failed', 'FailureTarget'])('that are %s are left alone', async (type) => {
    cluster.put(ended(type));
    await haltJobs(cluster, [JOB], WHY);
    expect(cluster.writes()).toEqual([]);
  });

  it.each<[ErrorCode]>([['ApiNotFound'], ['ApiConflict']])('that went meanwhile are no error: %s', async (code) => {
    cluster.put(job());
    cluster.before = ({ verb }) => {
      if (verb === 'merge-patch') throw new KubepkgError(code, 'it is gone');
    };
    await haltJobs(cluster, [JOB], WHY);
  });

  it('I6 another one that takes its name meanwhile is left alone', async () => {
    const { uid } = cluster.put(job()).metadata;
    const patches: unknown[] = [];
    cluster.before = ({ write }) => {
      if (write?.verb === 'merge-patch') patches.push(write.patch);
    };
    await haltJobs(cluster, [JOB], WHY);
    expect(uid).toBeDefined();
    // By its UID, which the API server compares.
    expect(patches).toMatchObject([{ metadata: { uid }, spec: { suspend: true } }]);
  });

  it('that cannot be suspended are an error', async () => {
    cluster.put(job());
    cluster.before = ({ verb }) => {
      if (verb === 'merge-patch') throw new KubepkgError('ApiForbidden', 'cannot patch jobs');
    };
    await expect(haltJobs(cluster, [JOB], WHY)).rejects.toMatchObject({ code: 'ApiForbidden' });
  });
});
