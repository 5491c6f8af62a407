import { describe, expect, it } from 'vitest';
import { desiredRelease, TARGET } from '../../../test/build/helm-release.ts';
import type { ChartLocation } from '../../helm/chart-location.ts';
import { sha256 } from '../../lib/digest.ts';
import { asArray, asString, at, isRecord } from '../../lib/json.ts';
import type { DesiredRelease } from '../../ports/backend.ts';
import { WRITTEN_FIELDS } from './surroundings.ts';
import { type FluxObjects, type FluxOptions, specDigest, translate } from './translate.ts';

const OCI: ChartLocation = {
  kind: 'oci',
  repository: 'oci://registry.example.com/charts/web',
  version: '1.0.0',
  manifestDigest: `sha256:${'a1'.repeat(32)}`,
};
const HTTP: ChartLocation = { kind: 'http', repository: 'https://charts.example.com', name: 'web', version: '1.0.0' };
const NOW = Date.UTC(2030, 0, 1);

function translated(
  shape: Partial<DesiredRelease> = {},
  location: ChartLocation = OCI,
  options: FluxOptions = {},
): FluxObjects {
  return translate(desiredRelease(shape), { location, options, now: NOW });
}

/** The paths of all fields, lists and names of things apart. */
function pathsIn(value: unknown, stops: readonly string[], path = ''): readonly string[] {
  if (!isRecord(value) || stops.includes(path)) return [path];
  return Object.entries(value).flatMap(([key, child]) => pathsIn(child, stops, path === '' ? key : `${path}.${key}`));
}

