import { afterAll, describe, expect, it } from 'vitest';
import type { SourceComponent, WrittenPackageSourceSpec } from '../../../src/api/package-source.ts';
import type { WrittenPackageSpec } from '../../../src/api/package.ts';
import { configMapChart, deploymentChart } from './charts.ts';
import { condition, hasReason, isReady, OperatorWorld, type PackageObject } from './world.ts';

const SCHEMA = JSON.stringify({ type: 'object', properties: { size: { type: 'integer' } } });

/** Hardly compressible, and the same in every run. */
function randomText(length: number): string {
  let state = 1;
  let text = '';
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    text += state.toString(36).slice(-5);
  }
  return text;
}

function at(
  path: string,
  install: SourceComponent['install'] = {},
  rest: Partial<SourceComponent> = {},
): SourceComponent {
  return { name: path, path, install: { namespace: 'bad', releaseName: `r-${path}`, ...install }, ...rest };
}

function source(...components: SourceComponent[]): WrittenPackageSourceSpec {
  return {
    version: '1.0.0',
    sourceRef: { kind: 'OCIArtifact', url: tree },
    variants: [{ name: 'default', components }],
  };
}

const published = (repository: string, digest?: string): SourceComponent => ({
  name: 'chart',
  chart: { repository, name: 'redis', version: '1.2.3', ...(digest === undefined ? {} : { digest }) },
  install: { namespace: 'bad' },
});

interface Row {
  readonly name: string;
  readonly source: () => WrittenPackageSourceSpec;
  readonly pkg?: WrittenPackageSpec;
  readonly reason: string;
  readonly text: RegExp;
  /** It waits and tries again instead of being held. */
  readonly retried?: boolean;
  /** Helm keeps a record of what the API server refused. */
  readonly recorded?: boolean;
}

const ROWS: readonly Row[] = [
  {
    name: 'cycle',
    source: () => source(at('good', { dependsOn: ['app'] }), at('app', { dependsOn: ['good'] })),
    reason: 'InvalidConfiguration',
    text: /good → app → good/,
  },
  {
    name: 'no-namespace',
    source: () => source({ name: 'good', path: 'good', install: {} }),
    reason: 'InvalidConfiguration',
    text: /no namespace/,
  },
  {
    name: 'no-such-variant',
    source: () => source(at('good')),
    pkg: { variant: 'huge' },
    reason: 'VariantNotFound',
    text: /huge.*default/,
  },
  {
    name: 'wrong-version',
    source: () => source(at('good')),
    pkg: { version: '>=2' },
    reason: 'VersionMismatch',
    text: /1\.0\.0.*>=2/,
  },
  {
    name: 'no-such-backend',
    source: () => source(at('good')),
    pkg: { backend: 'tanka' },
    reason: 'InvalidConfiguration',
    text: /tanka.*helm/,
  },
  { name: 'missing-path', source: () => source(at('absent')), reason: 'InvalidConfiguration', text: /absent/ },
  { name: 'bad-chart', source: () => source(at('nothing')), reason: 'InvalidConfiguration', text: /nothing/ },
  {
    name: 'missing-chart',
    source: () => source(published(`oci://${world.plane.registry?.host ?? ''}/charts`)),
    reason: 'FetchFailed',
    text: /redis/,
    retried: true,
  },
  {
    name: 'no-registry',
    source: () => source(published('oci://127.0.0.1:1/charts')),
    reason: 'FetchFailed',
    text: /127\.0\.0\.1:1/,
    retried: true,
  },
  { name: 'does-not-render', source: () => source(at('broken')), reason: 'UpgradeFailed', text: /broken/ },
  {
    name: 'schema',
    source: () => source(at('strict')),
    pkg: { components: { strict: { values: { size: 'large' } } } },
    reason: 'UpgradeFailed',
    text: /size/,
  },
  {
    name: 'invalid-object',
    source: () => source(at('invalid')),
    reason: 'UpgradeFailed',
    text: /Not_A_Name/,
    recorded: true,
  },
  { name: 'f91-too-big', source: () => source(at('big')), reason: 'UpgradeFailed', text: /files\/big\.bin/ },
];

const world = await OperatorWorld.start();
afterAll(() => world.stop());
const tree = await world.push('bad/tree', {
  good: configMapChart(),
  app: deploymentChart(),
  broken: { 'templates/x.yaml': '{{ .Values.a.b.c }}' },
  invalid: { 'templates/x.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Not_A_Name}\n' },
  strict: { ...configMapChart(), 'values.schema.json': SCHEMA },
  big: { ...configMapChart(), 'files/big.bin': randomText(1_600_000), 'files/small.txt': 'x' },
  nothing: { 'Chart.yaml': 'apiVersion: v2\nname: [nothing\n' },
});
await world.startOperator();

describe('bad input gets one clear reason, and nothing is half done', () => {
  it.each(ROWS)('$name: $reason', async ({ name, source: make, pkg, reason, text, retried, recorded }) => {
    await world.applySource(name, make());
    await world.applyPackage(name, pkg);
    const found = await world.untilPackage(name, hasReason(reason));
    expect(condition(found, 'Ready')?.message).toMatch(text);
    expect(condition(found, retried === true ? 'Reconciling' : 'Stalled')?.status).toBe('True');
    expect(condition(found, 'Available')?.reason).toBe(recorded === true ? 'ComponentNotHealthy' : 'NotInstalled');
  });

  it('none of them left an object behind, and the operator goes on serving others', async () => {
    const { items } = await world.cluster.list({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'bad',
      labelSelector: 'app.kubernetes.io/managed-by=Helm',
    });
    expect(items).toEqual([]);
    await world.applySource('fine', source(at('app')));
    await world.applyPackage('fine');
    await world.untilPackage('fine', isReady);
  });

  it('P21 a release that belongs to someone else is found before anything is touched', async () => {
    await world.cluster.write({
      verb: 'apply',
      force: true,
      object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'theirs' } },
    });
    const data = { release: 'eA==' };
    const labels = { owner: 'helm', name: 'good', status: 'deployed', version: '1' };
    const metadata = { name: 'sh.helm.release.v1.good.v1', namespace: 'theirs', labels };
    await world.cluster.write({
      verb: 'create',
      object: { apiVersion: 'v1', kind: 'Secret', type: 'helm.sh/release.v1', metadata, data },
    });
    await world.applySource(
      'taker',
      source(
        at('app', { namespace: 'theirs', releaseName: 'app' }),
        at('good', { namespace: 'theirs', releaseName: 'good' }),
      ),
    );
    await world.applyPackage('taker');
    const pkg = await world.untilPackage('taker', hasReason('InvalidConfiguration'));
    expect(condition(pkg, 'Ready')?.message).toMatch(/release theirs\/good .*was not made by kubepkg/);
    expect(await world.records('theirs', 'app')).toEqual([]);
    expect(await world.revisions('taker')).toEqual([]);
  });

  it('P21 two packages can never own one release', async () => {
    await world.applySource('second', source(at('app')));
    await world.applyPackage('second');
    const pkg: PackageObject = await world.untilPackage('second', hasReason('InvalidConfiguration'));
    expect(condition(pkg, 'Ready')?.message).toMatch(/belongs to package fine/);
  });

  it('a Package without a source waits for it, and starts when it comes', async () => {
    await world.applyPackage('early');
    await world.untilPackage('early', hasReason('PackageSourceNotFound'));
    await world.applySource('early', source(at('good', { namespace: 'early' })));
    await world.untilPackage('early', isReady);
  });
});
