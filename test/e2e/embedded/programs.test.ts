import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import '../../setup/provided.ts';
import { writeYaml } from '../../../src/lib/yaml.ts';
import { definingChart, hookedChart } from './program-charts.ts';
import { oldPrograms, type Ran, type ServedCluster, serveCluster } from './programs.ts';

interface Programs {
  readonly helm: string;
  readonly kubectl: string;
}

const GENERATIONS: readonly (readonly [what: string, find: () => Promise<Programs>])[] = [
  ['helm 3.17 and kubectl 1.32', oldPrograms],
  ['helm 4.1 and kubectl 1.35', () => Promise.resolve({ helm: inject('helm'), kubectl: inject('kubectl') })],
];

describe.each(GENERATIONS)('%s on the embedded cluster', (_what, find) => {
  const scene: { cluster?: ServedCluster; programs?: Programs } = {};

  beforeAll(async () => {
    scene.programs = await find();
    scene.cluster = await serveCluster();
  });
  afterAll(() => scene.cluster?.close());

  function cluster(): ServedCluster {
    if (scene.cluster === undefined) throw new Error('the cluster was not started');
    return scene.cluster;
  }

  function run(program: keyof Programs, line: string): Promise<Ran> {
    return cluster().run(scene.programs?.[program] ?? program, line.split(' '));
  }

  /** What it prints; it has to end well. */
  async function ok(program: keyof Programs, line: string): Promise<string> {
    const { code, out, err } = await run(program, line);
    expect(`${line}: exit code ${String(code)}\n${code === 0 ? '' : err}`).toBe(`${line}: exit code 0\n`);
    return out;
  }

  const helm = (line: string): Promise<string> => ok('helm', line);
  const kubectl = (line: string): Promise<string> => ok('kubectl', line);

  async function json(line: string): Promise<Readonly<Record<string, unknown>>> {
    return JSON.parse(await kubectl(`${line} -o json`)) as Readonly<Record<string, unknown>>;
  }

  function manifest(name: string, ...objects: readonly unknown[]): void {
    writeFileSync(join(cluster().folder, name), objects.map((object) => writeYaml(object)).join('---\n'));
  }

  async function revisions(release: string): Promise<readonly string[]> {
    const history = JSON.parse(await helm(`history ${release} -o json`)) as readonly { readonly status: string }[];
    return history.map(({ status }) => status);
  }

  it('helm installs, upgrades, rolls back, tests and uninstalls the chart that it creates', async () => {
    await helm('create demo');
    await helm('install web demo --wait --timeout 60s');
    expect(await helm('list -q')).toBe('web\n');
    expect(await json('get deployment web-demo')).toMatchObject({ status: { readyReplicas: 1 } });
    await helm('upgrade web demo --set replicaCount=2 --wait --timeout 60s');
    expect(await json('get deployment web-demo')).toMatchObject({
      spec: { replicas: 2 },
      status: { readyReplicas: 2 },
    });
    expect(JSON.parse(await helm('get values web -o json'))).toEqual({ replicaCount: 2 });
    await helm('rollback web 1 --wait --timeout 60s');
    expect(await revisions('web')).toEqual(['superseded', 'superseded', 'deployed']);
    expect(await json('get deployment web-demo')).toMatchObject({ spec: { replicas: 1 } });
    expect(await helm('test web --timeout 60s')).toMatch(/Phase:\s+Succeeded/);
    await helm('uninstall web --wait --timeout 60s');
    expect(await kubectl('get deployment,service,serviceaccount -l app.kubernetes.io/instance=web -o name')).toBe('');
  });

  it('helm runs the hooks of a chart around each change', async () => {
    const chart = hookedChart(cluster().folder);
    await helm(`install hooked ${chart} --timeout 60s`);
    expect(await json('get job before')).toMatchObject({ status: { succeeded: 1 } });
    await helm(`upgrade hooked ${chart} --set color=blue --timeout 60s`);
    expect(await json('get configmap settings')).toMatchObject({ data: { color: 'blue' } });
    await helm('rollback hooked 1 --timeout 60s');
    expect(await json('get configmap settings')).toMatchObject({ data: { color: 'red' } });
    expect(await helm('test hooked --timeout 60s')).toMatch(/Phase:\s+Succeeded/);
    await helm('uninstall hooked --timeout 60s');
    expect(await helm('list -q')).toBe('');
  });

  it('helm brings the kinds of a chart, and leaves them', async () => {
    const chart = definingChart(cluster().folder);
    await helm(`install paint ${chart}`);
    expect(await json('get paint wall')).toMatchObject({ spec: { color: 'red', size: 3 } });
    await helm(`upgrade paint ${chart} --set color=blue`);
    expect(await kubectl('get paints')).toMatch(/^NAME +AGE\nwall /);
    expect(await json('get paint wall')).toMatchObject({ spec: { color: 'blue' } });
    await helm('uninstall paint');
    await kubectl('delete crd paints.shop.example.org');
    expect((await run('kubectl', 'get paints')).code).toBe(1);
  });

  it('kubectl applies, compares, describes, waits, reads logs and events, and deletes', async () => {
    const containers = [{ name: 'app', image: 'registry.example.org/app:1' }];
    const template = { metadata: { labels: { app: 'shop' } }, spec: { containers } };
    const selector = { matchLabels: { app: 'shop' } };
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'shop' },
      spec: { replicas: 1, selector, template },
    };
    manifest('shop.yaml', deployment);
    expect(await kubectl('apply -f shop.yaml')).toBe('deployment.apps/shop created\n');
    expect(await kubectl('apply -f shop.yaml')).toBe('deployment.apps/shop unchanged\n');
    await kubectl('wait --for=condition=Available deployment/shop --timeout=60s');
    expect(await kubectl('get deployment shop')).toMatch(/^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nshop +1\/1 +1 +1 /);
    expect(await kubectl('describe deployment shop')).toMatch(/1 desired \| 1 updated \| 1 total \| 1 available/);
    expect(await kubectl('events --for deployment/shop')).toMatch(/ScalingReplicaSet/);
    expect((await run('kubectl', 'logs deployment/shop --tail=5')).code).toBe(0);
    manifest('shop.yaml', { ...deployment, spec: { ...deployment.spec, replicas: 2 } });
    const difference = await run('kubectl', 'diff -f shop.yaml');
    expect([difference.code, difference.out]).toEqual([1, expect.stringMatching(/\+ {2}replicas: 2/)]);
    expect(await kubectl('apply --server-side --force-conflicts -f shop.yaml')).toMatch(/serverside-applied/);
    await kubectl('rollout status deployment/shop --timeout=60s');
    await kubectl('scale deployment/shop --replicas=0');
    await kubectl('delete -f shop.yaml --timeout=60s');
    // As on a real cluster, what belongs to the Deployment is collected after it, in the background.
    await kubectl('wait --for=delete pods -l app=shop --timeout=60s');
    expect(await kubectl('get pods -l app=shop -o name')).toBe('');
  });

  it('kubectl is told of conflicts, unknown fields and what is not served', async () => {
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'contended' }, data: { color: 'red' } };
    manifest('settings.yaml', settings);
    await kubectl('apply --server-side --field-manager=first -f settings.yaml');
    manifest('settings.yaml', { ...settings, data: { color: 'blue' } });
    const conflict = await run('kubectl', 'apply --server-side --field-manager=second -f settings.yaml');
    expect(conflict).toMatchObject({
      code: 1,
      err: expect.stringMatching(/conflict with "first": \.data\.color/) as string,
    });
    manifest('settings.yaml', { ...settings, colour: 'blue' });
    const unknown = await run('kubectl', 'apply --server-side -f settings.yaml');
    expect(unknown).toMatchObject({
      code: 1,
      err: expect.stringMatching(/unknown field "colour"|field not declared in schema/) as string,
    });
    expect((await run('kubectl', 'get gadgets')).err).toMatch(/doesn't have a resource type "gadgets"/);
    await kubectl('create namespace closing');
    await kubectl('delete namespace closing --timeout=60s');
    expect((await run('kubectl', 'get namespace closing')).err).toMatch(/NotFound/);
  });
});
