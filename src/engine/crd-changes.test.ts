import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { isCode } from '../api/errors.ts';
import type { ObjectRef } from '../api/kube.ts';
import { CRD, CrdBook } from './crd-book.ts';
import { executeOnCrds } from './crds.ts';
import { Journal } from './journal.ts';

const NAME = 'widgets.example.org';
const REF: ObjectRef = { ...CRD, name: NAME };
const OURS = { 'kubepkg.dev/owned-by': 'shop' };
const CLAIM = { name: NAME, uid: 'uid-1' };
const ignore = (): undefined => undefined;

describe('what is done to a CRD', () => {
  let cluster: MemoryCluster;

  beforeEach(() => {
    cluster = new MemoryCluster();
  });

  function put(annotations: Readonly<Record<string, string>>, uid = 'uid-1'): void {
    cluster.put({ ...CRD, metadata: { name: NAME, uid, annotations: { ...annotations } } });
  }

  /** Its code when it fails. */
  async function run(action: Parameters<typeof executeOnCrds>[2]): Promise<string> {
    const journal = new Journal(cluster, { onPackage: ignore, onSource: ignore, onRevision: ignore });
    try {
      await executeOnCrds({ deps: { cluster }, journal, crds: new CrdBook(cluster, ignore) }, 'shop', action);
      return 'done';
    } catch (error) {
      if (isCode(error, 'ApiConflict')) return 'ApiConflict';
      throw error;
    }
  }

  const annotations = (): unknown => cluster.get(REF)?.metadata.annotations;

  it('I7 one that was not protected stays all the same when it is released', async () => {
    put(OURS);
    expect(await run({ kind: 'release-crds', crds: [CLAIM] })).toBe('done');
    expect(annotations()).toEqual({ 'helm.sh/resource-policy': 'keep' });
  });

  it('I6 one that another package has taken is not released', async () => {
    put({ 'kubepkg.dev/owned-by': 'rival' });
    expect(await run({ kind: 'release-crds', crds: [CLAIM] })).toBe('done');
    expect(annotations()).toEqual({ 'kubepkg.dev/owned-by': 'rival' });
  });

  it.each([
    ['claimed', { kind: 'claim-crds', crds: [CLAIM], keep: true }, {}],
    ['released', { kind: 'release-crds', crds: [CLAIM] }, OURS],
    ['deleted', { kind: 'delete-crd', crd: CLAIM }, OURS],
  ] as const)('I6 one that was made anew under the name is not %s', async (_what, action, marks) => {
    put(marks, 'uid-2');
    expect(await run(action)).toBe('done');
    expect(annotations()).toEqual(marks);
  });

  it('I6 one that somebody changes in the same moment is not marked over that', async () => {
    put({});
    cluster.before = ({ write }) => {
      if (write?.verb === 'merge-patch') put({ 'kubepkg.dev/owned-by': 'rival' });
    };
    expect(await run({ kind: 'claim-crds', crds: [CLAIM], keep: true })).toBe('ApiConflict');
    expect(annotations()).toEqual({ 'kubepkg.dev/owned-by': 'rival' });
  });
});
