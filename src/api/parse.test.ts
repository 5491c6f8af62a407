import { describe, expect, it } from 'vitest';
import type { KubeObject } from './kube.ts';
import {
  type Parsed,
  parsePackage,
  parsePackageRevision,
  parsePackageSource,
  type ParseOptions,
  parseRepository,
} from './parse.ts';

const STRICT: ParseOptions = { strict: true };

function object(kind: string, spec: unknown, more: object = {}): KubeObject {
  return { apiVersion: 'kubepkg.dev/v1', kind, metadata: { name: 'demo' }, spec, ...more };
}

function valid<T>(parsed: Parsed<T>): T {
  if (!parsed.ok) throw parsed.error;
  return parsed.value;
}

function invalid(parsed: Parsed<unknown>): Extract<Parsed<unknown>, { readonly ok: false }> {
  if (parsed.ok) throw new Error('was accepted');
  return parsed;
}

const chart = { repository: 'https://charts.example.org', name: 'app', version: '1.0.0' };

function source(component: object): KubeObject {
  return object('PackageSource', { variants: [{ name: 'default', components: [{ name: 'app', ...component }] }] });
}

describe('parsePackage', () => {
  it('fills in the defaults', () => {
    const { spec, ...rest } = valid(parsePackage(object('Package', {})));
    expect(spec).toEqual({ variant: 'default', revisionHistoryLimit: 10 });
    expect(rest).toEqual({ apiVersion: 'kubepkg.dev/v1', kind: 'Package', metadata: { name: 'demo' } });
  });

  it('takes a Package without a spec', () => {
    const { spec } = valid(parsePackage(object('Package', undefined)));
    expect(spec).toEqual({ variant: 'default', revisionHistoryLimit: 10 });
  });

  it.each([
    [{}, { atomic: true, timeout: '10m' }],
    [{ timeout: '1h' }, { atomic: true, timeout: '1h' }],
    [{ atomic: false }, { atomic: false, timeout: '10m' }],
  ])('P9 P10 completes the upgrade policy %j', (upgrade, policy) => {
    expect(valid(parsePackage(object('Package', { upgrade }))).spec.upgrade).toEqual(policy);
  });

  it('keeps values as they are, unknown names and nulls included', () => {
    const values = { a: { b: [1, null, { c: 'd' }] }, '': false, n: null };
    const { spec } = valid(parsePackage(object('Package', { components: { app: { values } } }), STRICT));
    expect(spec.components?.['app']?.values).toEqual(values);
  });

  it('keeps the metadata as it came', () => {
    const metadata = { name: 'demo', uid: 'u', generation: 3, annotations: { a: 'b' }, finalizers: ['x'], later: 1 };
    expect(valid(parsePackage({ ...object('Package', {}), metadata })).metadata).toEqual(metadata);
  });

  it.each(['v1', 'v1beta1', 'v1alpha1'])('takes version %s', (version) => {
    const apiVersion = `kubepkg.dev/${version}`;
    expect(valid(parsePackage({ ...object('Package', {}), apiVersion })).apiVersion).toBe(apiVersion);
  });

  it('takes another group when it is the one of the installation', () => {
    const rehosted = { ...object('Package', {}), apiVersion: 'example.org/v1' };
    expect(parsePackage(rehosted, { group: 'example.org' }).ok).toBe(true);
    expect(invalid(parsePackage(rehosted)).problems).toMatchObject([{ path: 'apiVersion' }]);
  });

  it.each<[string, unknown, string, string]>([
    ['a duration without a unit', { upgrade: { timeout: '10' } }, 'spec.upgrade.timeout', 'duration'],
    ['a negative duration', { upgrade: { timeout: '-1m' } }, 'spec.upgrade.timeout', 'duration'],
    ['a number for a duration', { upgrade: { timeout: 600 } }, 'spec.upgrade.timeout', 'a string, not a number'],
    ['a number for a version', { version: 1.2 }, 'spec.version', 'a string, not a number'],
    ['a history of nothing', { revisionHistoryLimit: 0 }, 'spec.revisionHistoryLimit', 'at least 1'],
    ['a broken number', { revisionHistoryLimit: 1.5 }, 'spec.revisionHistoryLimit', 'whole number'],
    ['a number that is too large', { revisionHistoryLimit: 3e9 }, 'spec.revisionHistoryLimit', 'at most 2147483647'],
    ['a policy that does not exist', { crdPolicy: 'Keep' }, 'spec.crdPolicy', 'one of Retain, Delete'],
    ['text for a switch', { suspend: 'yes' }, 'spec.suspend', 'true or false, not a string'],
    ['a list for values', { components: { app: { values: [] } } }, 'spec.components.app.values', 'an object'],
    ['null for a list', { ignoreDependencies: null }, 'spec.ignoreDependencies', 'a list, not empty (null)'],
    [
      'a long release name',
      { components: { a: { releaseName: 'x'.repeat(54) } } },
      'spec.components.a.releaseName',
      '53',
    ],
  ])('names the field and the fault: %s', (_, spec, path, message) => {
    const { error, problems } = invalid(parsePackage(object('Package', spec)));
    expect(problems.map((problem) => problem.path)).toEqual([path]);
    expect(problems[0]?.message).toContain(message);
    expect(error.code).toBe('InvalidConfiguration');
    expect(error.message).toContain('Package demo');
    expect(error.message).toContain(path);
    expect(error.hint).toBeDefined();
  });

  it.each([
    ['a number', { version: 1.2 }, 'put it in quotes'],
    ['a boolean', { version: true }, 'put it in quotes'],
    ['a typing error', { crdPolicy: 'delete' }, 'did you mean Delete?'],
    ['nothing to guess from', { crdPolicy: 'Keep' }, undefined],
    ['a list', { version: [] }, undefined],
  ])('offers a remedy for %s', (_, spec, remedy) => {
    expect(invalid(parsePackage(object('Package', spec))).problems[0]?.remedy).toBe(remedy);
  });

  it.each<[string, object, string]>([
    ['no name', { metadata: {} }, 'metadata.name'],
    ['no metadata', { metadata: undefined }, 'metadata'],
    ['a name that fits into no label', { metadata: { name: 'x'.repeat(64) } }, 'metadata.name'],
    [
      'an annotation that is a number',
      { metadata: { name: 'demo', annotations: { 'kubepkg.dev/retry': 1 } } },
      'metadata.annotations.kubepkg.dev/retry',
    ],
    ['another kind', { kind: 'Deployment' }, 'kind'],
    ['another API', { apiVersion: 'apps/v1' }, 'apiVersion'],
    ['a version that is not served', { apiVersion: 'kubepkg.dev/v2' }, 'apiVersion'],
  ])('refuses an object with %s', (_, change, path) => {
    const { problems, error } = invalid(parsePackage({ ...object('Package', {}), ...change }));
    expect(problems.map((problem) => problem.path)).toEqual([path]);
    expect(error.message).toContain('Package ');
  });

  it('reports all faults, and the first few of many', () => {
    const spec = { variant: 1, version: 2, repository: 3, backend: 4, suspend: 5, crdPolicy: 6, upgrade: 7 };
    const { error, problems } = invalid(parsePackage(object('Package', spec)));
    expect(problems).toHaveLength(7);
    expect(error.message).toContain('and 2 more');
  });

  it('I10 repeats no value that was given', () => {
    const secret = 'hunter2';
    const spec = {
      variant: [secret],
      crdPolicy: secret,
      upgrade: { timeout: secret },
      components: { app: { enabled: secret, values: secret, namespace: secret.repeat(20) } },
    };
    const { error, problems } = invalid(parsePackage(object('Package', spec), STRICT));
    expect(JSON.stringify([error.message, error.hint, problems])).not.toContain(secret);
    expect(problems).toHaveLength(6);
  });
});

