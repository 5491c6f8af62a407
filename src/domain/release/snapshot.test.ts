import { describe, expect, it } from 'vitest';
import { aComponent, aPackage, aSource } from '../../../test/build/objects.ts';
import type { ChartRef } from '../../api/chart-ref.ts';
import type { PackageRevisionSpec, RevisionComponent } from '../../api/package-revision.ts';
import { digestOf } from '../../lib/digest.ts';
import type { DesiredComponent, DesiredPackage } from '../resolve/desired.ts';
import { resolvePackage } from '../resolve/resolve-package.ts';
import {
  recordedChart,
  revisionName,
  snapshotOf,
  type SnapshotOptions,
  valuesSecretName,
  withVersions,
} from './snapshot.ts';

const CHART = { repository: 'oci://registry.example.org/charts', name: 'store', version: '1.2.3' };
const VALUES = { replicas: 3, image: { tag: 'b' } };

function desired(): DesiredPackage {
  const source = aSource([
    { name: 'store', chart: CHART, install: { namespace: 'shop' } },
    aComponent('app', { dependsOn: ['store'] }, { valuesFiles: ['prod.yaml'] }),
    aComponent('migrate', { phase: 'PreUpgrade' }),
  ]);
  const resolution = resolvePackage(aPackage({ components: { app: { values: VALUES } } }), source, {
    defaultBackend: 'helm',
  });
  if (resolution.kind !== 'resolved') throw new Error(resolution.message);
  return resolution.desired;
}

function options({ components, hooks }: DesiredPackage, parts: Partial<SnapshotOptions> = {}): SnapshotOptions {
  const charts = Object.fromEntries(
    [...components, ...hooks].map(({ name, chart }) => [name, { ref: chart, digest: `sha256:${name}` }]),
  );
  return { number: 7, adopt: false, valuesNamespace: 'kubepkg-system', charts, ...parts };
}

function snapshot(pkg = desired(), parts: Partial<SnapshotOptions> = {}): PackageRevisionSpec {
  const spec = snapshotOf(pkg, options(pkg, parts));
  if (spec === undefined) throw new Error('a chart is missing');
  return spec;
}

