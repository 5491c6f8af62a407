import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { customResourceDefinitions } from '../../../src/api/crd.ts';
import type { KubeObject } from '../../../src/api/kube.ts';
import { parsePackage, parsePackageSource } from '../../../src/api/parse.ts';
import { asArray, at } from '../../../src/lib/json.ts';
import { MAXIMAL_OBJECTS } from '../../build/maximal-objects.ts';
import { kubectl, kubectlJson } from './kubectl.ts';

// A group of its own: no other test, and no operator that one of them runs, sees these objects.
const GROUP = 'api-test.kubepkg.dev';
const CRDS = customResourceDefinitions(GROUP);
const NAMES = CRDS.map(({ metadata }) => metadata.name);

const PLURALS: Readonly<Record<string, string>> = {
  Package: `packages.${GROUP}`,
  PackageSource: `packagesources.${GROUP}`,
  PackageRevision: `packagerevisions.${GROUP}`,
  Repository: `repositories.${GROUP}`,
};

function pluralOf(kind: string): string {
  return PLURALS[kind] ?? kind;
}

function object(kind: string, name: string, spec: unknown): KubeObject {
  return { apiVersion: `${GROUP}/v1`, kind, metadata: { name }, ...(spec === undefined ? {} : { spec }) };
}

async function created(...objects: readonly KubeObject[]): Promise<string> {
  const { code, stderr } = await kubectl(['create', '-f', '-'], ...objects);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return stderr;
}

beforeAll(async () => {
  expect(await kubectl(['apply', '--server-side', '-f', '-'], ...CRDS)).toMatchObject({ code: 0, stderr: '' });
  const waited = await kubectl(['wait', '--for=condition=Established', '--timeout=60s', 'crd', ...NAMES]);
  expect(waited).toMatchObject({ code: 0 });
});

afterAll(async () => {
  await kubectl(['delete', '--wait=false', 'crd', ...NAMES]);
});

