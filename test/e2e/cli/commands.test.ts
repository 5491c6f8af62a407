import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync } from 'node:fs';
import { mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import '../../setup/provided.ts';
import type { KubeObject } from '../../../src/api/kube.ts';
import { at } from '../../../src/lib/json.ts';
import { writeYaml } from '../../../src/lib/yaml.ts';
import { Program } from './program.ts';

const kubeconfig = inject('kubeconfig');
const program = new Program({ KUBECONFIG: kubeconfig });
// Whole, since another test makes the same kinds in a group of its own.
const PACKAGES = 'packages.kubepkg.dev';
const SOURCES = 'packagesources.kubepkg.dev';
const dir = mkdtempSync(join(tmpdir(), 'kubepkg-cli-'));

beforeAll(async () => {
  const crds = await program.run(['crds']);
  expect(crds).toMatchObject({ exitCode: 0, stderr: '' });
  kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], crds.stdout);
  kubectl([
    'wait',
    '--for=condition=Established',
    '--timeout=30s',
    'crd/packages.kubepkg.dev',
    'crd/packagesources.kubepkg.dev',
  ]);
});

afterAll(async () => {
  kubectl(['delete', `${PACKAGES},${SOURCES}`, '-l', 'test=cli', '--ignore-not-found']);
  await rm(dir, { recursive: true });
});

