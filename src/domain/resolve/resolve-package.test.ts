import { describe, expect, it } from 'vitest';
import { aComponent, aPackage, aSource } from '../../../test/build/objects.ts';
import type { Package } from '../../api/package.ts';
import type { PackageSource } from '../../api/package-source.ts';
import type { DesiredPackage } from './desired.ts';
import { resolvePackage } from './resolve-package.ts';

function desired(pkg: Package, source: PackageSource): DesiredPackage {
  const resolution = resolvePackage(pkg, source, { defaultBackend: 'helm' });
  if (resolution.kind !== 'resolved') throw new Error(resolution.message);
  return resolution.desired;
}

const CHART = { repository: 'oci://registry.example.org/charts', name: 'redis', version: '1.2.3' };

describe('what a package and its source ask for', () => {
  it('orders components by dependsOn, ties by declaration', () => {
    const source = aSource([aComponent('c', { dependsOn: ['a'] }), aComponent('b'), aComponent('a')]);
    expect(desired(aPackage(), source).components.map((component) => component.name)).toEqual(['b', 'a', 'c']);
  });

  it('keeps hooks apart from the components', () => {
    const source = aSource([aComponent('app'), aComponent('migrate', { phase: 'PreUpgrade' })]);
    const { components, hooks } = desired(aPackage(), source);
    expect([components, hooks].map((list) => list.map(({ name }) => name))).toEqual([['app'], ['migrate']]);
  });

  it('a component without install is not installed, nor is a disabled one', () => {
    const bare = { name: 'docs', path: 'docs' };
    const pkg = aPackage({ components: { extra: { enabled: false } } });
    expect(desired(pkg, aSource([bare, aComponent('extra'), aComponent('app')])).components).toHaveLength(1);
  });

  it('placement comes from the package, then the source, then the name', () => {
    const source = aSource([
      aComponent('a'),
      aComponent('b', { releaseName: 'bee' }),
      aComponent('c', { releaseName: 'sea' }),
    ]);
    const pkg = aPackage({ components: { c: { releaseName: 'see', namespace: 'other' } } });
    expect(
      desired(pkg, source).components.map((component) => `${component.namespace}/${component.releaseName}`),
    ).toEqual(['shop/a', 'shop/bee', 'other/see']);
  });

  it('libraries and values files go with the chart of a tree', () => {
    const source = aSource([], {
      variants: [
        {
          name: 'default',
          libraries: [{ path: 'libs/common' }, { path: 'libs/web', name: 'www' }],
          components: [aComponent('app', {}, { libraries: ['www', 'common'], valuesFiles: ['prod.yaml'] })],
        },
      ],
    });
    expect(desired(aPackage(), source).components[0]?.chart).toMatchObject({
      kind: 'tree',
      path: 'app',
      libraries: [
        { name: 'common', path: 'libs/common' },
        { name: 'www', path: 'libs/web' },
      ],
      valuesFiles: ['prod.yaml'],
    });
  });

  it('a published chart is named by repository, name, exact version and digest', () => {
    const source = aSource([{ name: 'redis', chart: CHART, install: { namespace: 'shop' } }]);
    expect(desired(aPackage(), source).components[0]?.chart).toEqual({ kind: 'chart', ...CHART });
  });

  it('an override of a component that does not exist is noted, and no obstacle', () => {
    const pkg = aPackage({ components: { nobody: { values: {} } } });
    expect(desired(pkg, aSource([aComponent('app')])).notes).toHaveLength(1);
  });
});

