import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { callApi } from '../../dev/controlplane/api-client.ts';
import type { ControlPlane } from '../../dev/controlplane/contract.ts';
import { startControlPlane } from '../../dev/controlplane/control-plane.ts';
import { Cluster, isReady, NAMESPACE } from './cluster.ts';

const run = promisify(execFile);

const it = test.extend<{ plane: ControlPlane; cluster: Cluster; folder: string }>({
  plane: [
    async ({}, use) => {
      const plane = await startControlPlane({
        users: [{ name: 'bob', groups: ['devs'] }],
        registry: { basicAuth: true },
      });
      await use(plane);
      await plane.stop();
    },
    { scope: 'file' },
  ],
  cluster: [async ({ plane }, use) => use(new Cluster(plane)), { scope: 'file' }],
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'kubepkg-test-'));
    await use(folder);
    await rm(folder, { recursive: true });
  },
});

function helm(plane: ControlPlane, ...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  return run(plane.binaries.helm, args, { env: plane.env });
}

/** Returns the packed chart. */
async function packChart(plane: ControlPlane, folder: string, name: string): Promise<string> {
  await helm(plane, 'create', join(folder, name));
  await helm(plane, 'package', join(folder, name), '--destination', folder);
  return join(folder, `${name}-0.1.0.tgz`);
}

describe('a control plane', () => {
  it('starts in seconds', ({ plane }) => {
    process.stderr.write(`control plane with registry started in ${String(plane.startMs)} ms\n`);
    expect(plane.startMs).toBeLessThan(30_000);
  });

  it('is the version that was asked for', async ({ plane }) => {
    const { stdout } = await run(plane.binaries.kubectl, ['version', '-o', 'json'], { env: plane.env });
    const version = JSON.parse(stdout) as { serverVersion: object };
    expect(version.serverVersion).toMatchObject({ gitVersion: 'v1.36.3', major: '1', minor: '36' });
  });

  it('starts with nothing but what any cluster has', async ({ cluster }) => {
    expect(await cluster.list('/api/v1/pods')).toEqual([]);
    expect((await cluster.list('/api/v1/namespaces')).map(({ metadata }) => metadata.name).sort()).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ]);
  });

  it('runs a chart that helm installs until its pods are ready', async ({ plane, cluster, folder }) => {
    const chart = await packChart(plane, folder, 'web');
    await helm(plane, 'install', 'web', chart, '--wait', '--timeout', '60s');
    const pods = await cluster.list(`${NAMESPACE}/pods?labelSelector=app.kubernetes.io/instance%3Dweb`);
    expect(pods.map(isReady)).toEqual([true]);
    const tested = await helm(plane, 'test', 'web', '--timeout', '60s');
    expect(tested.stdout).toMatch(/Phase:\s+Succeeded/);
  });

  it('lets a further user do only what RBAC allows', async ({ plane }) => {
    const access = { url: plane.url, ca: plane.ca, token: plane.tokenFor('bob') };
    expect((await callApi(access, { path: `${NAMESPACE}/secrets` })).status).toBe(403);
    const who = await run(plane.binaries.kubectl, ['auth', 'whoami', '--kubeconfig', plane.kubeconfigFor('bob')], {
      env: plane.env,
    });
    expect(who.stdout).toMatch(/bob/);
    expect(who.stdout).toMatch(/devs/);
  });

  it('knows a service account by the token that it gave out', async ({ plane }) => {
    const { stdout } = await run(plane.binaries.kubectl, ['create', 'token', 'default'], { env: plane.env });
    const access = { url: plane.url, ca: plane.ca, token: stdout.trim() };
    const review = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' };
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    expect((await callApi(access, { method: 'POST', path, body: review })).body).toContain(
      'system:serviceaccount:default:default',
    );
  });

  it('knows nobody else', async ({ plane }) => {
    const access = { url: plane.url, ca: plane.ca, token: 'made-up' };
    expect((await callApi(access, { path: NAMESPACE })).status).toBe(401);
    expect(() => plane.kubeconfigFor('eve')).toThrow(/no user "eve".*\n.*users.*bob/);
  });

  it('records who wrote what', async ({ plane, cluster }) => {
    await cluster.create(`${NAMESPACE}/configmaps`, {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'audited' },
    });
    const lines = (await readFile(plane.auditLog ?? '', 'utf8')).trimEnd().split('\n');
    const events = lines.map(
      (line) => JSON.parse(line) as { verb: string; user: { username: string }; objectRef?: { name?: string } },
    );
    const event = events.find(({ verb, objectRef }) => verb === 'create' && objectRef?.name === 'audited');
    expect(event?.user.username).toBe('admin');
  });

  it('keeps everything when its API server is killed and started again', async ({ plane, cluster }) => {
    const before = plane.pidOf('kube-apiserver');
    await cluster.create(`${NAMESPACE}/configmaps`, {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'kept' },
    });
    await plane.restartApiServer();
    expect(plane.pidOf('kube-apiserver')).not.toBe(before);
    expect((await cluster.read(`${NAMESPACE}/configmaps/kept`))?.metadata.name).toBe('kept');
    await cluster.until(await cluster.startPod('after-restart'), isReady, 60);
  });

  it('refuses to end or restart what it was started without', async ({ plane }) => {
    await expect(plane.kill('redis')).rejects.toThrow(/started without redis/);
    await expect(plane.restart('source-controller')).rejects.toThrow(/started without source-controller/);
    expect(plane).toMatchObject({ argocd: undefined, flux: undefined });
  });

  it('leaves pods as they are while kwok is paused', async ({ plane, cluster }) => {
    plane.pause('kwok');
    const path = await cluster.startPod('waiting');
    await cluster.until(path, ({ spec }) => spec?.nodeName !== undefined);
    expect((await cluster.mustRead(path)).status?.phase).toBe('Pending');
    plane.resume('kwok');
    await cluster.until(path, isReady);
  });
});