function kubectl(args: readonly string[], input = ''): string {
  return execFileSync(inject('kubectl'), ['--kubeconfig', kubeconfig, ...args], {
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

function read(name: string): KubeObject {
  return JSON.parse(kubectl(['get', PACKAGES, name, '-o', 'json', '--show-managed-fields'])) as KubeObject;
}

async function file(name: string, ...objects: readonly unknown[]): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, objects.map((object) => `---\n${writeYaml(object)}`).join(''));
  return path;
}

function source(name: string, version = '1.0.0', extra: Readonly<Record<string, unknown>> = {}): unknown {
  const chart = { repository: 'oci://registry.example.org/charts', name: 'web', version: '1.0.0' };
  const component = (one: string): unknown => ({ name: one, chart, install: { namespace: name, releaseName: one } });
  return {
    apiVersion: 'kubepkg.dev/v1',
    kind: 'PackageSource',
    metadata: { name, labels: { test: 'cli' } },
    spec: {
      version,
      variants: ['default', 'large'].map((one) => ({ name: one, components: ['store', 'web'].map(component) })),
      ...extra,
    },
  };
}

function pkg(name: string, spec: Readonly<Record<string, unknown>> = {}): unknown {
  return { apiVersion: 'kubepkg.dev/v1', kind: 'Package', metadata: { name, labels: { test: 'cli' } }, spec };
}

describe('kubepkg install against an API server', () => {
  it('creates source and package with one field manager, and warns that no operator runs', async () => {
    const path = await file('new', source('cli-new'), pkg('cli-new'));
    const result = await program.run(['install', 'cli-new@>=1', '-f', path, '--timeout', '15m', '--no-wait']);
    expect(result).toMatchObject({ exitCode: 0, stdout: 'cli-new applied\n' });
    expect(result.stderr).toMatch(/^ACTION .*\ninstall .*\nwarning: no operator seems to be running/);
    const written = read('cli-new');
    expect(written['spec']).toMatchObject({ version: '>=1', variant: 'default', upgrade: { timeout: '15m' } });
    expect(written.metadata.managedFields?.map(({ operation }) => operation)).toEqual(['Apply']);
  });

  it('sets what is given and keeps the rest, whoever set it', async () => {
    const path = await file('keep', source('cli-keep'), pkg('cli-keep'));
    await program.run(['install', 'cli-keep', '-f', path, '--no-wait']);
    kubectl([
      'patch',
      PACKAGES,
      'cli-keep',
      '--type=merge',
      '-p',
      '{"spec":{"revisionHistoryLimit":3,"variant":"large"}}',
    ]);
    const [one, two] = [await file('one', { a: 1, b: { c: 2 } }), await file('two', { b: { d: 3 } })];
    await program.run(['install', 'cli-keep@1.x', '--values', `web=${one}`, '--no-wait']);
    await program.run(['install', 'cli-keep', '--values', `web=${two}`, '--no-wait']);
    const last = await program.run(['install', 'cli-keep', '--timeout', '9m', '--no-wait', '-o', 'json']);
    expect(JSON.parse(last.stdout)).toMatchObject({
      spec: { version: '1.x', variant: 'large', revisionHistoryLimit: 3, upgrade: { timeout: '9m' } },
    });
    expect(at(read('cli-keep'), 'spec', 'components')).toEqual({ web: { values: { b: { d: 3 } } } });
  });

  it('replaces the values of a component whole, whoever set them, and none are values too', async () => {
    const path = await file('values', source('cli-values'));
    const spec = { components: { web: { values: { a: 1, b: { c: 2 } } } } };
    kubectl(['apply', '--server-side', '-f', await file('others', pkg('cli-values', spec))]);
    const install = async (...argv: readonly string[]) => {
      const result = await program.run(['install', 'cli-values', '-f', path, '--no-wait', ...argv]);
      expect(result).toMatchObject({ exitCode: 0 });
      return at(read('cli-values'), 'spec', 'components', 'web', 'values');
    };
    const withValues = async (values: unknown) => install('--values', `web=${await file('web', values)}`);
    expect(await withValues({ b: { d: 3 } })).toEqual({ b: { d: 3 } });
    expect(await withValues({})).toEqual({});
    expect(await install()).toEqual({});
    expect(await withValues({ e: 4 })).toEqual({ e: 4 });
  });

  it('writes nothing when nothing changes, and says that what does not run yet is to be installed', async () => {
    const path = await file('same', source('cli-same'), pkg('cli-same'));
    await program.run(['install', '-f', path, '--no-wait']);
    const { generation } = read('cli-same').metadata;
    const again = await program.run(['install', '-f', path, '--no-wait']);
    expect(again.stderr).toMatch(/^install /m);
    expect(read('cli-same').metadata.generation).toBe(generation);
  });

  it.each([
    ['a constraint that the source does not satisfy', ['cli-bad@9.x'], 5],
    ['a variant that does not exist', ['cli-bad', '--variant', 'lagre'], 2],
    ['a source that does not exist', ['cli-bda'], 2],
    ['a cluster that is not there', ['cli-bad', '--kubeconfig', 'gone'], 4],
    ['a context that is not there', ['cli-bad', '--context', 'gone'], 4],
  ])('refuses %s and creates nothing', async (_what, argv, exitCode) => {
    const path = await file('bad', source('cli-bad'));
    const result = await program.run(['install', ...argv, ...(argv.includes('cli-bda') ? [] : ['-f', path])]);
    expect(result.exitCode).toBe(exitCode);
    expect(result.stderr).toMatch(/^error: .+\nhint: .+\n$/);
    expect(kubectl(['get', `${PACKAGES},${SOURCES}`, '-o', 'name'])).not.toMatch(/cli-bad|cli-bda/);
  });

  it('hands on what the API server refuses', async () => {
    const path = await file('refused', source('cli-refused', '1.0.0', { build: -1 }));
    const result = await program.run(['install', 'cli-refused', '-f', path]);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain('spec.build');
  });

  it('ends with 4 and the missing permission when the user may not', async () => {
    const powerless = inject('kubeconfigs').powerless;
    const result = await program.run(['install', 'cli-new', '--kubeconfig', powerless]);
    expect(result.exitCode).toBe(4);
    expect(result.stderr).toMatch(/^error: .*(forbidden|cannot).*\nhint: /i);
  });

  it('ends with 3 when nothing happens in time', async () => {
    const path = await file('slow', source('cli-slow'), pkg('cli-slow'));
    const result = await program.run(['install', '-f', path, '--wait-timeout', '1s']);
    expect(result.exitCode).toBe(3);
    expect(result.stderr).toContain(
      'error: package cli-slow is not ready after 1s: the operator has not looked at it yet',
    );
  });

  it('ends with 130 on Ctrl-C and says what it takes to go on', async () => {
    const path = await file('interrupt', source('cli-interrupt'), pkg('cli-interrupt'));
    const running = program.start(['install', '-f', path]);
    await running.shows('warning: no operator');
    running.child.kill('SIGINT');
    const result = await running.result;
    expect(result).toMatchObject({ exitCode: 130, signal: null });
    expect(result.stderr).toMatch(/\nhint: nothing is undone, .*; start one, .*: kubepkg operator\n$/);
  });

  it('follows what is reported, as lines in a pipe', async () => {
    const path = await file('follow', source('cli-follow'), pkg('cli-follow'));
    const running = program.start(['install', '-f', '-'], execFileSync('cat', [path], { encoding: 'utf8' }));
    await running.shows('warning: no operator');
    report('cli-follow', ['False', 'Progressing', 'waiting for component store']);
    await running.shows('cli-follow: Progressing: waiting for component store\n');
    report('cli-follow', ['True', 'ReconciliationSucceeded', 'all is well'], { version: '1.0.0' });
    expect(await running.result).toMatchObject({ exitCode: 0, stdout: 'cli-follow 1.0.0 is ready\n' });
  });
});

function report(name: string, [status, reason, message]: readonly [string, string, string], more: object = {}): void {
  const { generation } = read(name).metadata;
  const condition = {
    type: 'Ready',
    status,
    reason,
    message,
    observedGeneration: generation,
    lastTransitionTime: '2030-01-01T00:00:00Z',
  };
  const patch = JSON.stringify({ status: { conditions: [condition], ...more } });
  kubectl(['patch', PACKAGES, name, '--subresource=status', '--type=merge', '-p', patch]);
}

describe('the other commands against an API server', () => {
  beforeAll(async () => {
    const path = await file('other', source('cli-other'), pkg('cli-other'));
    await program.run(['install', '-f', path, '--no-wait']);
    report('cli-other', ['False', 'RequirementsNotMet', 'package db is not installed']);
  });

  it('F06 list tells what waits from what failed', async () => {
    const result = await program.run(['list', '-o', 'wide']);
    expect(result.exitCode).toBe(0);
    expect(result.stdout).toMatch(
      /^cli-other +- +- +False +Waiting +RequirementsNotMet +package db is not installed$/m,
    );
  });

  it('list prints what kubectl reads', async () => {
    const result = await program.run(['list', '-o', 'yaml']);
    expect(kubectl(['get', '-f', '-', '-o', 'name'], result.stdout)).toContain('package.kubepkg.dev/cli-other');
  });

  it('list ends quietly when its reader does', () => {
    const pipe = `"${process.execPath}" "${process.env['KUBEPKG_PROGRAM'] ?? 'dist/kubepkg.js'}" list -o json | head -c 1`;
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    expect(execFileSync('bash', ['-o', 'pipefail', '-c', pipe], { env, encoding: 'utf8' })).toBe('{');
  });

  it.runIf(existsSync('/dev/full'))('says so when what it prints finds no space', () => {
    const bundle = process.env['KUBEPKG_PROGRAM'] ?? 'dist/kubepkg.js';
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [bundle, 'crds'], { stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    expect(status).toBe(1);
    expect(stderr.toString()).toMatch(/^error: cannot write the output: ENOSPC.*\nhint: .+\n$/);
  });

  it('status says why', async () => {
    const result = await program.run(['status', 'cli-other']);
    expect(result.stdout).toMatch(/^cli-other {2}Waiting {2}RequirementsNotMet: package db is not installed\nhint: /);
    expect((await program.run(['status', 'cli-otehr'])).stderr).toContain('did you mean cli-other?');
  });

  it('status --watch shows what changes, and ends with the package', async () => {
    const path = await file('watched', source('cli-watched'), pkg('cli-watched'));
    await program.run(['install', '-f', path, '--no-wait']);
    const running = program.start(['status', 'cli-watched', '--watch']);
    const seen = new Promise<void>((resolve) => {
      running.child.stdout?.on('data', (chunk: string) => {
        if (chunk.includes('all is well')) resolve();
      });
    });
    report('cli-watched', ['True', 'ReconciliationSucceeded', 'all is well']);
    await seen;
    kubectl(['delete', PACKAGES, 'cli-watched']);
    const { exitCode, stderr } = await running.result;
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(stderr).toMatch(/^warning: no operator seems to be running: .*\nhint: start one, .*\n$/);
  });

  it('version names the server, and is content without one', async () => {
    expect((await program.run(['version'])).stdout).toMatch(/^kubepkg \d+\.\d+\.\d+.*\nKubernetes v1\.\d+/);
    const without = await program.run(['version', '--kubeconfig', 'gone', '-o', 'json']);
    expect(without.exitCode).toBe(0);
    expect(JSON.parse(without.stdout)).toHaveProperty('serverError');
  });

  it('push prints a reference that the same tree always gets', async () => {
    const { host, caFile } = inject('registry');
    const tree = join(dir, 'tree');
    execFileSync('mkdir', ['-p', join(tree, 'web')]);
    await writeFile(join(tree, 'web', 'Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 1.0.0\n');
    const push = (tag: string) =>
      program.run(['push', tree, `oci://${host}/cli/tree:${tag}`, '--registry-ca-file', caFile]);
    const [one, two] = [await push('1.0.0'), await push('1.0.1')];
    expect(one.exitCode).toBe(0);
    expect(one.stdout).toMatch(/cli\/tree:1\.0\.0@sha256:[0-9a-f]{64}\n$/);
    expect(two.stdout.split('@')[1]).toBe(one.stdout.split('@')[1]);
  });

  it('push names a file that is too large for a tree', async () => {
    const tree = join(dir, 'large');
    await mkdir(tree);
    await writeFile(join(tree, 'disk.img'), '');
    await truncate(join(tree, 'disk.img'), 6 * 1024 ** 3);
    const result = await program.run(['push', tree, `oci://${inject('registry').host}/cli/large:1.0.0`]);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toMatch(/^error: .*disk\.img has 6144 MiB.*1024.*\nhint: .+\n$/);
  });

  it('completion offers what is in the cluster', async () => {
    const result = await program.run(['__complete', 'status', 'cli-oth']);
    expect(result.stdout).toBe('cli-other\n:4\n');
  });
});
