import { beforeEach, describe, expect, it } from 'vitest';
import { releaseSecret, TARGET } from '../../test/build/helm-release.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { type ObjectRef, refOf } from '../api/kube.ts';
import { HelmProgram } from './helm-program.ts';
import { prepareUninstall } from './prepare-uninstall.ts';
import { decodeRecord } from './record.ts';
import { ReleaseStore } from './release-store.ts';
import { SchemaCheck } from './schema-check.ts';

const SIGNED = { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'shop-ns' };
const PLACE = { apiVersion: 'v1', namespace: 'shop-ns' } as const;
const WEB: ObjectRef = { ...PLACE, kind: 'ConfigMap', name: 'web' };
const OLD: ObjectRef = { ...PLACE, kind: 'ConfigMap', name: 'old' };
const CLAIM: ObjectRef = { ...PLACE, kind: 'PersistentVolumeClaim', name: 'data' };

function manifestOf(...refs: readonly ObjectRef[]): string {
  return refs.map(({ kind, name }) => `---\napiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n`).join('');
}

describe('P20 before helm uninstalls a release', () => {
  let cluster: MemoryCluster;

  beforeEach(() => {
    cluster = new MemoryCluster();
    cluster.put(releaseSecret({ revision: 1, status: 'superseded', manifest: manifestOf(OLD, CLAIM) }));
    cluster.put(releaseSecret({ revision: 2, manifest: manifestOf(WEB) }));
  });

  function put({ apiVersion, kind, ...place }: ObjectRef, annotations: Readonly<Record<string, string>>): void {
    cluster.put({ apiVersion, kind, metadata: { ...place, annotations: { ...annotations } } });
  }

  /** Kinds and names in the newest record, which are all that helm will remove. */
  async function goes(keepData = false): Promise<readonly string[]> {
    const store = new ReleaseStore(cluster);
    const runner = { run: () => Promise.reject(new Error('nothing is to be run')) };
    const program = new HelmProgram(runner, { binary: 'helm', environment: {} }, '/nowhere');
    const tools = { cluster, store, program, schemas: new SchemaCheck(), historyMax: 10 };
    await prepareUninstall(TARGET, { heads: await store.heads(TARGET), keepData }, tools);
    const newest = cluster.all('Secret').find(({ metadata }) => metadata.labels?.['version'] === '2');
    const text = newest === undefined ? '' : decodeRecord(newest).manifest;
    return text
      .split('---')
      .filter((document) => document.trim() !== '' && !document.includes('"keep"'))
      .map((document) => /kind: (\S+)[\s\S]*?name"?: "?([\w-]+)/.exec(document)?.slice(1).join(' ') ?? document);
  }

  it('what an earlier revision left goes as well, and what is gone is not named', async () => {
    put(WEB, SIGNED);
    put(OLD, SIGNED);
    expect(await goes()).toEqual(['ConfigMap web', 'ConfigMap old']);
    cluster.remove(WEB);
    expect(await goes()).toEqual(['ConfigMap old']);
  });

  it('I7 data that an earlier revision left stays', async () => {
    for (const ref of [WEB, CLAIM]) put(ref, SIGNED);
    expect(await goes()).toEqual(['ConfigMap web']);
  });

  it('I6 what has passed to another release stays', async () => {
    put(WEB, { ...SIGNED, 'meta.helm.sh/release-name': 'heir' });
    put(OLD, SIGNED);
    expect(await goes()).toEqual(['ConfigMap old']);
  });

  it.each([
    [true, ['ConfigMap web']],
    [false, ['ConfigMap web', 'PersistentVolumeClaim data']],
  ])('I7 with keepData %s, the claims of the release: %j goes', async (keepData, expected) => {
    const newest = cluster.all('Secret').find(({ metadata }) => metadata.labels?.['version'] === '2');
    if (newest !== undefined) cluster.remove(refOf(newest));
    cluster.put(releaseSecret({ revision: 2, manifest: manifestOf(WEB, CLAIM) }));
    for (const ref of [WEB, CLAIM]) put(ref, SIGNED);
    expect(await goes(keepData)).toEqual(expected);
  });
});
