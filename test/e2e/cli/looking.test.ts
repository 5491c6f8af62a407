import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/kube.ts';
import { writeYaml } from '../../../src/lib/yaml.ts';
import { deploymentChart } from '../operator/charts.ts';
import { OperatorWorld } from '../operator/world.ts';
import { Program, type ProgramResult } from './program.ts';

const CRASHING = { image: 'example.org/app:2', sim: { 'sim.kubepkg.dev/behavior': 'crash-loop' } };

/** A package whose second revision waits for a pod that crashes, and somebody who looks at it. */
class Lookout {
  #world: OperatorWorld | undefined;

  async start(): Promise<void> {
    this.#world = await OperatorWorld.start({ audit: false, users: [{ name: 'powerless', groups: [] }] });
    const tree = await this.world.push('looking/tree', { app: deploymentChart(), store: deploymentChart() });
    await this.world.startOperator();
    const install = { namespace: 'shop' };
    const components = [
      { name: 'app', path: 'app', install: { ...install, dependsOn: ['store'] } },
      { name: 'store', path: 'store', install },
    ];
    const source = {
      apiVersion: 'kubepkg.dev/v1',
      kind: 'PackageSource',
      metadata: { name: 'shop' },
      spec: {
        version: '1.0.0',
        sourceRef: { kind: 'OCIArtifact', url: tree },
        variants: [{ name: 'default', components }],
      },
    };
    const first = ['install', 'shop', '-f', await this.file('source.yaml', source)];
    expect(await this.run(...first)).toMatchObject({ exitCode: 0 });
    const values = `app=${await this.file('values.yaml', CRASHING)}`;
    await this.run('install', 'shop', '--values', values, '--no-wait');
    await this.world.until('kubepkg.dev/v1', 'Package', 'shop', (pkg) => messageOf(pkg).includes('exit code'));
  }

  async stop(): Promise<void> {
    await this.#world?.stop();
  }

