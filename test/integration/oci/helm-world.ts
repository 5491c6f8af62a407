import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, inject, test } from 'vitest';
import { createArtifactSource, type OciArtifacts } from '../../../src/adapters/oci/index.ts';
import { startRegistryServer } from '../../../src/embedded/registry/server.ts';
import { createAuthority } from '../../../src/lib/tls/certificate.ts';
import type { ProvidedRegistry } from '../../setup/provided.ts';

/** A registry and the real helm, with a folder of its own for each test. */
export class HelmWorld {
  readonly folder: string;
  readonly registry: ProvidedRegistry;

  constructor(folder: string, registry: ProvidedRegistry) {
    this.folder = folder;
    this.registry = registry;
  }

  async helm(...args: readonly string[]): Promise<string> {
    const env = { ...inject('commandEnv'), SSL_CERT_FILE: this.registry.caFile };
    const { stdout } = await promisify(execFile)(inject('helm'), [...args], { cwd: this.folder, env });
    return stdout;
  }

  /** Writes files below the folder; returns the path of `name` in it. */
  async write(name: string, files: Readonly<Record<string, string>>): Promise<string> {
    for (const [path, content] of Object.entries(files)) {
      const file = join(this.folder, name, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
    return join(this.folder, name);
  }

  source(): OciArtifacts {
    return createArtifactSource({ cacheDir: join(this.folder, 'cache'), caFile: this.registry.caFile, env: {} });
  }
}

async function withEmbeddedRegistry(use: (registry: ProvidedRegistry) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'embedded-registry-'));
  const authority = createAuthority('embedded registry', Date.now());
  const caFile = join(folder, 'ca.crt');
  await writeFile(caFile, authority.certificate);
  const server = await startRegistryServer({ tls: authority.issue('registry') });
  await use({ host: server.host, caFile });
  await server.close();
  await rm(folder, { recursive: true });
}

const withWorld = test.extend<{ registry: ProvidedRegistry; world: HelmWorld }>({
  registry: async ({}, use) => use(inject('registry')),
  world: async ({ registry }, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'helm-world-'));
    await use(new HelmWorld(folder, registry));
    await rm(folder, { recursive: true });
  },
});

const REGISTRIES = {
  'the real registry': withWorld,
  'the embedded registry': withWorld.extend<{ registry: ProvidedRegistry }>({
    registry: async ({}, use) => withEmbeddedRegistry(use),
  }),
};

/** The same cases on every registry there is. */
export function describeRegistries(name: string, cases: (it: typeof withWorld) => void): void {
  for (const [registry, it] of Object.entries(REGISTRIES)) {
    describe(`${name} (${registry})`, () => {
      cases(it);
    });
  }
}