describe('unknown fields', () => {
  it('are tolerated on what the API server gives', () => {
    const parsed = valid(parsePackage(object('Package', { later: 1, upgrade: { later: 2 } })));
    expect(parsed.spec).not.toHaveProperty('later');
  });

  it.each<[string, KubeObject, string, string | undefined]>([
    ['in the spec', object('Package', { varient: 'x' }), 'spec.varient', 'did you mean variant?'],
    ['of other letter case', object('Package', { crdpolicy: 'Retain' }), 'spec.crdpolicy', 'did you mean crdPolicy?'],
    [
      'below a default',
      object('Package', { upgrade: { timeOut: '1m' } }),
      'spec.upgrade.timeOut',
      'did you mean timeout?',
    ],
    [
      'below a name',
      object('Package', { components: { app: { value: {} } } }),
      'spec.components.app.value',
      'did you mean values?',
    ],
    [
      'without a likely meaning',
      object('Package', { upgrade: { retries: 3 } }),
      'spec.upgrade.retries',
      'known here: atomic, timeout',
    ],
    ['beside the spec', object('Package', {}, { spce: {} }), 'spce', 'did you mean spec?'],
    ['of Object', object('Package', { constructor: 1 }), 'spec.constructor', undefined],
    [
      'in the metadata',
      { ...object('Package', {}), metadata: { name: 'demo', annotation: {} } as never },
      'metadata.annotation',
      'did you mean annotations?',
    ],
    [
      'in a list',
      source({ chart: { ...chart, digset: 'x' } }),
      'spec.variants[0].components[0].chart.digset',
      'did you mean digest?',
    ],
    [
      'in a checked object',
      source({ chart, instal: {} }),
      'spec.variants[0].components[0].instal',
      'did you mean install?',
    ],
  ])('are refused in a file: %s', (_, file, path, remedy) => {
    const parse = file.kind === 'Package' ? parsePackage : parsePackageSource;
    const { error, problems } = invalid(parse(file, STRICT));
    expect(problems).toMatchObject([{ path, message: 'unknown field' }]);
    if (remedy !== undefined) expect(problems[0]?.remedy).toBe(remedy);
    expect(error.code).toBe('InvalidInput');
    expect(error.message).toContain(`unknown field ${path}`);
  });

  it('what an object that was read back holds is known', () => {
    const metadata = {
      name: 'demo',
      uid: 'u',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: null,
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
      labels: null,
      annotations: { a: 'b' },
      finalizers: ['kubepkg.dev/cleanup'],
      ownerReferences: [{}],
      managedFields: [{}],
      selfLink: '/x',
    } as never;
    const status = { version: '1.0.0', conditions: [] };
    expect(parsePackage({ ...object('Package', {}, { status }), metadata }, STRICT).ok).toBe(true);
  });
});

