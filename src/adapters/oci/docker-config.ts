import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isCode, KubepkgError } from '../../api/errors.ts';
import { isErrno } from '../../lib/errno.ts';
import { asString, at, isRecord } from '../../lib/json.ts';
import type { CommandRunner } from '../../ports/process.ts';

export type Credential =
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'identityToken'; readonly token: string };

export interface CredentialStore {
  /** Read afresh each time: what a registry has refused may have been replaced meanwhile. */
  find(host: string, repository: string, signal?: AbortSignal): Promise<Credential | undefined>;
}

export interface DockerConfigOptions {
  /** Must exist when named; else `$DOCKER_CONFIG/config.json` or `~/.docker/config.json`, if there is one. */
  readonly registryConfig?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Runs credential helpers. */
  readonly commands?: CommandRunner | undefined;
}

/** What Docker calls its own registry, in its configuration and on the wire. */
const DOCKER_HUB_KEY = 'index.docker.io';
const DOCKER_HUB_HOSTS: readonly string[] = ['docker.io', 'index.docker.io', 'registry-1.docker.io'];
const HELPER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

export function createDockerConfig(options: DockerConfigOptions): CredentialStore {
  const file = options.registryConfig ?? defaultConfigFile(options.env);
  const read = configReader(file, options.registryConfig !== undefined);
  return {
    async find(host, repository, signal) {
      const config = await read();
      const key = DOCKER_HUB_HOSTS.includes(host) ? DOCKER_HUB_KEY : host;
      const named = asString(at(config, 'credHelpers', host)) ?? asString(at(config, 'credHelpers', key));
      if (named !== undefined) return askHelper({ helper: named, host: key, file }, options, signal);
      const stored = findAuth({ config, file, host: key, repository });
      if (stored !== undefined) return stored;
      const fallback = asString(at(config, 'credsStore'));
      if (fallback === undefined || fallback === '') return undefined;
      const server = key === DOCKER_HUB_KEY ? `https://${DOCKER_HUB_KEY}/v1/` : key;
      return askHelper({ helper: fallback, host: server, file }, options, signal);
    },
  };
}

function defaultConfigFile(env: DockerConfigOptions['env']): string | undefined {
  const folder = env['DOCKER_CONFIG'];
  if (folder !== undefined && folder !== '') return join(folder, 'config.json');
  const home = env['HOME'] ?? env['USERPROFILE'];
  return home === undefined || home === '' ? undefined : join(home, '.docker', 'config.json');
}

type Config = Readonly<Record<string, unknown>>;

/** Reads the file once for each of its states. */
function configReader(file: string | undefined, isNamed: boolean): () => Promise<Config> {
  let seen = '';
  let config: Config = {};
  return async () => {
    if (file === undefined) return {};
    try {
      const { mtimeMs, size, ino } = await stat(file);
      const state = [mtimeMs, size, ino].join();
      if (state !== seen) {
        config = parseConfig(await readFile(file, 'utf8'), file);
        seen = state;
      }
      return config;
    } catch (error) {
      if (isCode(error, 'CredentialsInvalid')) throw error;
      if (!isNamed && isErrno(error, 'ENOENT')) return {};
      throw invalid(file, 'it cannot be read', error);
    }
  };
}

function parseConfig(text: string, file: string): Config {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which holds secrets.
    throw invalid(file, 'it is not JSON');
  }
  if (!isRecord(value)) throw invalid(file, 'it is not a JSON object');
  for (const field of ['auths', 'credHelpers'] as const) {
    if (value[field] !== undefined && !isRecord(value[field])) throw invalid(file, `${field} is not an object`);
  }
  return value;
}

interface AuthQuery {
  readonly config: Config;
  readonly file: string | undefined;
  readonly host: string;
  readonly repository: string;
}

