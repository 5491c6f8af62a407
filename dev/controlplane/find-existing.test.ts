import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findExisting, versionSuits } from './find-existing.ts';
import { PROBES } from './probes.ts';

const it = test.extend<{ folder: string }>({
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'kubepkg-path-'));
    await use(folder);
    await rm(folder, { recursive: true });
  },
});

async function program(folder: string, name: string, script: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, name), 0o755);
  return join(folder, name);
}

const kubectlSays = (version: string): string => `{\n  "clientVersion": {\n    "gitVersion": "v${version}",\n  }\n}`;

describe('a version', () => {
  it.for<[keyof typeof PROBES, string, boolean]>([
    ['etcd', 'etcd Version: 3.6.1\nGit SHA: x', true],
    ['etcd', 'etcd Version: 3.5.30', false],
    ['kube-apiserver', 'Kubernetes v1.36.0', true],
    ['kube-apiserver', 'Kubernetes v1.35.9', false],
    ['kube-scheduler', 'Kubernetes v0.0.0-master+$Format:%H$', false],
    ['kwok', 'kwok version v0.8.0 go1.26.8 (linux/amd64)', true],
    ['kwok', 'kwok version v0.7.0 go1.25 (linux/amd64)', false],
    ['registry', '/usr/bin/registry github.com/distribution/distribution/v3 v3.1.2+unknown', true],
    ['registry', 'registry github.com/docker/distribution 2.8.3', false],
    ['helm', 'v4.2.0+g123', true],
    ['helm', 'WARNING: the file is group-readable\nv4.1.4+g05fa379', true],
    ['helm', 'v3.17.2+gcc0bbbd', false],
    ['kubectl', kubectlSays('1.35.2'), true],
    ['kubectl', kubectlSays('1.37.0'), true],
    ['kubectl', kubectlSays('1.32.4-dispatcher'), false],
    ['kubectl', kubectlSays('1.38.1'), false],
    ['kubectl', '', false],
    ['argocd', 'argocd: v3.2.11+a1b2c3d', true],
    ['argocd', 'argocd: v3.3.0+a1b2c3d', false],
  ])('of %s that says "%s": suits is %s', ([part, output, suits]) => {
    const probe = PROBES[part];
    expect(probe !== undefined && versionSuits(probe, output)).toBe(suits);
  });
});

describe('a binary on the machine', () => {
  it('is taken from KUBEBUILDER_ASSETS before PATH', async ({ folder }) => {
    const assets = await program(join(folder, 'assets'), 'etcd', 'echo "etcd Version: 3.6.9"');
    await program(join(folder, 'bin'), 'etcd', 'echo "etcd Version: 3.6.10"');
    const env = { KUBEBUILDER_ASSETS: join(folder, 'assets'), PATH: join(folder, 'bin') };
    expect(await findExisting('etcd', env)).toBe(assets);
  });

  it('of an unsuitable version is passed over for a later one', async ({ folder }) => {
    await program(join(folder, 'old'), 'helm', 'echo v3.17.2');
    const suitable = await program(join(folder, 'new'), 'helm', 'echo v4.1.4');
    expect(await findExisting('helm', { PATH: `${join(folder, 'old')}:${join(folder, 'new')}` })).toBe(suitable);
  });

  it('that fails is not taken, whatever it says', async ({ folder }) => {
    await program(folder, 'helm', 'echo v4.1.4; exit 1');
    expect(await findExisting('helm', { PATH: folder })).toBeUndefined();
  });

  it('that may not be executed is not taken', async ({ folder }) => {
    await chmod(await program(folder, 'helm', 'echo v4.1.4'), 0o644);
    expect(await findExisting('helm', { PATH: folder })).toBeUndefined();
  });

  it('is not looked for when nothing can tell its version', async ({ folder }) => {
    await program(folder, 'redis', 'exit 0');
    expect(await findExisting('redis', { PATH: folder })).toBeUndefined();
  });

  it('is not found where there is no PATH', async () => {
    expect(await findExisting('helm', {})).toBeUndefined();
  });
});