describe('parsePackageSource', () => {
  it('fills in the defaults', () => {
    const readyWhen = [{ apiVersion: 'v1', kind: 'A', name: 'a', condition: 'Ready' }];
    const written = {
      rollback: {},
      variants: [{ name: 'default', components: [{ name: 'app', chart, install: { readyWhen } }] }],
    };
    const { spec } = valid(parsePackageSource(object('PackageSource', written), STRICT));
    expect(spec.build).toBe(0);
    expect(spec.rollback).toEqual({ safe: false });
    expect(spec.variants?.[0]?.components?.[0]?.install?.readyWhen?.[0]?.status).toBe('True');
  });

  const digest = `sha256:${'a'.repeat(64)}`;

  it.each([
    ['a chart', { chart }],
    ['a chart with its digest', { chart: { ...chart, digest } }],
    ['a chart of a registry', { chart: { ...chart, repository: 'oci://example.org/charts' } }],
    ['a path', { path: 'app' }],
    ['a path with libraries and values files', { path: 'app', libraries: ['common'], valuesFiles: ['values.yaml'] }],
  ])('takes a component of %s', (_, component) => {
    expect(parsePackageSource(source(component), STRICT).ok).toBe(true);
  });

  const at = 'spec.variants[0].components[0]';

  it.each<[string, object, string]>([
    ['path and chart', { path: 'app', chart }, at],
    ['neither path nor chart', {}, at],
    ['chart and libraries', { chart, libraries: ['common'] }, at],
    ['chart and valuesFiles', { chart, valuesFiles: ['values.yaml'] }, at],
    ['a short digest', { chart: { ...chart, digest: 'sha256:abc' } }, `${at}.chart.digest`],
    [
      'a repository without a scheme',
      { chart: { ...chart, repository: 'charts.example.org' } },
      `${at}.chart.repository`,
    ],
    ['a chart without a version', { chart: { ...chart, version: undefined } }, `${at}.chart.version`],
    ['an empty chart name', { chart: { ...chart, name: '' } }, `${at}.chart.name`],
    ['another phase', { chart, install: { phase: 'PostUpgrade' } }, `${at}.install.phase`],
  ])('refuses a component with %s', (_, component, path) => {
    expect(invalid(parsePackageSource(source(component))).problems.map((problem) => problem.path)).toEqual([path]);
  });

  it.each([
    ['condition and expression', { condition: 'Ready', expression: 'true' }],
    ['neither condition nor expression', {}],
    ['an unquoted status', { condition: 'Ready', status: true }],
    ['a bad duration', { condition: 'Ready', stableFor: 'soon' }],
  ])('P7 refuses readyWhen with %s', (_, entry) => {
    const readyWhen = [{ apiVersion: 'v1', kind: 'A', name: 'a', ...entry }];
    expect(parsePackageSource(source({ chart, install: { readyWhen } })).ok).toBe(false);
  });

  it.each([
    [{ package: 'a' }, true],
    [{ capability: 'api:x/v1' }, true],
    [{ package: 'a', capability: 'b' }, false],
    [{ version: '>=1' }, false],
  ])('a requirement %j is valid: %s', (requirement, ok) => {
    const variants = [{ name: 'default', requires: [requirement] }];
    expect(parsePackageSource(object('PackageSource', { variants })).ok).toBe(ok);
  });

  it.each([
    [{ kind: 'OCIArtifact', url: 'oci://example.org/tree:1' }, true],
    [{ kind: 'OCIArtifact', name: 'a', namespace: 'b' }, false],
    [{ kind: 'GitRepository', name: 'a', namespace: 'b' }, true],
    [{ kind: 'GitRepository', name: 'a' }, false],
    [{ kind: 'OCIRepository', url: 'oci://example.org/tree:1' }, false],
  ])('a sourceRef %j is valid: %s', (sourceRef, ok) => {
    expect(parsePackageSource(object('PackageSource', { sourceRef })).ok).toBe(ok);
  });
});

