import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inject, test } from 'vitest';
import { createArtifactSource, type OciArtifacts } from '../../../src/adapters/oci/index.ts';

/** The real registry and the real helm, with a folder of its own for each test. */
export class HelmWorld {
  readonly folder: string;
  readonly registry = inject('registry');

  constructor(folder: string) {
    this.folder = folder;
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

export const helmTest = test.extend<{ world: HelmWorld }>({
  world: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'helm-world-'));
    await use(new HelmWorld(folder));
    await rm(folder, { recursive: true });
  },
});