  get world(): OperatorWorld {
    if (this.#world === undefined) throw new Error('the lookout is not manned');
    return this.#world;
  }

  run(...argv: readonly string[]): Promise<ProgramResult> {
    return new Program({ KUBECONFIG: this.world.plane.kubeconfig }).run(argv);
  }

  /** Where the machine is so busy that nothing comes in the time that a person waits, the key is pressed again. */
  async complete(...words: readonly string[]): Promise<string> {
    const { stdout } = await this.run('__complete', ...words);
    return stdout === ':4\n' ? this.complete(...words) : stdout;
  }

  async file(name: string, value: unknown): Promise<string> {
    const path = join(this.world.dir, name);
    await writeFile(path, writeYaml(value));
    return path;
  }
}

function messageOf(pkg: KubeObject): string {
  return JSON.stringify(pkg['status'] ?? {});
}

const lookout = new Lookout();
beforeAll(() => lookout.start(), 120_000);
afterAll(() => lookout.stop());

describe('commands that look, against an API server with an operator at work', { timeout: 60_000 }, () => {
  it('status leads from the package to the container that crashes', async () => {
    const { stdout, stderr, exitCode } = await lookout.run('status', 'shop');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(
      /├─ store {2}Ready.*\n└─ app {2}Submitted {2}for .*left \(.*\)\n[^]*└─ Deployment shop\/app {2}Progressing.*\n[^]*└─ Pod app-\S+.*\n +container app last ended with exit code \d+/,
    );
  });

  it('status says what a user may not read, and shows the rest', async () => {
    const { cluster, plane } = lookout.world;
    const kubeconfig = plane.kubeconfigFor('powerless');
    const refused = await lookout.run('status', 'shop', '--kubeconfig', kubeconfig);
    expect(refused.exitCode).toBe(4);
    expect(refused.stderr).toMatch(/packages\.kubepkg\.dev .*forbidden/);
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'lookout' };
    const rules = [{ apiGroups: ['kubepkg.dev'], resources: ['*'], verbs: ['get', 'list'] }];
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'powerless' }];
    for (const [kind, fields] of [
      ['ClusterRole', { rules }],
      ['ClusterRoleBinding', { roleRef, subjects }],
    ] as const) {
      const apiVersion = 'rbac.authorization.k8s.io/v1';
      await cluster.write({ verb: 'create', object: { apiVersion, kind, metadata: { name: 'lookout' }, ...fields } });
    }
    const partly = await lookout.run('status', 'shop', '--kubeconfig', kubeconfig);
    expect(partly.exitCode).toBe(0);
    expect(partly.stdout).toMatch(/└─ app {2}Submitted .*\n.*Deployment shop\/app/);
    expect(partly.stderr).toMatch(
      /^warning: what belongs to component app cannot be read: .*cannot list resource "secrets".*\nhint: .+\n$/,
    );
  });

  it('history has both revisions, the newest marked', async () => {
    const { stdout } = await lookout.run('history', 'shop');
    expect(stdout).toMatch(/^REVISION .*\n1 +1\.0\.0 +Applied .*ago.*\n2 \* +1\.0\.0 +Applying .*\n$/);
  });

  it('get prints what each revision delivered', async () => {
    const first = await lookout.run('get', 'manifest', 'shop', 'app', '--revision', '1');
    expect(first.stdout).toContain('image: example.org/app:1.0.0');
    const second = await lookout.run('get', 'manifest', 'shop', 'app', '-o', 'name');
    expect(second.stdout).toBe('deployment.apps/app\n');
    const values = await lookout.run('get', 'values', 'shop', 'app');
    expect(values.stdout).toContain('image: example.org/app:2\n');
    const chart = await lookout.run('get', 'chart', 'shop');
    expect(chart.stdout).toMatch(/^app +oci:\/\/.*sha256:[0-9a-f]{64}$/m);
  });

  it('values tells that they are from the Package', async () => {
    const { stdout } = await lookout.run('values', 'shop');
    expect(stdout).toMatch(/^app +image +Package +example\.org\/app:2$/m);
  });

  it('diff tells the revisions apart, and their objects', async () => {
    const revisions = await lookout.run('diff', 'shop', '--exit-code');
    expect(revisions).toMatchObject({ exitCode: 1, stderr: '' });
    expect(revisions.stdout).toContain('image: example.org/app:2\n');
    const manifests = await lookout.run('diff', 'shop', '--manifests');
    expect(manifests.stdout).toMatch(/- +image: example\.org\/app:1\.0\.0\n\+ +image: example\.org\/app:2\n/);
    expect(manifests.stdout).not.toContain('store');
  });

  it('diff --live finds no drift in what was delivered just now, and all of it afterwards', async () => {
    expect(await lookout.run('diff', 'shop', '--live', '--exit-code')).toMatchObject({ exitCode: 0, stdout: '' });
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'store' };
    await lookout.world.cluster.write({ verb: 'merge-patch', ref, patch: { spec: { replicas: 2 } } });
    const { stdout } = await lookout.run('diff', 'shop', '--live');
    expect(
      stdout
        .split('\n')
        .filter((line) => /^[-+]/.test(line))
        .slice(2),
    ).toEqual(['-  replicas: 1', '+  replicas: 2']);
  });

  it('events are of the package and of its pods, oldest first', async () => {
    const { stdout, exitCode } = await lookout.run('events', 'shop', '-o', 'json');
    expect(exitCode).toBe(0);
    const { items } = JSON.parse(stdout) as { items: readonly { involvedObject: { kind: string; name: string } }[] };
    const kinds = new Set(items.map(({ involvedObject }) => involvedObject.kind));
    expect([...kinds]).toEqual(expect.arrayContaining(['Package', 'Deployment', 'ReplicaSet']));
    const packages = items.filter(({ involvedObject: { kind } }) => kind === 'Package');
    expect(new Set(packages.map(({ involvedObject: { name } }) => name))).toEqual(new Set(['shop']));
  });

  it('logs say which pod could not be asked, and go on', async () => {
    const { exitCode, stderr } = await lookout.run('logs', 'shop', 'app');
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^warning: the log of pod shop\/app-\S+ cannot be read: .+$/m);
  });

  it('completion knows components and revisions', async () => {
    expect(await lookout.complete('logs', 'shop', '')).toBe('store\napp\n:4\n');
    expect(await lookout.complete('diff', 'shop', '--from', '')).toMatch(/^1\t.*\n2\t.*\n:4\n$/);
  });
});
