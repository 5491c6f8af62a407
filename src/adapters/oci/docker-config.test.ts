import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Command, CommandResult, CommandRunner } from '../../ports/process.ts';
import { createDockerConfig } from './docker-config.ts';

const it = test.extend<{ folder: string }>({
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'docker-config-'));
    await use(folder);
    await rm(folder, { recursive: true });
  },
});

const SECRET = 's3cret-value';
const ADA = { kind: 'basic', username: 'ada', password: SECRET };

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Notes what it is asked to run, and answers. */
function helper(answer: Partial<CommandResult> | Error): CommandRunner & { readonly commands: Command[] } {
  const commands: Command[] = [];
  return {
    commands,
    run(command) {
      commands.push(command);
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve({ stdout: '', stderr: '', ...answer });
    },
  };
}

async function written(folder: string, config: unknown): Promise<string> {
  const file = join(folder, 'config.json');
  await writeFile(file, typeof config === 'string' ? config : JSON.stringify(config));
  return file;
}

describe('credentials come from the entry', () => {
  it.for([
    ['by host, with auth', { 'reg.example:5000': { auth: base64(`ada:${SECRET}`) } }],
    ['whose password is padded with NUL', { 'reg.example:5000': { auth: base64(`ada:${SECRET}\0\0`) } }],
    ['with username and password', { 'reg.example:5000': { username: 'ada', password: SECRET } }],
    ['written as an address', { 'https://reg.example:5000/v2/': { auth: base64(`ada:${SECRET}`) } }],
    [
      'of the longest path',
      {
        'reg.example:5000': { auth: base64('bob:other') },
        'reg.example:5000/team': { auth: base64(`ada:${SECRET}`) },
        'reg.example:5000/team/shop/web': { auth: base64('eve:other') },
      },
    ],
    [
      'of the host when the longer one is empty',
      { 'reg.example:5000/team': {}, 'reg.example:5000': { auth: base64(`ada:${SECRET}`) } },
    ],
  ] as const)('%s', async ([, auths], { folder }) => {
    const registryConfig = await written(folder, { auths });
    const store = createDockerConfig({ registryConfig, env: {} });
    expect(await store.find('reg.example:5000', 'team/shop')).toEqual(ADA);
  });

  it('with a password that has colons', async ({ folder }) => {
    const registryConfig = await written(folder, { auths: { r: { auth: base64('ada:a:b:c') } } });
    const found = await createDockerConfig({ registryConfig, env: {} }).find('r', 'x');
    expect(found).toEqual({ kind: 'basic', username: 'ada', password: 'a:b:c' });
  });

  it('with an identity token', async ({ folder }) => {
    const registryConfig = await written(folder, { auths: { r: { auth: base64('ada:'), identitytoken: SECRET } } });
    const found = await createDockerConfig({ registryConfig, env: {} }).find('r', 'x');
    expect(found).toEqual({ kind: 'identityToken', token: SECRET });
  });

  it.for(['docker.io', 'registry-1.docker.io', 'index.docker.io'])('of Docker Hub for %s', async (host, { folder }) => {
    const auths = { 'https://index.docker.io/v1/': { auth: base64(`ada:${SECRET}`) } };
    const registryConfig = await written(folder, { auths });
    expect(await createDockerConfig({ registryConfig, env: {} }).find(host, 'x/y')).toEqual(ADA);
  });
});