describe('the registry', () => {
  it('takes a chart over TLS from who knows the password, and gives it back', async ({ plane, folder }) => {
    const { host, basicAuth } = plane.registry ?? {};
    const chart = await packChart(plane, folder, 'shared');
    const credentials = ['--username', basicAuth?.username ?? '', '--password', basicAuth?.password ?? ''];
    const pushed = await helm(plane, 'push', chart, `oci://${String(host)}/charts`, ...credentials);
    expect(pushed.stderr + pushed.stdout).toMatch(/Digest: sha256:/);
    await helm(plane, 'install', 'shared', `oci://${String(host)}/charts/shared`, ...credentials);
  });

  it('refuses who does not', async ({ plane, folder }) => {
    const chart = await packChart(plane, folder, 'private');
    const repository = `oci://${String(plane.registry?.host)}/charts`;
    await expect(helm(plane, 'push', chart, repository)).rejects.toThrow(/basic credential|401|unauthorized/i);
    const wrong = ['--username', 'tester', '--password', 'wrong'];
    await expect(helm(plane, 'push', chart, repository, ...wrong)).rejects.toThrow(/401|unauthorized|denied/i);
  });

  it('is not believed without its authority', async ({ plane, folder }) => {
    const chart = await packChart(plane, folder, 'doubted');
    const empty = join(folder, 'none.pem');
    await writeFile(empty, '');
    const env = { ...plane.env, SSL_CERT_FILE: empty };
    const push = run(plane.binaries.helm, ['push', chart, `oci://${String(plane.registry?.host)}/charts`], { env });
    await expect(push).rejects.toThrow(/unknown authority/);
  });
});

describe('stopping', () => {
  it('ends every process and removes every file, and leaves logs that were to be kept', async ({ folder }) => {
    const logDir = join(folder, 'logs');
    const plane = await startControlPlane({ logDir, nodes: 0, audit: false });
    const pid = plane.pidOf('etcd') ?? 0;
    await plane.stop();
    expect(existsSync(plane.dir)).toBe(false);
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
    expect(plane.auditLog).toBeUndefined();
    expect(await readFile(join(logDir, 'kube-apiserver.log'), 'utf8')).toContain('v1.36.3');
  });

  it('works however often it is asked for', async () => {
    const plane = await startControlPlane({ nodes: 0 });
    await Promise.all([plane.stop(), plane.stop()]);
    await plane.stop();
  });
});

describe('a start that fails', () => {
  it('tells which process ended and what it said last, and leaves nothing', async ({ folder }) => {
    vi.stubEnv('TMPDIR', folder);
    const start = startControlPlane({ apiServerArgs: ['--no-such-flag'] });
    await expect(start).rejects.toThrow(
      /kube-apiserver ended while .*exit code 1(.*\n)*.*unknown flag: --no-such-flag/,
    );
    vi.unstubAllEnvs();
    expect(await readdir(folder)).toEqual([]);
  });
});