describe('parsePackageRevision', () => {
  it('takes a revision that the Go implementation wrote', () => {
    const spec = {
      package: 'demo',
      revision: 2,
      version: '1.0.0',
      variant: 'default',
      rollbackSafe: true,
      components: [{ name: 'app', releaseName: 'app', namespace: 'demo', chartDigest: 'sha256:abc' }],
    };
    const status = { phase: 'Applied', components: [{ name: 'app', backendRevision: 3 }] };
    const { spec: parsed } = valid(parsePackageRevision(object('PackageRevision', spec, { status })));
    expect(parsed.components?.[0]).toEqual({
      name: 'app',
      releaseName: 'app',
      namespace: 'demo',
      chartDigest: 'sha256:abc',
      valuesDigest: '',
    });
  });

  it('may have a longer name than its package', () => {
    const metadata = { name: `${'x'.repeat(63)}-12` };
    const spec = { package: 'x', revision: 12, variant: 'default' };
    expect(parsePackageRevision({ ...object('PackageRevision', spec), metadata }).ok).toBe(true);
  });

  it('needs a spec', () => {
    const { problems } = invalid(parsePackageRevision(object('PackageRevision', undefined)));
    expect(problems).toEqual([{ path: 'spec', message: 'is required' }]);
  });
});

describe('parseRepository', () => {
  it('fills in the defaults', () => {
    const spec = { url: 'https://example.org', trust: { rootKeys: ['key'] } };
    expect(valid(parseRepository(object('Repository', spec), STRICT)).spec).toEqual({
      url: 'https://example.org',
      priority: 0,
      interval: '10m',
      allowUnsigned: false,
      trust: { rootKeys: ['key'], rootThreshold: 1 },
    });
  });

  it.each([
    ['no URL', {}, 'spec.url'],
    ['trust in nobody', { url: 'https://example.org', trust: { rootKeys: [] } }, 'spec.trust.rootKeys'],
    [
      'a threshold of nobody',
      { url: 'https://example.org', trust: { rootKeys: ['a'], rootThreshold: 0 } },
      'spec.trust.rootThreshold',
    ],
  ])('refuses %s', (_, spec, path) => {
    expect(invalid(parseRepository(object('Repository', spec))).problems).toMatchObject([{ path }]);
  });
});