/** The entry of the longest prefix of `host/repository`, as other tools choose it. */
function findAuth(query: AuthQuery): Credential | undefined {
  const auths = query.config['auths'];
  if (!isRecord(auths)) return undefined;
  const byName = new Map(Object.entries(auths).map(([key, value]) => [serverName(key), { key, value }]));
  const parts = [query.host, ...query.repository.split('/').filter((part) => part !== '')];
  for (let length = parts.length; length > 0; length -= 1) {
    const entry = byName.get(parts.slice(0, length).join('/'));
    const found = entry === undefined ? undefined : parseAuth(entry.value, `auths[${entry.key}]`, query.file ?? '');
    if (found !== undefined) return found;
  }
  return undefined;
}

function serverName(key: string): string {
  return key.replace(/^https?:\/\//, '').replace(/\/(?:v1|v2)?\/?$/, '');
}

function parseAuth(entry: unknown, field: string, file: string): Credential | undefined {
  if (!isRecord(entry)) throw invalid(file, `${field} is not an object`);
  const token = asString(entry['identitytoken']);
  if (token !== undefined && token !== '') return { kind: 'identityToken', token };
  const auth = asString(entry['auth']);
  if (auth !== undefined && auth !== '') return parseBasic(auth, `${field}.auth`, file);
  const username = asString(entry['username']);
  const password = asString(entry['password']);
  if (username === undefined || password === undefined) return undefined;
  return { kind: 'basic', username, password };
}

function parseBasic(auth: string, field: string, file: string): Credential {
  const decoded = Buffer.from(auth, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon <= 0) throw invalid(file, `${field} is not the base64 of user:password`);
  // Docker pads the password with NUL.
  return { kind: 'basic', username: decoded.slice(0, colon), password: decoded.slice(colon + 1).replace(/\0+$/, '') };
}

interface HelperCall {
  readonly helper: string;
  readonly host: string;
  readonly file: string | undefined;
}

async function askHelper(
  call: HelperCall,
  options: DockerConfigOptions,
  signal: AbortSignal | undefined,
): Promise<Credential | undefined> {
  const file = call.file ?? '';
  if (!HELPER_NAME.test(call.helper)) throw invalid(file, 'the name of a credential helper is malformed');
  const program = `docker-credential-${call.helper}`;
  if (options.commands === undefined) throw invalid(file, `it asks for ${program}, which cannot be run here`);
  const result = await options.commands
    .run({ file: program, args: ['get'], env: definedOf(options.env), stdin: call.host }, signal)
    .catch((error: unknown) => {
      signal?.throwIfAborted();
      throw invalid(file, `${program} cannot be started`, error);
    });
  signal?.throwIfAborted();
  if (result.exitCode === 0) return parseHelperAnswer(result.stdout, program, file);
  if (/credentials not found|no credentials/i.test(result.stdout + result.stderr)) return undefined;
  // A helper's output may hold what it was asked for.
  throw new KubepkgError('RegistryUnauthorized', `${program} failed for ${call.host}`, {
    hint: `run it by hand: echo ${call.host} | ${program} get`,
  });
}

function parseHelperAnswer(stdout: string, program: string, file: string): Credential {
  let value: unknown;
  try {
    value = JSON.parse(stdout);
  } catch {
    throw invalid(file, `${program} answered with something that is not JSON`);
  }
  const username = asString(at(value, 'Username'));
  const secret = asString(at(value, 'Secret'));
  if (username === undefined || secret === undefined) {
    throw invalid(file, `${program} answered without Username or Secret`);
  }
  if (username === '<token>') return { kind: 'identityToken', token: secret };
  return { kind: 'basic', username, password: secret };
}

function definedOf(env: DockerConfigOptions['env']): Record<string, string> {
  const entries = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return Object.fromEntries(entries);
}

function invalid(file: string, problem: string, cause?: unknown): KubepkgError {
  return new KubepkgError('CredentialsInvalid', `registry credentials file ${file}: ${problem}`, {
    hint: 'repair the file, for example by logging in to the registry again',
    cause,
  });
}
