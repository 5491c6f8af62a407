import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createArtifactSource } from '../../../src/adapters/oci/index.ts';
import { startRegistryServer } from '../../../src/embedded/registry/server.ts';
import { createAuthority } from '../../../src/lib/tls/certificate.ts';
import { chartFiles } from '../../build/archives.ts';
import { HelmWorld } from './helm-world.ts';

/** As helm says it, with and without a password at hand. */
const REFUSED = /401|basic credential not found/;
const basicAuth = { username: 'ada', password: 's3cret' };

const it = test.extend<{ world: HelmWorld; login: readonly string[] }>({
  world: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'helm-world-'));
    const authority = createAuthority('embedded registry', Date.now());
    const caFile = join(folder, 'ca.crt');
    await writeFile(caFile, authority.certificate);
    const server = await startRegistryServer({ tls: authority.issue('registry'), basicAuth });
    await use(new HelmWorld(folder, { host: server.host, caFile }));
    await server.close();
    await rm(folder, { recursive: true });
  },
  login: async ({ world }, use) => {
    const { username, password } = basicAuth;
    await use(['registry', 'login', world.registry.host, '--username', username, '--password', password]);
  },
});

describe('an embedded registry with a password', () => {
  it('lets helm in once it has logged in, and what reads its settings too', async ({ world, login }) => {
    await world.write('web', chartFiles());
    await world.helm('package', 'web');
    const registryConfig = join(world.folder, 'registry.json');
    const signedIn = ['--registry-config', registryConfig];
    const push = ['push', 'web-1.2.3.tgz', `oci://${world.registry.host}/charts`, ...signedIn];
    await expect(world.helm(...push)).rejects.toThrow(REFUSED);
    await world.helm(...login, ...signedIn);
    await world.helm(...push);
    const url = `oci://${world.registry.host}/charts/web`;
    expect(await world.helm('show', 'chart', url, ...signedIn)).toContain('version: 1.2.3');
    const { caFile } = world.registry;
    const cacheDir = join(world.folder, 'cache');
    const source = createArtifactSource({ cacheDir, caFile, registryConfig, env: {} });
    const ref = {
      kind: 'chart',
      repository: `oci://${world.registry.host}/charts`,
      name: 'web',
      version: '1.2.3',
    } as const;
    expect(await source.fetch(ref)).toMatchObject({ name: 'web' });
    await world.helm('registry', 'logout', world.registry.host, ...signedIn);
    await expect(world.helm('show', 'chart', url, ...signedIn)).rejects.toThrow(REFUSED);
  });

  it('does not take a wrong password', async ({ world, login }) => {
    const wrong = [...login.slice(0, -1), 'wrong', '--registry-config', join(world.folder, 'registry.json')];
    await expect(world.helm(...wrong)).rejects.toThrow(REFUSED);
  });
});
