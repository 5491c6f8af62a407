import { describe, expect, it } from 'vitest';
import { componentFacts, findingsOf } from '../../../../test/build/plan-facts.ts';
import type { ChartRef } from '../../../api/chart-ref.ts';
import type { KubeObject } from '../../../api/kube.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;

function pod(image: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ image }] } };
}

function codes(image: string, images: readonly string[] = []): readonly string[] {
  return findingsOf([componentFacts([{ after: pod(image) }])], { package: { images } }).map(({ code }) => code);
}

describe('an image', () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    ['example.org/a', [], ['ImageFloating']],
    ['example.org:5000/a', [], ['ImageFloating']],
    ['example.org/a:latest', [], ['ImageFloating']],
    ['example.org/a:1', [], ['ImageUnpinned']],
    [`example.org/a:1@${DIGEST}`, [], []],
    [`example.org/a@${DIGEST}`, [`example.org/a:1@${DIGEST}`], []],
    ['example.org/a:1', [`example.org/a:1@${DIGEST}`], ['ImageUnpinned']],
    ['example.org/a:2', [`example.org/a:1@${DIGEST}`], ['ImageNotListed', 'ImageUnpinned']],
    [`example.org/a:1@${OTHER}`, [`example.org/a:1@${DIGEST}`], ['ImageNotListed']],
    ['nginx:1', [`docker.io/library/nginx:1@${DIGEST}`], ['ImageUnpinned']],
    ['docker.io/library/nginx', ['nginx:latest'], ['ImageFloating']],
    ['quay.io/nginx:1', ['nginx:1'], ['ImageNotListed', 'ImageUnpinned']],
    ['', [], []],
  ])('%s where the package lists %j', (image, images, expected) => {
    expect(codes(image, images)).toEqual(expected);
  });

  it('is found in every kind of workload, and said once', () => {
    const spec = { initContainers: [{ image: 'i:1' }], containers: [{ image: 'c:1' }, { image: 'c:1' }] };
    const at = (apiVersion: string, kind: string, rest: unknown): { after: KubeObject } => ({
      after: { apiVersion, kind, metadata: { name: 'w' }, spec: rest },
    });
    const objects = [
      at('apps/v1', 'Deployment', { template: { spec } }),
      at('batch/v1', 'CronJob', { jobTemplate: { spec: { template: { spec } } } }),
      at('example.org/v1', 'Part', { containers: [{ image: 'x' }] }),
    ];
    const found = findingsOf([componentFacts(objects)]).filter(({ code }) => code.startsWith('Image'));
    expect(found.map(({ message }) => message)).toEqual(['no digest pins what is behind the tag: c:1, i:1']);
  });
});

describe('a chart', () => {
  const published = { kind: 'chart', repository: 'oci://r', name: 'store', version: '1.0.0' } as const;
  const tree = { kind: 'tree', root: '', path: 'store', libraries: [], valuesFiles: [] } as const;

  it.each<readonly [string, ChartRef, readonly string[]]>([
    ['without a digest', published, ['ChartUnpinned']],
    ['with one', { ...published, digest: DIGEST }, []],
    ['of a tree by a tag', { ...tree, url: 'oci://r/tree:1' }, ['ChartUnpinned']],
    ['of a tree by its digest', { ...tree, url: `oci://r/tree:1@${DIGEST}` }, []],
    ['of a tree that was fetched', { ...tree, url: 'oci://r/tree:1', treeDigest: DIGEST }, []],
  ])('%s', (_name, chart, expected) => {
    expect(findingsOf([componentFacts([], { component: { chart } })]).map(({ code }) => code)).toEqual(expected);
  });
});
