import { beforeEach, describe, expect, it } from 'vitest';
import { desiredRelease } from '../../test/build/helm-release.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { asKubepkgError } from '../api/errors.ts';
import type { KubeObject, ObjectMeta, ObjectRef } from '../api/kube.ts';
import type { DesiredRelease } from '../ports/backend.ts';
import { removeFormerJobs } from './former-jobs.ts';
import { belongsTo } from './ownership.ts';

const JOB: ObjectRef = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop-ns', name: 'migrate' };
const OTHER: ObjectRef = { ...JOB, name: 'other' };
const CONFIG: ObjectRef = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop-ns', name: 'migrate' };
const SINCE = Date.parse('2026-01-01T01:00:00.600Z');
const BEFORE = '2026-01-01T00:59:59Z';
const COMPLETE = { status: { conditions: [{ type: 'Complete', status: 'True' }] } };
const FAILED = { status: { conditions: [{ type: 'Failed', status: 'True' }] } };
const RUNNING = { status: { active: 1 } };
const SUSPENDED = { spec: { suspend: true } };
const OURS = { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'shop-ns' };
const HELD = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a.org/x'] };

describe('P16 before a hook is installed where no release is, a Job', () => {
  let cluster: MemoryCluster;

  beforeEach(() => {
    cluster = new MemoryCluster();
  });

  function put(ref: ObjectRef, parts: object, metadata: Partial<ObjectMeta> = {}): KubeObject {
    const { apiVersion, kind, ...place } = ref;
    const known = { ...place, annotations: OURS, creationTimestamp: BEFORE, ...metadata };
    cluster.now = () => Date.parse(known.creationTimestamp);
    return cluster.put({ apiVersion, kind, metadata: known, ...parts });
  }

  /** What stands against it for now. */
  async function judge(hookSince: DesiredRelease['hookSince'] = SINCE): Promise<string> {
    const run = { release: desiredRelease({ hookSince }), isOurs: belongsTo };
    try {
      await removeFormerJobs([CONFIG, JOB, OTHER], run, cluster);
      return 'nothing';
    } catch (error) {
      const { code, class: kind, message } = asKubepkgError(error);
      return `${kind} ${code}: ${message}`;
    }
  }

  it.each([
    ['has completed', COMPLETE],
    ['has failed', FAILED],
    ['was stopped', SUSPENDED],
  ])('of a former run that %s is removed by its UID, and then the hook runs', async (_, parts) => {
    const { uid } = put(JOB, parts).metadata;
    expect(await judge()).toContain(
      'transient ReleaseLocked: Job shop-ns/migrate is of a former run of this hook and is removed',
    );
    const [removal] = cluster.requests.flatMap(({ write }) => (write?.verb === 'delete' ? [write] : []));
    expect(removal).toMatchObject({ uid, propagation: 'Foreground' });
    expect(await judge()).toBe('nothing');
  });

  it('of a former run that runs still is awaited, and not cut off', async () => {
    put(OTHER, COMPLETE);
    put(JOB, RUNNING);
    expect(await judge()).toContain('Job shop-ns/migrate is of a former run of this hook and has not ended');
    expect([cluster.get(JOB) !== undefined, cluster.get(OTHER)]).toEqual([true, undefined]);
  });

  it('of a former run that goes is awaited, and what holds it is said', async () => {
    put(JOB, COMPLETE, HELD);
    expect(await judge()).toContain('Job shop-ns/migrate is held by finalizer a.org/x since 2026-01-01T00:00:00Z');
    expect(cluster.writes()).toEqual([]);
  });

  it.each([
    ['runs', RUNNING, {}, 'has not ended'],
    ['goes', COMPLETE, HELD, 'is held by finalizer a.org/x'],
  ])(
    'of the second in which this run began is known for good by its first attempt: it %s',
    async (_, parts, metadata, said) => {
      put(JOB, parts, { creationTimestamp: '2026-01-01T01:00:00Z', ...metadata });
      expect(await judge('now')).toContain(said);
      expect(await judge(SINCE)).toContain(said);
    },
  );

  it.each<[string, object, Partial<ObjectMeta>, number | undefined]>([
    [
      'that this run has made, by clocks of whole seconds',
      COMPLETE,
      { creationTimestamp: '2026-01-01T01:00:00Z' },
      SINCE,
    ],
    ['P21 of somebody else', COMPLETE, { annotations: {} }, SINCE],
    ['of a component', COMPLETE, {}, undefined],
  ])('%s is left alone', async (_, parts, metadata, since) => {
    put(JOB, parts, metadata);
    const run = { release: desiredRelease({ hookSince: since }), isOurs: belongsTo };
    await removeFormerJobs([JOB], run, cluster);
    expect(cluster.writes()).toEqual([]);
  });

  it('alone is looked for, not what does not run', async () => {
    put(CONFIG, {});
    expect(await judge()).toBe('nothing');
  });
});
