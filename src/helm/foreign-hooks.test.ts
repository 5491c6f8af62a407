import { describe, expect, it } from 'vitest';
import { desiredRelease, releaseSecret, TARGET } from '../../test/build/helm-release.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import type { KubeObject, ObjectMeta, ObjectRef } from '../api/kube.ts';
import { isCode } from '../api/errors.ts';
import type { DesiredRelease } from '../ports/backend.ts';
import { refuseForeignHooks } from './foreign-hooks.ts';
import { HelmProgram } from './helm-program.ts';
import { decodeRecord, encodeRecord } from './record.ts';
import { ReleaseStore } from './release-store.ts';
import { SchemaCheck } from './schema-check.ts';

const JOB: ObjectRef = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'shop-ns', name: 'migrate' };
const HOOK = { 'helm.sh/hook': 'pre-upgrade' };
const GOING = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a.org/x'] };
const BY_HELM = [{ manager: 'helm', operation: 'Update' }];
const SIGNED = { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'shop-ns' };

/** A record that has the Job among its hooks. */
function recordWithHook(release: string): KubeObject {
  const secret = releaseSecret();
  const manifest = 'apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n';
  const { resourceVersion: _made, uid: _own, ...metadata } = secret.metadata;
  const { labels } = secret.metadata;
  const named = { ...secret, metadata: { ...metadata, name: `of-${release}`, labels: { ...labels, name: release } } };
  return encodeRecord(named, { ...decodeRecord(secret).raw, hooks: [{ name: 'migrate', manifest }] });
}

async function judge(cluster: MemoryCluster, release: DesiredRelease = desiredRelease()): Promise<string> {
  const store = new ReleaseStore(cluster);
  const runner = { run: () => Promise.reject(new Error('nothing is to be run')) };
  const program = new HelmProgram(runner, { binary: 'helm', environment: {} }, '/nowhere');
  const tools = { cluster, store, program, schemas: new SchemaCheck(), historyMax: 10 };
  try {
    await refuseForeignHooks([JOB], { release, heads: await store.heads(TARGET) }, tools);
    return 'goes on';
  } catch (error) {
    if (isCode(error, 'OwnershipConflict', 'ReleaseLocked')) return error.code;
    throw error;
  }
}

describe('P21 what has the name of a hook', () => {
  it.each<[string, Partial<ObjectMeta> | undefined, string | undefined, string]>([
    ['nothing', undefined, undefined, 'goes on'],
    ['a Job that somebody made by hand', {}, undefined, 'OwnershipConflict'],
    ['a Job that somebody made by hand, and that is going', GOING, undefined, 'ReleaseLocked'],
    ['a hook of another program', { annotations: HOOK }, undefined, 'OwnershipConflict'],
    ['an object of this very release', { annotations: SIGNED }, undefined, 'goes on'],
    ['a hook that a record of this release names', { annotations: HOOK }, TARGET.releaseName, 'goes on'],
    ['no hook, though a record names one', {}, TARGET.releaseName, 'OwnershipConflict'],
    ['a hook that helm left, of no release', { annotations: HOOK, managedFields: BY_HELM }, undefined, 'goes on'],
    ['a hook of another release', { annotations: HOOK, managedFields: BY_HELM }, 'other', 'OwnershipConflict'],
  ])('%s', async (_what, metadata, recordOf, expected) => {
    const cluster = new MemoryCluster();
    if (metadata !== undefined) {
      const { apiVersion, kind, ...place } = JOB;
      cluster.put({ apiVersion, kind, metadata: { ...place, ...metadata } });
    }
    if (recordOf !== undefined) cluster.put(recordWithHook(recordOf));
    expect(await judge(cluster)).toBe(expected);
  });
});