describe('what is written for Flux', () => {
  it('names a published OCI chart by the digest of its manifest', () => {
    const { source, helmRelease } = translated();
    expect(source).toMatchObject({
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'OCIRepository',
      metadata: { namespace: 'shop-ns', labels: { 'kubepkg.dev/package': 'shop', 'kubepkg.dev/component': 'web' } },
      spec: {
        url: 'oci://registry.example.com/charts/web',
        ref: { digest: OCI.manifestDigest },
        layerSelector: { mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', operation: 'copy' },
      },
    });
    expect(helmRelease.spec).toMatchObject({ chartRef: { kind: 'OCIRepository', name: source.metadata.name } });
    expect(helmRelease.annotations['kubepkg.dev/chart']).toBe(`1.0.0@${OCI.manifestDigest}`);
  });

  it.each(['1.0.0', '1.2.3+up4', '2.0.0-rc.1+build.7'])(
    'F85 asks an HTTP repository for exactly version %s',
    (version) => {
      const { source, helmRelease } = translated({}, { ...HTTP, version });
      expect(source).toMatchObject({ kind: 'HelmRepository', spec: { url: 'https://charts.example.com' } });
      expect(at(helmRelease.spec, 'chart', 'spec')).toMatchObject({
        chart: 'web',
        version,
        sourceRef: { kind: 'HelmRepository', name: source.metadata.name },
      });
      expect(helmRelease.annotations['kubepkg.dev/chart']).toBe(version);
    },
  );

  it('F88 F89 names the pull Secret for OCI registries alone, and takes the whole path as it is', () => {
    const nested = { ...OCI, repository: 'oci://registry.example.com/team/product/charts/web' };
    const { source } = translated({}, nested, { pullSecret: 'pull' });
    expect(source['spec']).toMatchObject({ url: nested.repository, secretRef: { name: 'pull' } });
    expect(translated({}, HTTP, { pullSecret: 'pull' }).source['spec']).not.toHaveProperty('secretRef');
  });

  it('another chart is another source, so that nothing is upgraded before the values change with it', () => {
    const names = [
      OCI,
      { ...OCI, manifestDigest: `sha256:${'b2'.repeat(32)}` },
      HTTP,
      { ...HTTP, repository: 'https://x' },
    ].map((location) => translated({}, location).source.metadata.name);
    expect(new Set(names).size).toBe(4);
    expect(translated().source.metadata.name).toBe(names[0]);
    for (const name of names) expect(name).toMatch(/^web-[0-9a-f]{12}$/);
  });

  it('I10 holds the values in an immutable Secret, and nowhere else', () => {
    const objects = translated({ values: { password: 'hunter2-is-secret' } });
    const { values, helmRelease } = objects;
    const text = Buffer.from(asString(at(values, 'data', 'values.yaml')) ?? '', 'base64').toString();
    expect(text).toBe('password: hunter2-is-secret\n');
    expect(values).toMatchObject({ kind: 'Secret', type: 'kubepkg.dev/values', immutable: true });
    expect(values.metadata.name).toBe(`web-values-${sha256(text).slice(0, 12)}`);
    expect(asArray(helmRelease.spec['valuesFrom'])).toEqual([
      { kind: 'Secret', name: values.metadata.name, valuesKey: 'values.yaml' },
    ]);
    expect(JSON.stringify([objects.source, helmRelease])).not.toContain('hunter2');
    expect(helmRelease.annotations['kubepkg.dev/config-digest']).toBe(`sha256:${sha256(text)}`);
  });

  it('R14 the same chart and values are the same spec again, whatever was in between', () => {
    expect(translated({ token: 'token-9' }).helmRelease.spec).toEqual(translated().helmRelease.spec);
  });

  it('R5 switches everything off by which Flux would decide, and every wait that nobody asked for', () => {
    const action = {
      crds: 'Skip',
      strategy: { name: 'RemediateOnFailure' },
      remediation: { retries: 0 },
      disableOpenAPIValidation: true,
      disableTakeOwnership: true,
      disableWait: true,
      disableWaitForJobs: true,
    };
    const { spec } = translated({ timeoutMs: 90_000 }).helmRelease;
    const { chartRef: _chart, valuesFrom: _values, ...rest } = spec;
    expect(rest).toEqual({
      interval: '5m',
      releaseName: 'web',
      timeout: '1m30s',
      maxHistory: 5,
      install: { ...action, replace: true, serverSideApply: true },
      upgrade: { ...action, serverSideApply: 'enabled', chartNameChangeStrategy: 'InPlaceUpdate' },
      uninstall: { deletionPropagation: 'foreground', disableWait: true },
      driftDetection: { mode: 'disabled' },
    });
  });

  it.each<[string, Partial<DesiredRelease>]>([
    ['health checks', { healthCheckExprs: [{ apiVersion: 'a/v1', kind: 'B', current: 'true' }] }],
    ['a wait strategy', { waitStrategy: 'legacy' }],
    ['a chart with hooks that follow', { chart: { ...desiredRelease().chart, hasPostHooks: true } }],
  ])('waits where it is asked to by %s', (_, shape) => {
    const { spec } = translated(shape).helmRelease;
    expect(spec['install']).not.toHaveProperty('disableWait');
    expect(spec['upgrade']).not.toHaveProperty('disableWaitForJobs');
  });

  it('passes on what the component asks for', () => {
    const expr = { apiVersion: 'a/v1', kind: 'B', current: 'true', inProgress: undefined, failed: 'false' };
    const shape = {
      adopt: true,
      skipSchemaValidation: true,
      healthCheckExprs: [expr],
      waitStrategy: 'poller',
    } as const;
    const { spec } = translated(shape).helmRelease;
    expect(spec['healthCheckExprs']).toEqual([{ apiVersion: 'a/v1', kind: 'B', current: 'true', failed: 'false' }]);
    expect(spec['waitStrategy']).toEqual({ name: 'poller' });
    expect(spec['install']).toMatchObject({ disableSchemaValidation: true });
    expect(spec['install']).not.toHaveProperty('disableTakeOwnership');
  });

  it('asks for a turn, for an upgrade in any case, and for new counters, all by the token of the attempt', () => {
    const { annotations } = translated({ token: 'token-7', digest: 'digest-7' }).helmRelease;
    expect(annotations).toMatchObject({
      'kubepkg.dev/attempt': 'token-7',
      'kubepkg.dev/digest': 'digest-7',
      'kubepkg.dev/instructed-at': '2030-01-01T00:00:00Z',
      'reconcile.fluxcd.io/requestedAt': 'token-7',
      'reconcile.fluxcd.io/forceAt': 'token-7',
      'reconcile.fluxcd.io/resetAt': 'token-7',
    });
  });

  it('knows its own spec again, suspended or not, and no other', () => {
    const { spec, annotations } = translated().helmRelease;
    const noted = annotations['kubepkg.dev/spec-digest'];
    expect(specDigest({ ...spec, suspend: true })).toBe(noted);
    expect(specDigest({ ...spec, interval: '1m' })).not.toBe(noted);
    expect(specDigest(undefined)).not.toBe(noted);
  });

  it('F90 names fit where release names do', () => {
    const releaseName = 'r'.repeat(53);
    const { source, values } = translated({ releaseName });
    expect([source.metadata.name.length, values.metadata.name.length]).toEqual([66, 73]);
    expect(source.metadata.labels?.['kubepkg.dev/release']).toBe(releaseName);
  });

  it('writes no field that the surroundings are not checked for', () => {
    const all = {
      ...TARGET,
      skipSchemaValidation: true,
      waitStrategy: 'poller',
      healthCheckExprs: [{ apiVersion: 'a/v1', kind: 'B', current: 'true' }],
    } as const;
    const stops = ['chartRef', 'chart.spec.sourceRef', 'valuesFrom', 'healthCheckExprs'];
    const written = [translated(all), translated(all, HTTP), translated()].flatMap(({ helmRelease }) =>
      pathsIn(helmRelease.spec, stops),
    );
    expect([...new Set(written)].filter((path) => !WRITTEN_FIELDS.includes(path))).toEqual([]);
  });
});