function component(name: string, pkg = desired(), parts: Partial<SnapshotOptions> = {}): RevisionComponent {
  const found = snapshot(pkg, parts).components?.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no component ${name}`);
  return found;
}

/** The desired package with `app` changed. */
function changed(change: Partial<DesiredComponent>): DesiredPackage {
  const pkg = desired();
  const components = pkg.components.map((each) => (each.name === 'app' ? { ...each, ...change } : each));
  return { ...pkg, components };
}

describe('what a revision records', () => {
  it('the package as it is wanted, its components in the order of application', () => {
    const { components, ...rest } = snapshot();
    expect(rest).toEqual({
      package: 'shop',
      revision: 7,
      version: '1.0.0',
      build: 0,
      crds: [],
      variant: 'default',
      rollbackSafe: false,
      backend: 'helm',
    });
    expect(components?.map(({ name, dependsOn }) => [name, dependsOn])).toEqual([
      ['store', []],
      ['app', ['store']],
    ]);
  });

  it('P17 hooks are not in it', () => {
    expect(snapshot().components?.map(({ name }) => name)).not.toContain('migrate');
  });

  it('P21 whether it may take over what is there', () => {
    expect(snapshot(desired(), { adopt: true }).adopt).toBe(true);
  });

  it('I10 where the values are and what their digest is, never the values', () => {
    expect(component('app')).toMatchObject({
      valuesDigest: digestOf(VALUES),
      valuesRef: { namespace: 'kubepkg-system', name: 'kubepkg-values-shop-7', key: 'app' },
    });
    expect(JSON.stringify(snapshot())).not.toContain('replicas');
    expect(component('store')).not.toHaveProperty('valuesRef');
  });

  it('how readiness is judged, as far as it is declared', () => {
    const readyWhen = [{ apiVersion: 'v1', kind: 'Thing', name: 'x', condition: 'Ready', status: 'True' as const }];
    const pkg = changed({ readyWhen, privileged: true, skipSchemaValidation: true });
    expect(component('app', pkg)).toMatchObject({ readyWhen, privileged: true, skipSchemaValidation: true });
    expect(Object.keys(component('store'))).not.toEqual(
      expect.arrayContaining(['readyWhen', 'privileged', 'skipSchemaValidation']),
    );
  });

  it('nothing while a chart is missing', () => {
    const pkg = desired();
    const { app: _app, ...charts } = options(pkg).charts;
    expect(snapshotOf(pkg, options(pkg, { charts }))).toBeUndefined();
  });

  it('is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(snapshot()))).toEqual(snapshot());
  });

  it('under names that tell the package and the number', () => {
    expect([revisionName('shop', 12), valuesSecretName('shop', 12)]).toEqual(['shop-12', 'kubepkg-values-shop-12']);
  });
});

describe('P22 the digest of a component', () => {
  const before = (): string | undefined => component('app').digest;

  it.each<[string, Partial<DesiredComponent>]>([
    ['its values', { values: { ...VALUES, replicas: 4 } }],
    ['the name of its release', { releaseName: 'front' }],
    ['its namespace', { namespace: 'elsewhere' }],
    ['its privilege', { privileged: true }],
  ])('changes with %s', (_what, change) => {
    expect(component('app', changed(change)).digest).not.toBe(before());
  });

  it('changes with the bytes of its chart', () => {
    const charts = { ...options(desired()).charts };
    const ref = charts['app']?.ref;
    if (ref === undefined) throw new Error('no chart');
    expect(
      component('app', desired(), { charts: { ...charts, app: { ref, digest: 'sha256:other' } } }).digest,
    ).not.toBe(before());
  });

  it.each<[string, Partial<DesiredComponent>]>([
    ['what it depends on', { dependsOn: [] }],
    ['when it is ready', { readiness: { notReadyNodes: 'Tolerate' } }],
    ['whether its values are checked', { skipSchemaValidation: true }],
    ['the order of keys in its values', { values: { image: { tag: 'b' }, replicas: 3 } }],
  ])('does not change with %s: its release would be the same', (_what, change) => {
    expect(component('app', changed(change)).digest).toBe(before());
  });

  it('does not change with the number of the revision or the version of the package', () => {
    expect(component('app', { ...desired(), version: '2.0.0' }, { number: 8 }).digest).toBe(before());
  });
});

describe('P14 what a hook is told', () => {
  const told = (values: DesiredComponent['values'], from?: string): DesiredComponent['values'] | undefined => {
    const hooks = desired().hooks.map((hook) => ({ ...hook, values }));
    return withVersions(hooks, { from, to: '2.0.0' })[0]?.values;
  };

  it('the version that runs and the one that comes, beside its own values', () => {
    const kubepkg = { fromVersion: '1.0.0', toVersion: '2.0.0' };
    expect(told({ steps: 3 }, '1.0.0')).toEqual({ steps: 3, kubepkg });
    expect(told({ kubepkg: { dryRun: true } }, '1.0.0')).toEqual({ kubepkg: { dryRun: true, ...kubepkg } });
  });

  it('its word is not taken for a version', () => {
    expect(told({ kubepkg: { fromVersion: '9', toVersion: '9' } }, '1.0.0')).toEqual({
      kubepkg: { fromVersion: '1.0.0', toVersion: '2.0.0' },
    });
  });
});

describe('P19 the chart of a recorded component', () => {
  const tree: ChartRef = {
    kind: 'tree',
    url: 'oci://registry.example.org/shop:1.0.0',
    root: 'packages',
    path: 'app',
    libraries: [{ name: 'common', path: 'libs/common' }],
    valuesFiles: ['prod.yaml'],
    treeDigest: 'sha256:tree',
  };

  it.each<[string, ChartRef]>([
    ['that was published', { kind: 'chart', ...CHART, digest: 'sha256:chart' }],
    ['from a tree', { ...tree, digest: 'sha256:chart' }],
  ])('%s is fetched by its digest', (_say, ref) => {
    const charts = { ...options(desired()).charts, app: { ref, digest: 'sha256:chart' } };
    expect(recordedChart(component('app', desired(), { charts }))).toEqual(ref);
  });

  it('a record without a chart, as other versions made it, gives none', () => {
    const { chart: _chart, ...rest } = component('app');
    expect(recordedChart(rest)).toBeUndefined();
  });
});
