import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '../adapters/oci/client.ts';
import { DiskCache } from '../adapters/oci/disk-cache.ts';
import { createArtifactSource, type OciArtifacts } from '../adapters/oci/index.ts';
import { createCommandRunner } from '../adapters/process/command-runner.ts';
import { HelmProgram } from '../helm/helm-program.ts';
import { SchemaCheck } from '../helm/schema-check.ts';
import type { Clock } from '../ports/system.ts';
import { plainEnvironment } from './helm-surroundings.ts';
import { createTempDir } from './temp-dir.ts';

/** Where charts come from, and what renders them. */
export interface AuthorSettings {
  readonly helm?: string | undefined;
  readonly cacheDir?: string | undefined;
  readonly registryConfig?: string | undefined;
  readonly registryCaFile?: string | undefined;
  readonly plainHttp: boolean;
}

export interface AuthorPlace {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What the commands for authors work with; it knows of no cluster. */
export interface Workshop {
  readonly artifacts: OciArtifacts;
  readonly client: Client;
  readonly cache: DiskCache;
  readonly helm: HelmProgram;
  readonly schemas: SchemaCheck;
  /** A folder that is gone afterwards. */
  readonly scratch: string;
}

export async function withWorkshop<T>(
  { clock, env }: AuthorPlace,
  settings: AuthorSettings,
  use: (workshop: Workshop) => Promise<T>,
): Promise<T> {
  const cacheDir = settings.cacheDir ?? join(tmpdir(), 'kubepkg');
  const { registryConfig, registryCaFile: caFile, plainHttp, helm: binary = 'helm' } = settings;
  const commands = createCommandRunner({ clock });
  const temp = createTempDir(cacheDir);
  try {
    const options = { registryConfig, caFile, plainHttp, commands, env };
    return await use({
      artifacts: createArtifactSource({ ...options, cacheDir }),
      client: createClient(options),
      cache: new DiskCache(cacheDir),
      helm: new HelmProgram(commands, { binary, environment: plainEnvironment(env) }, temp.path),
      schemas: new SchemaCheck(),
      scratch: temp.path,
    });
  } finally {
    temp.remove();
  }
}