describe('the file', () => {
  it.for([
    ['DOCKER_CONFIG', ''],
    ['HOME', '.docker'],
  ] as const)('is found by %s', async ([variable], { folder }) => {
    await mkdir(join(folder, '.docker'));
    const home = variable === 'HOME' ? join(folder, '.docker') : folder;
    await written(home, { auths: { r: { auth: base64(`ada:${SECRET}`) } } });
    expect(await createDockerConfig({ env: { [variable]: folder } }).find('r', 'x')).toEqual(ADA);
  });

  it('need not be there, unless it was named', async ({ folder }) => {
    expect(await createDockerConfig({ env: { HOME: folder } }).find('r', 'x')).toBeUndefined();
    expect(await createDockerConfig({ env: {} }).find('r', 'x')).toBeUndefined();
    const named = createDockerConfig({ registryConfig: join(folder, 'none'), env: {} });
    await expect(named.find('r', 'x')).rejects.toMatchObject({ code: 'CredentialsInvalid', class: 'configuration' });
  });

  it('F88 is read again when it was replaced', async ({ folder }) => {
    const registryConfig = await written(folder, { auths: { r: { auth: base64('bob:an-older-and-longer-one') } } });
    const store = createDockerConfig({ registryConfig, env: {} });
    expect(await store.find('r', 'x')).toMatchObject({ username: 'bob' });
    await written(folder, { auths: { r: { auth: base64(`ada:${SECRET}`) } } });
    expect(await store.find('r', 'x')).toEqual(ADA);
  });

  it('when malformed is refused again and again, and accepted once repaired', async ({ folder }) => {
    const registryConfig = await written(folder, '{');
    const store = createDockerConfig({ registryConfig, env: {} });
    await expect(store.find('r', 'x')).rejects.toMatchObject({ code: 'CredentialsInvalid' });
    await expect(store.find('r', 'x')).rejects.toMatchObject({ code: 'CredentialsInvalid' });
    await written(folder, { auths: {} });
    expect(await store.find('r', 'x')).toBeUndefined();
  });

  it.for([
    ['that is no JSON', `{"auths": "${SECRET}`, 'JSON'],
    ['that is a list', [SECRET], 'object'],
    ['with auths that are none', { auths: SECRET }, 'auths'],
    ['with helpers that are none', { credHelpers: SECRET }, 'credHelpers'],
    ['with an entry that is none', { auths: { r: SECRET } }, 'auths[r]'],
    ['with auth that is no base64 of a pair', { auths: { r: { auth: base64(SECRET) } } }, 'auths[r].auth'],
    ['with a helper that is a path', { credHelpers: { r: `../${SECRET}` } }, 'helper'],
    ['with a helper where none can be run', { credsStore: 'vault' }, 'docker-credential-vault'],
  ] as const)('%s is refused, naming file and field but no secret', async ([, config, field], { folder }) => {
    const registryConfig = await written(folder, config);
    const error: unknown = await createDockerConfig({ registryConfig, env: {} })
      .find('r', 'x')
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'CredentialsInvalid' });
    const text = String(error);
    expect(text).toContain(registryConfig);
    expect(text).toContain(field);
    expect(JSON.stringify(error) + text).not.toContain(SECRET);
  });
});

describe('a credential helper', () => {
  const answer = JSON.stringify({ ServerURL: 'r', Username: 'ada', Secret: SECRET });

  it('is run without a shell, with the host on its standard input', async ({ folder }) => {
    const registryConfig = await written(folder, { credHelpers: { r: 'ecr-login' }, credsStore: 'vault' });
    const commands = helper({ exitCode: 0, stdout: answer });
    const store = createDockerConfig({ registryConfig, env: { PATH: '/bin', EMPTY: undefined }, commands });
    expect(await store.find('r', 'x')).toEqual(ADA);
    expect(commands.commands).toEqual([
      { file: 'docker-credential-ecr-login', args: ['get'], env: { PATH: '/bin' }, stdin: 'r' },
    ]);
  });

  it('F88 is asked again each time', async ({ folder }) => {
    const registryConfig = await written(folder, { credHelpers: { r: 'ecr-login' } });
    const commands = helper({ exitCode: 0, stdout: answer });
    const store = createDockerConfig({ registryConfig, env: {}, commands });
    await store.find('r', 'x');
    await store.find('r', 'x');
    expect(commands.commands).toHaveLength(2);
  });

  it('for all hosts is asked for those that the file says nothing of', async ({ folder }) => {
    const auths = { r: { auth: base64(`ada:${SECRET}`) }, 'https://index.docker.io/v1/': {} };
    const registryConfig = await written(folder, { auths, credsStore: 'vault' });
    const commands = helper({ exitCode: 1, stdout: 'credentials not found in native keychain' });
    const store = createDockerConfig({ registryConfig, env: {}, commands });
    expect(await store.find('r', 'x')).toEqual(ADA);
    expect(await store.find('s', 'x')).toBeUndefined();
    expect(await store.find('docker.io', 'x')).toBeUndefined();
    expect(commands.commands.map((command) => command.stdin)).toEqual(['s', 'https://index.docker.io/v1/']);
  });

  it('may give an identity token', async ({ folder }) => {
    const registryConfig = await written(folder, { credsStore: 'vault' });
    const stdout = JSON.stringify({ Username: '<token>', Secret: SECRET });
    const store = createDockerConfig({ registryConfig, env: {}, commands: helper({ exitCode: 0, stdout }) });
    expect(await store.find('r', 'x')).toEqual({ kind: 'identityToken', token: SECRET });
  });

  it.for([
    ['fails', { exitCode: 1, stderr: `cannot use ${SECRET}` }, 'RegistryUnauthorized'],
    ['is killed', { signal: 'SIGKILL' }, 'RegistryUnauthorized'],
    ['prints no JSON', { exitCode: 0, stdout: SECRET }, 'CredentialsInvalid'],
    ['prints no secret', { exitCode: 0, stdout: `{"Username":"${SECRET}"}` }, 'CredentialsInvalid'],
    ['is not there', new Error('spawn ENOENT'), 'CredentialsInvalid'],
  ] as const)('that %s is an error without the secret', async ([, outcome, code], { folder }) => {
    const registryConfig = await written(folder, { credsStore: 'vault' });
    const store = createDockerConfig({ registryConfig, env: {}, commands: helper(outcome) });
    const error: unknown = await store.find('r', 'x').catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code });
    expect(JSON.stringify(error) + String(error)).not.toContain(SECRET);
  });
});