describe('what stands against it', () => {
  const two = (a: Parameters<typeof aComponent>[1], b: Parameters<typeof aComponent>[1]): PackageSource =>
    aSource([aComponent('a', a), aComponent('b', b)]);
  it.each([
    { say: 'P2 a cycle, naming the chain', source: two({ dependsOn: ['b'] }, { dependsOn: ['a'] }), text: 'a → b → a' },
    {
      say: 'P2 an unknown dependency',
      source: two({ dependsOn: ['x'] }, {}),
      text: 'depends on x, which does not exist',
    },
    {
      say: 'P2 a disabled dependency',
      source: two({ dependsOn: ['b'] }, {}),
      pkg: { components: { b: { enabled: false } } },
      text: 'b, which is disabled',
    },
    {
      say: 'P17 a component that depends on a hook',
      source: two({ dependsOn: ['b'] }, { phase: 'PreUpgrade' }),
      text: 'b, which is a hook',
    },
    { say: 'no namespace', source: two({ namespace: '' }, {}), text: 'component a has no namespace' },
    {
      say: 'P8 an expression that does not compile',
      source: two({ healthCheckExprs: [{ apiVersion: 'example.org/v1', kind: 'Db', current: 'status.phase ==' }] }, {}),
      text: 'component a: install.healthCheckExprs[0].current',
    },
    {
      say: 'P21 two components that want one release',
      source: two({ releaseName: 'x' }, { releaseName: 'x' }),
      text: 'components a and b both want release shop/x',
    },
    {
      say: 'an unknown variant',
      source: two({}, {}),
      pkg: { variant: 'big' },
      reason: 'VariantNotFound',
      text: 'default',
    },
    {
      say: 'a version that does not satisfy',
      source: two({}, {}),
      pkg: { version: '^2' },
      reason: 'VersionMismatch',
      text: '1.0.0',
    },
    {
      say: 'a constraint that is none',
      source: two({}, {}),
      pkg: { version: 'new' },
      reason: 'VersionMismatch',
      text: 'not a version constraint',
    },
    {
      say: 'a reference of its tree that is malformed, without what may be a password in it',
      source: aSource([aComponent('a')], {
        sourceRef: { kind: 'OCIArtifact', url: 'oci://me:secret@r.example.org/x' },
      }),
      text: 'spec.sourceRef.url is malformed: the host is malformed; write oci://host/repository',
    },
    {
      say: 'a reference whose digest is none',
      source: aSource([aComponent('a')], { sourceRef: { kind: 'OCIArtifact', url: 'oci://r.example.org/x@sha256:…' } }),
      text: 'the digest is not sha256: and 64 hexadecimal digits',
    },
    {
      say: 'a tree path without a tree',
      source: aSource([aComponent('a')], { sourceRef: { kind: 'GitRepository', name: 'x', namespace: 'y' } }),
      text: 'OCIArtifact',
    },
  ])('$say', ({ source, pkg, reason, text }) => {
    const resolution = resolvePackage(aPackage(pkg ?? {}), source, { defaultBackend: 'helm' });
    expect(resolution).toMatchObject({
      kind: 'unresolvable',
      reason: reason ?? 'InvalidConfiguration',
      message: expect.stringContaining(text) as string,
    });
  });

  it('values that no Secret can hold are refused by component and size, before anything is touched', () => {
    const pkg = aPackage({ components: { app: { values: { text: 'x'.repeat(1_100_000) } } } });
    expect(resolvePackage(pkg, aSource([aComponent('app')]), { defaultBackend: 'helm' })).toMatchObject({
      reason: 'InvalidConfiguration',
      message: expect.stringMatching(/component app has 1075 KiB/) as string,
    });
  });

  it('F90 a release name that Helm cannot take is refused by name and length', () => {
    const name = 'r'.repeat(54);
    const source = aSource([{ name, path: 'x', install: { namespace: 'shop' } }]);
    expect(resolvePackage(aPackage(), source, { defaultBackend: 'helm' })).toMatchObject({
      reason: 'InvalidConfiguration',
      message: expect.stringContaining('54 characters') as string,
    });
  });
});

describe('the desired digest', () => {
  const base = aSource([aComponent('app'), aComponent('store')]);
  const digest = (pkg: Package, source: PackageSource): string => desired(pkg, source).digest;
  const plain = digest(aPackage(), base);

  it.each([
    { say: 'values', pkg: aPackage({ components: { app: { values: { a: 1 } } } }), source: base },
    { say: 'the version', pkg: aPackage(), source: { ...base, spec: { ...base.spec, version: '1.0.1' } } },
    { say: 'the build', pkg: aPackage(), source: { ...base, spec: { ...base.spec, build: 1 } } },
    { say: 'the retry token', pkg: aPackage({}, { annotations: { 'kubepkg.dev/retry': '1' } }), source: base },
    { say: 'a placement', pkg: aPackage({ components: { app: { namespace: 'other' } } }), source: base },
    {
      say: 'a readiness declaration',
      pkg: aPackage(),
      source: aSource([aComponent('app', { readiness: { jobs: 'Started' } }), aComponent('store')]),
    },
  ])('changes with $say', ({ pkg, source }) => {
    expect(digest(pkg, source)).not.toBe(plain);
  });

  it.each([
    { say: 'the history limit', pkg: aPackage({ revisionHistoryLimit: 3 }), source: base },
    { say: 'the timeout', pkg: aPackage({ upgrade: { atomic: true, timeout: '1h' } }), source: base },
    { say: 'suspension', pkg: aPackage({ suspend: true }), source: base },
    { say: 'a constraint that selects the same version', pkg: aPackage({ version: '>=1' }), source: base },
    {
      say: 'permissions and images',
      pkg: aPackage(),
      source: { ...base, spec: { ...base.spec, images: ['a'], permissions: { clusterWide: true } } },
    },
  ])('does not change with $say', ({ pkg, source }) => {
    expect(digest(pkg, source)).toBe(plain);
  });

  it('does not change with the order of the keys of values', () => {
    const one = aPackage({ components: { app: { values: { a: 1, b: { c: 2, d: 3 } } } } });
    const two = aPackage({ components: { app: { values: { b: { d: 3, c: 2 }, a: 1 } } } });
    expect(digest(one, base)).toBe(digest(two, base));
  });
});