describe('the CustomResourceDefinitions on a real API server', () => {
  it.each(NAMES)('%s is established, and nothing is wrong with it', async (name) => {
    const conditions = asArray(at(await kubectlJson(['get', 'crd', name]), 'status', 'conditions'));
    expect(conditions.map((condition) => [at(condition, 'type'), at(condition, 'status')]).sort()).toEqual([
      ['Established', 'True'],
      ['NamesAccepted', 'True'],
    ]);
  });

  it.each(CRDS.map((crd) => [crd.metadata.name, crd] as const))('%s is kept as it was written', async (name, crd) => {
    const stored = await kubectlJson(['get', 'crd', name]);
    expect(stored['spec']).toEqual({ ...(crd['spec'] as object), conversion: { strategy: 'None' } });
  });

  it('fills in the defaults', async () => {
    await created(
      object('Package', 'defaults', undefined),
      object('Repository', 'defaults', { url: 'https://example.org', trust: { rootKeys: ['key'] } }),
      object('PackageSource', 'defaults', { rollback: {} }),
    );
    expect(at(await kubectlJson(['get', pluralOf('Package'), 'defaults']), 'spec')).toEqual({
      variant: 'default',
      revisionHistoryLimit: 10,
    });
    expect(at(await kubectlJson(['get', pluralOf('Repository'), 'defaults']), 'spec')).toEqual({
      url: 'https://example.org',
      priority: 0,
      interval: '10m',
      allowUnsigned: false,
      trust: { rootKeys: ['key'], rootThreshold: 1 },
    });
    expect(at(await kubectlJson(['get', pluralOf('PackageSource'), 'defaults']), 'spec')).toEqual({
      build: 0,
      rollback: { safe: false },
    });
  });

  it('fills in the same defaults as the parser', async () => {
    const written = object('Package', 'same-defaults', { upgrade: {}, components: { app: {} } });
    await created(written);
    const parsed = parsePackage(written, { group: GROUP });
    expect(parsed).toMatchObject({ ok: true });
    const stored = await kubectlJson(['get', pluralOf('Package'), 'same-defaults']);
    expect(at(stored, 'spec')).toEqual(at(parsed, 'value', 'spec'));
  });

  it.each(MAXIMAL_OBJECTS.map((maximal) => [maximal.kind, maximal] as const))(
    'prunes nothing of a %s that uses every field',
    async (kind, maximal) => {
      const { status, ...rest } = maximal;
      await created({ ...rest, apiVersion: `${GROUP}/v1` });
      const patch = ['patch', pluralOf(kind), maximal.metadata.name, '--subresource=status', '--type=merge'];
      expect(await kubectl([...patch, '-p', JSON.stringify({ status })])).toMatchObject({ code: 0, stderr: '' });
      const stored = await kubectlJson(['get', pluralOf(kind), maximal.metadata.name]);
      expect(stored['spec']).toEqual(maximal['spec']);
      expect(stored['status']).toEqual(status);
    },
  );

  it('replaces the values of a component whole when they are applied again, also by another manager', async () => {
    const values = object('Package', 'values', { components: { app: { values: { a: 1, b: { c: 2 } } } } });
    const fewer = object('Package', 'values', { components: { app: { values: { b: {} } } } });
    const none = object('Package', 'values', { components: { app: { values: {} } } });
    for (const [applied, manager] of [
      [values, 'one'],
      [fewer, 'two'],
      [none, 'two'],
    ] as const) {
      const apply = ['apply', '--server-side', '--force-conflicts', '--field-manager', manager, '-f', '-'];
      expect(await kubectl(apply, applied)).toMatchObject({ code: 0, stderr: '' });
      const stored = await kubectlJson(['get', pluralOf('Package'), 'values']);
      expect(at(stored, 'spec', 'components')).toEqual(at(applied, 'spec', 'components'));
    }
  });

  it('leaves the status alone when the object is written, and the spec when the status is', async () => {
    await created({ ...object('Package', 'split', {}), status: { version: '9.9.9' } });
    expect((await kubectlJson(['get', pluralOf('Package'), 'split']))['status']).toBeUndefined();
    const patch = JSON.stringify({ spec: { variant: 'other' }, status: { version: '1.0.0' } });
    await kubectl(['patch', pluralOf('Package'), 'split', '--subresource=status', '--type=merge', '-p', patch]);
    const stored = await kubectlJson(['get', pluralOf('Package'), 'split']);
    expect([at(stored, 'spec', 'variant'), at(stored, 'status', 'version')]).toEqual(['default', '1.0.0']);
    expect(stored.metadata.generation).toBe(1);
  });
});

const chart = { repository: 'https://charts.example.org', name: 'app', version: '1.0.0' };

function component(fields: object): object {
  return { variants: [{ name: 'default', components: [{ name: 'app', ...fields }] }] };
}

function readyWhen(fields: object): object {
  const entry = { apiVersion: 'v1', kind: 'Pod', name: 'p', ...fields };
  return component({ chart, install: { readyWhen: [entry] } });
}

function requires(fields: object): object {
  return { variants: [{ name: 'default', requires: [fields] }] };
}

