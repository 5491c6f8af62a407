import { readFileSync } from 'node:fs';
import { KubepkgError } from '../../api/errors.ts';
import type { CommandRunner } from '../../ports/process.ts';
import { Authorizer } from './authorizer.ts';
import { createDockerConfig } from './docker-config.ts';
import { RegistryClient } from './registry-client.ts';
import { createTransport } from './transport.ts';

export interface ClientOptions {
  /** Docker configuration with the credentials; default `$DOCKER_CONFIG/config.json` or `~/.docker/config.json`. */
  readonly registryConfig?: string | undefined;
  /** PEM file with certificate authorities that are trusted in addition to the usual ones. */
  readonly caFile?: string | undefined;
  /** OCI registries are spoken to without TLS. */
  readonly plainHttp?: boolean | undefined;
  /** Runs credential helpers; without it a registry that needs one is refused. */
  readonly commands?: CommandRunner | undefined;
  /** Where the Docker configuration and its helpers look; default this process's own. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Milliseconds of silence after which a connection is given up; default 30,000. */
  readonly idleTimeoutMs?: number | undefined;
}

export interface Client {
  readonly authorizer: Authorizer;
  readonly registry: RegistryClient;
}

const IDLE_TIMEOUT_MS = 30_000;

export function createClient(options: ClientOptions): Client {
  const { registryConfig, caFile, plainHttp = false, commands, env = process.env } = options;
  const ca = caFile === undefined ? undefined : readCaFile(caFile);
  const transport = createTransport({ ca, idleTimeoutMs: options.idleTimeoutMs ?? IDLE_TIMEOUT_MS });
  const credentials = createDockerConfig({ registryConfig, env, commands });
  const authorizer = new Authorizer({ transport, credentials, plainHttp });
  return { authorizer, registry: new RegistryClient({ authorizer, plainHttp }) };
}

function readCaFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new KubepkgError('InvalidConfiguration', `the CA file ${path} cannot be read`, {
      hint: 'name an existing PEM file',
      cause,
    });
  }
}
