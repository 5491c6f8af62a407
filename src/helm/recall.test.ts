import { describe, expect, it } from 'vitest';
import { type RecordShape, releaseSecret, TARGET } from '../../test/build/helm-release.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import type { KubeObject } from '../api/kube.ts';
import type { RecalledRelease } from '../ports/backend.ts';
import { decodeRecord, encodeRecord } from './record.ts';
import { recallRelease } from './recall.ts';
import { ReleaseStore } from './release-store.ts';

const GO = { 'kubepkg.dev/package': 'shop' };

function withRaw(secret: KubeObject, parts: Readonly<Record<string, unknown>>): KubeObject {
  return encodeRecord(secret, { ...decodeRecord(secret).raw, ...parts });
}

async function recall(secrets: readonly KubeObject[], revision?: number): Promise<RecalledRelease | undefined> {
  const cluster = new MemoryCluster();
  for (const secret of secrets) cluster.put(secret);
  return recallRelease(TARGET, revision, new ReleaseStore(cluster));
}

const record = (shape: RecordShape): KubeObject => releaseSecret({ labels: GO, ...shape });

describe('recalling a release', () => {
  const history = [
    record({ revision: 1, status: 'superseded', config: { color: 'red' } }),
    record({ revision: 2, status: 'deployed', config: { color: 'blue' } }),
    record({ revision: 3, status: 'failed', config: { color: 'green' } }),
  ];

  it.each([
    ['the record of that number', 1, { revision: 1, values: { color: 'red' } }],
    ['without a number the newest completed one', undefined, { revision: 2, values: { color: 'blue' } }],
  ])('gives %s', async (_what, number, found) => {
    expect(await recall(history, number)).toMatchObject({ ...found, chartName: 'web', chartVersion: '1.0.0' });
  });

  it.each([
    ['one that was not completed', 3, history],
    ['one that is gone', 4, history],
    ['one of another package', 1, [record({ revision: 1, labels: { 'kubepkg.dev/package': 'other' } })]],
    ['one that nobody of ours made', 1, [record({ revision: 1, labels: {} })]],
  ])('does not give %s', async (_what, number, secrets) => {
    expect(await recall(secrets, number)).toBeUndefined();
  });

  it.each([
    [{ 'kubepkg.dev/privileged': 'true' }, true],
    [{ 'pkg.example.org/privileged': 'true' }, true],
    [{}, false],
  ])('tells from the labels %j whether it was privileged: %j', async (labels, privileged) => {
    expect((await recall([record({ labels: { ...GO, ...labels } })]))?.privileged).toBe(privileged);
  });

  it('gives no values where there were none', async () => {
    expect((await recall([withRaw(record({}), { config: null })]))?.values).toEqual({});
  });

  it('gives a chart of what was applied, hooks too, in which nothing is a template', async () => {
    const manifest = '---\nkind: ConfigMap\ndata: {alert: "{{ $labels.pod }}"}\n';
    const chart = { metadata: { name: 'web', version: '1.0.0', appVersion: '7', dependencies: [{ name: 'sub' }] } };
    const secret = withRaw(record({ manifest }), { chart, hooks: [{ manifest: 'kind: Job\n' }] });
    expect((await recall([secret]))?.files).toEqual({
      'Chart.yaml': '{"apiVersion":"v2","name":"web","version":"1.0.0","appVersion":"7"}\n',
      'templates/manifest.yaml': '---\nkind: ConfigMap\ndata: {alert: "{{ "{{" }} $labels.pod }}"}\n',
      'templates/hook-1.yaml': 'kind: Job\n',
    });
  });
});