const REFUSED: readonly (readonly [string, string, object])[] = [
  ['path and chart together', 'PackageSource', component({ path: 'app', chart })],
  ['neither path nor chart', 'PackageSource', component({})],
  ['chart with libraries', 'PackageSource', component({ chart, libraries: ['common'] })],
  ['chart with valuesFiles', 'PackageSource', component({ chart, valuesFiles: ['values.yaml'] })],
  ['a digest that is none', 'PackageSource', component({ chart: { ...chart, digest: 'sha256:ABC' } })],
  ['a repository without a scheme', 'PackageSource', component({ chart: { ...chart, repository: 'example.org' } })],
  ['a chart without a version', 'PackageSource', component({ chart: { ...chart, version: undefined } })],
  ['an unknown phase', 'PackageSource', component({ chart, install: { phase: 'PostUpgrade' } })],
  ['an unknown CRD policy', 'PackageSource', component({ chart, install: { upgradeCRDs: 'Always' } })],
  ['a release name that helm refuses', 'PackageSource', component({ chart, install: { releaseName: 'x'.repeat(54) } })],
  ['a negative build', 'PackageSource', { build: -1 }],
  ['requires of package and capability', 'PackageSource', requires({ package: 'a', capability: 'b' })],
  ['requires of nothing', 'PackageSource', requires({ version: '>=1' })],
  ['readyWhen with condition and expression', 'PackageSource', readyWhen({ condition: 'Ready', expression: 'true' })],
  ['readyWhen with neither', 'PackageSource', readyWhen({})],
  ['readyWhen with a bad duration', 'PackageSource', readyWhen({ condition: 'Ready', stableFor: 'soon' })],
  ['an OCIArtifact without url', 'PackageSource', { sourceRef: { kind: 'OCIArtifact', name: 'a', namespace: 'b' } }],
  ['a GitRepository without namespace', 'PackageSource', { sourceRef: { kind: 'GitRepository', name: 'a' } }],
  ['an unknown kind of source', 'PackageSource', { sourceRef: { kind: 'Bucket', name: 'a', namespace: 'b' } }],
  ['a bad duration', 'Package', { upgrade: { timeout: 'ten minutes' } }],
  ['a negative duration', 'Package', { upgrade: { timeout: '-1m' } }],
  ['a history of nothing', 'Package', { revisionHistoryLimit: 0 }],
  ['a history beyond 32 bits', 'Package', { revisionHistoryLimit: 3_000_000_000 }],
  ['an unknown crdPolicy', 'Package', { crdPolicy: 'Keep' }],
  ['values that are no object', 'Package', { components: { app: { values: ['a'] } } }],
  ['a repository without url', 'Repository', {}],
  ['trust in nobody', 'Repository', { url: 'https://example.org', trust: { rootKeys: [] } }],
  ['a revision of nothing', 'PackageRevision', { revision: 1, variant: 'default' }],
];

describe('the API server refuses', () => {
  it.each(REFUSED)('%s', async (_, kind, spec) => {
    const { code, stderr } = await kubectl(['create', '--dry-run=server', '-f', '-'], object(kind, 'refused', spec));
    expect(code).toBe(1);
    expect(stderr).toContain(`The ${kind} "refused" is invalid`);
  });

  it('a name that fits into no label', async () => {
    const { code } = await kubectl(['create', '--dry-run=server', '-f', '-'], object('Package', 'x'.repeat(64), {}));
    expect(code).toBe(1);
  });

  it('what the parser refuses as well', () => {
    const parsers = { Package: parsePackage, PackageSource: parsePackageSource };
    const rows = REFUSED.flatMap(([fault, kind, spec]) => {
      const parse = parsers[kind as keyof typeof parsers] as typeof parsePackage | undefined;
      return parse === undefined ? [] : [[fault, parse(object(kind, 'refused', spec), { group: GROUP }).ok]];
    });
    expect(rows.filter(([, ok]) => ok)).toEqual([]);
  });

  it('a change of the spec of a revision, but not of its labels or status', async () => {
    const spec = { package: 'fixed', revision: 1, version: '1.0.0', variant: 'default', components: [] };
    const revision = object('PackageRevision', 'fixed-1', spec);
    await created(revision);
    const changed = { ...revision, spec: { ...spec, version: '1.0.1' } };
    const refused = await kubectl(['replace', '-f', '-'], changed);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('the spec of a revision never changes');
    const labelled = { ...revision, metadata: { ...revision.metadata, labels: { a: 'b' } } };
    expect(await kubectl(['replace', '-f', '-'], labelled)).toMatchObject({ code: 0 });
    const status = ['--subresource=status', '--type=merge', '-p', '{"status":{"phase":"Applied"}}'];
    const patched = await kubectl(['patch', pluralOf('PackageRevision'), 'fixed-1', ...status]);
    expect(patched).toMatchObject({ code: 0 });
  });
});

