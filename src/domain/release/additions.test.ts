import { describe, expect, it } from 'vitest';
import { aPackage, aRevision, aRevisionComponent, aComponent, aSource } from '../../../test/build/objects.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import type { DesiredPackage } from '../resolve/desired.ts';
import { resolvePackage } from '../resolve/resolve-package.ts';
import { completedComponent, isChartOf, isVersion, isWanted, rememberedComponent, withAdditions } from './additions.ts';
import { recordedChart } from './snapshot.ts';

const RECALLED = { revision: 4, chartName: 'app', chartVersion: '1.2.3', values: { color: 'red' }, privileged: false };
const REF = { kind: 'chart', repository: 'oci://registry.example.org', name: 'app', version: '1.2.3' } as const;
const TREE = {
  kind: 'tree',
  url: 'oci://registry.example.org/shop:1',
  root: '',
  path: 'app',
  libraries: [],
  valuesFiles: [],
} as const;

function desired(color = 'red', version = '1.0.0'): DesiredPackage {
  const pkg = aPackage({ components: { app: { values: { color } } } });
  const source = aSource(
    [
      aComponent('app', {
        readyWhen: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', condition: 'Ready', status: 'True' }],
      }),
    ],
    { version },
  );
  const resolution = resolvePackage(pkg, source, { defaultBackend: 'helm' });
  if (resolution.kind !== 'resolved') throw new Error(resolution.message);
  return resolution.desired;
}

function annotated(text: string): PackageRevision {
  const revision = aRevision();
  const annotations = { ...revision.metadata.annotations, 'kubepkg.dev/additions': text };
  return { ...revision, metadata: { ...revision.metadata, annotations } };
}

describe('additions to a revision', () => {
  it('are read as if they were in its spec', () => {
    const additions = { components: [aRevisionComponent('app')], crds: ['things.example.org'] };
    expect(withAdditions(annotated(JSON.stringify(additions))).spec).toMatchObject({ ...additions, version: '1.0.0' });
  });

  it.each(['{', '{"components":7}'])('count as not there when they cannot be read: %s', (text) => {
    const { spec, metadata } = withAdditions(annotated(text));
    expect(spec).toEqual(aRevision().spec);
    expect(metadata.annotations).not.toHaveProperty('kubepkg.dev/additions');
  });
});

describe('the chart that runs', () => {
  const component = aRevisionComponent('app', { chartDigest: 'sha256:1' });
  it.each([
    ['the same', { ref: REF, digest: 'sha256:1', name: 'app', version: '1.2.3' }, true],
    ['another archive', { ref: REF, digest: 'sha256:2', name: 'app', version: '1.2.3' }, false],
    ['another version', { ref: REF, digest: 'sha256:1', name: 'app', version: '1.2.4' }, false],
    ['another name', { ref: REF, digest: 'sha256:1', name: 'web', version: '1.2.3' }, false],
    ['from a tree, whose digest says nothing', { ref: TREE, digest: 'sha256:2', name: 'app', version: '1.2.3' }, true],
  ])('is recognised: %s', (_what, offered, expected) => {
    expect(isChartOf(component, RECALLED, offered)).toBe(expected);
  });
});

describe('a completed component', () => {
  const context = { revision: aRevision({ number: 3 }), valuesNamespace: 'kubepkg-system' };
  const [wanted] = desired().components;
  if (wanted === undefined) throw new Error('there is no component');
  const chart = { ref: REF, digest: 'sha256:1' };
  const completed = completedComponent(wanted, { chart, recalled: RECALLED }, context);

  it('has the chart, the values that ran and the declarations of its source', () => {
    expect(completed).toMatchObject({
      chart: { ...REF, record: 4 },
      chartDigest: 'sha256:1',
      valuesRef: { namespace: 'kubepkg-system', name: 'kubepkg-values-shop-3', key: 'app' },
      readyWhen: [{ name: 'p' }],
    });
    expect(recordedChart(completed)).toEqual({ ...REF, digest: 'sha256:1' });
  });

  it('is what is wanted only while nothing differs', () => {
    expect(isWanted([completed], desired(), { app: chart })).toBe(true);
    expect(isWanted([completed], desired('blue'), { app: chart })).toBe(false);
    expect(isWanted([completed], desired(), { app: { ...chart, digest: 'sha256:2' } })).toBe(false);
    expect(isWanted([completed, aRevisionComponent('old')], desired(), { app: chart })).toBe(false);
  });

  it('has what its record says where its chart cannot be had', () => {
    const recalled = { ...RECALLED, privileged: true };
    const remembered = rememberedComponent(aRevisionComponent('app'), { chartDigest: 'sha256:3', recalled }, context);
    expect(remembered).toMatchObject({
      chart: { kind: 'release', name: 'app', version: '1.2.3', record: 4 },
      chartDigest: 'sha256:3',
      privileged: true,
      valuesRef: { key: 'app' },
    });
    expect(recordedChart(remembered)).toBeUndefined();
  });
});

it.each([
  ['1.0.0', '1.0.0', true],
  ['1.0.0', '1.1.0', false],
  ['', '0.0.0-unversioned', true],
])('version %j is %j: %j', (ran, wanted, expected) => {
  expect(isVersion(aRevision({ version: ran }), { ...desired(), version: wanted })).toBe(expected);
});