describe('older versions', () => {
  it.each(['v1alpha1', 'v1beta1'])('%s is accepted with a warning and readable as v1', async (version) => {
    const name = `old-${version}`;
    const written = { ...object('Package', name, { version: '>=1' }), apiVersion: `${GROUP}/${version}` };
    const { code, stderr } = await kubectl(['create', '-f', '-'], written);
    expect(code).toBe(0);
    expect(stderr).toContain(`Warning: ${GROUP}/${version} Package is deprecated; use ${GROUP}/v1 Package`);
    const asV1 = await kubectlJson(['get', `packages.v1.${GROUP}`, name]);
    expect([asV1.apiVersion, at(asV1, 'spec', 'version')]).toEqual([`${GROUP}/v1`, '>=1']);
    const asOld = await kubectlJson(['get', `packages.${version}.${GROUP}`, name]);
    expect([asOld.apiVersion, at(asOld, 'spec', 'version')]).toEqual([`${GROUP}/${version}`, '>=1']);
  });
});

const COLUMNS: readonly (readonly [string, string, readonly string[]])[] = [
  ['Package', 'maximal', ['full', '1.2.3', '4', 'False', 'waiting for Deployment demo/app']],
  ['PackageSource', 'columns', ['1.2.3', '7', 'main']],
  ['PackageRevision', 'maximal-4', ['maximal', '4', '1.2.3', 'Failed']],
  ['Repository', 'maximal', ['https://packages.example.org', '-5', '12', 'False', 'waiting for Deployment demo/app']],
];
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  Package: ['VARIANT', 'VERSION', 'REVISION', 'READY', 'STATUS'],
  PackageSource: ['VERSION', 'BUILD', 'REPOSITORY', 'AGE'],
  PackageRevision: ['PACKAGE', 'REVISION', 'VERSION', 'PHASE'],
  Repository: ['URL', 'PRIORITY', 'PACKAGES', 'READY', 'STATUS'],
};

describe('kubectl get', () => {
  it.each(COLUMNS)('shows the columns of a %s', async (kind, name, cells) => {
    if (kind === 'PackageSource') {
      const labels = { 'kubepkg.dev/repository': 'main' };
      await created({ ...object(kind, name, { version: '1.2.3', build: 7 }), metadata: { name, labels } });
    }
    const { stdout } = await kubectl(['get', pluralOf(kind), name]);
    const [header, row] = stdout.split('\n').map((line) => line.split(/ {2,}/).map((cell) => cell.trim()));
    expect(header?.filter((cell) => cell !== '')).toEqual(['NAME', ...(HEADERS[kind] ?? [])]);
    expect(row?.slice(0, cells.length + 1)).toEqual([name, ...cells]);
  });

  it('is offered the short names', async () => {
    const { stdout } = await kubectl(['get', '--raw', `/apis/${GROUP}/v1`]);
    const named = asArray(at(JSON.parse(stdout), 'resources')).filter(
      (resource) => at(resource, 'shortNames') !== undefined,
    );
    expect(Object.fromEntries(named.map((one) => [at(one, 'kind'), at(one, 'shortNames')]))).toEqual({
      Package: ['pkg', 'pkgs'],
      PackageSource: ['pks'],
      PackageRevision: ['pkgrev'],
      Repository: ['pkgrepo'],
    });
  });

  it('explains the fields', async () => {
    const { stdout } = await kubectl(['explain', 'packages.spec.upgrade.timeout', `--api-version=${GROUP}/v1`]);
    expect(stdout).toContain('What each component has to become ready');
  });
});
