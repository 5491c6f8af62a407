import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createAuthority } from '../../lib/tls/certificate.ts';
import type { ClusterAccess } from './access.ts';
import { findAccess } from './create-cluster.ts';

const DIR = mkdtempSync(join(tmpdir(), 'kubepkg-kubeconfig-'));
const AUTHORITY = createAuthority('test', Date.now());
const JANE = AUTHORITY.issue('jane');
const OTHER = AUTHORITY.issue('other');

afterAll(() => {
  rmSync(DIR, { recursive: true });
});

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function file(name: string, content: string): string {
  const path = join(DIR, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

interface Parts {
  readonly cluster?: Readonly<Record<string, unknown>>;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly user?: Readonly<Record<string, unknown>>;
}

/** A kubeconfig of one context; JSON is YAML. */
function kubeconfig(parts: Parts): string {
  return JSON.stringify({
    'current-context': 'main',
    clusters: [{ name: 'c', cluster: { server: 'https://c:6443', ...parts.cluster } }],
    contexts: [{ name: 'main', context: { cluster: 'c', user: 'u', ...parts.context } }],
    users: [{ name: 'u', user: { ...parts.user } }],
  });
}

function access(parts: Parts, context?: string): ClusterAccess {
  return findAccess({ kubeconfig: file('sub/config', kubeconfig(parts)), context, env: {} });
}

describe('a kubeconfig', () => {
  it('that is named, and is something else, is said to be none', () => {
    const kubeconfig = file('other', 'apiVersion: v1\nkind: ConfigMap\n');
    expect(() => findAccess({ kubeconfig, context: undefined, env: {} })).toThrow(`${kubeconfig} is no kubeconfig`);
  });

  it('names server, namespace and user', () => {
    expect(access({ user: { token: 't' }, context: { namespace: 'n' } })).toEqual({
      server: 'https://c:6443',
      namespace: 'n',
      origin: `context "main" of ${join(DIR, 'sub/config')}`,
      tls: { insecure: false },
      user: { token: 't' },
    });
  });

  it('has the namespace default when it names none', () => {
    expect(access({}).namespace).toBe('default');
  });

  it.each([
    ['https://c:6443/', {}, 'https://c:6443'],
    ['https://c/k8s/clusters/x//', {}, 'https://c/k8s/clusters/x'],
    ['http://localhost:8001', {}, 'http://localhost:8001'],
    ['c:6443', {}, 'http://c:6443'],
    ['c:6443', { 'insecure-skip-tls-verify': true }, 'https://c:6443'],
    ['[::1]:6443', { 'certificate-authority-data': base64(AUTHORITY.certificate) }, 'https://[::1]:6443'],
  ])('takes the server %s (%j) for %s', (server, more, expected) => {
    expect(access({ cluster: { server, ...more } }).server).toBe(expected);
  });

  it('reads certificates from data before files, and files relative to itself', () => {
    file('sub/pki/ca.pem', AUTHORITY.certificate);
    file('sub/jane.pem', JANE.certificate);
    file('jane.key', JANE.key);
    const user = { 'client-certificate': './jane.pem', 'client-key': join(DIR, 'jane.key') };
    const byFile = access({ cluster: { 'certificate-authority': 'pki/ca.pem' }, user });
    expect(byFile.tls.ca).toBe(AUTHORITY.certificate);
    expect(byFile.user.certificate).toEqual({ cert: JANE.certificate, key: JANE.key });
    const data = { 'client-certificate-data': base64(OTHER.certificate), 'client-key-data': base64(OTHER.key) };
    expect(access({ user: { ...user, ...data } }).user.certificate).toEqual({
      cert: OTHER.certificate,
      key: OTHER.key,
    });
  });

  it('knows the name to check, and the proxy', () => {
    const cluster = { 'tls-server-name': 's', 'proxy-url': 'http://p:3128' };
    expect(access({ cluster })).toMatchObject({ tls: { serverName: 's' }, proxyUrl: 'http://p:3128' });
  });

  it('finds a token file relative to itself', () => {
    expect(access({ user: { tokenFile: 'tokens/t' } }).user.tokenFile).toBe(join(DIR, 'sub/tokens/t'));
  });

  it('takes name and password, of which one may be empty', () => {
    expect(access({ user: { username: 'jane', password: 'p' } }).user.basic).toEqual({
      username: 'jane',
      password: 'p',
    });
    expect(access({ user: { username: 'jane' } }).user.basic).toEqual({ username: 'jane', password: '' });
  });

  it('may ask for another user', () => {
    const user = { as: 'jane', 'as-uid': '7', 'as-groups': ['g'], 'as-user-extra': { scope: ['r'] } };
    expect(access({ user }).impersonate).toEqual({ user: 'jane', uid: '7', groups: ['g'], extra: { scope: ['r'] } });
  });

  it('may name a credential plugin, found on PATH or relative to itself', () => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1beta1', command: 'aws', args: ['a'] };
    expect(access({ user: { exec } }).user.exec).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      command: 'aws',
      args: ['a'],
      env: {},
      interactiveMode: 'IfAvailable',
    });
    expect(access({ user: { exec: { ...exec, command: 'bin/aws' } } }).user.exec?.command).toBe(
      join(DIR, 'sub/bin/aws'),
    );
  });

  it('tells the plugin about the cluster when it wants to know', () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'aws',
      interactiveMode: 'Never',
      provideClusterInfo: true,
      installHint: 'get it',
      env: [{ name: 'A', value: '1' }],
    };
    const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }];
    const cluster = { 'certificate-authority-data': base64(AUTHORITY.certificate), 'tls-server-name': 's', extensions };
    expect(access({ cluster, user: { exec } }).user.exec).toMatchObject({
      env: { A: '1' },
      installHint: 'get it',
      interactiveMode: 'Never',
      cluster: {
        server: 'https://c:6443',
        'tls-server-name': 's',
        'certificate-authority-data': base64(AUTHORITY.certificate),
        config: { audience: 'x' },
      },
    });
  });

  it('may have no user, and empty fields count as absent', () => {
    expect(access({ context: { user: '' } }).user).toEqual({});
    expect(access({ user: { token: '', tokenFile: '', as: '', username: '' } }).user).toEqual({});
  });

  it.each([
    ['null lists', { users: null, extensions: null, preferences: {} }],
    ['unknown fields', { kind: 'Config', apiVersion: 'v1', future: { x: 1 } }],
  ])('may have %s', (_name, more) => {
    const parsed = JSON.parse(kubeconfig({ context: { user: '' } })) as Readonly<Record<string, unknown>>;
    const path = file('loose', JSON.stringify({ ...parsed, ...more }));
    expect(findAccess({ kubeconfig: path, env: {} }).server).toBe('https://c:6443');
  });
});

describe('a kubeconfig that cannot be used', () => {
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'x', interactiveMode: 'Never' };

  it.each<readonly [string, Parts, string]>([
    ['no server', { cluster: { server: '' } }, 'clusters[0].cluster.server'],
    ['a server that is no URL', { cluster: { server: 'https://' } }, 'clusters[0].cluster.server'],
    ['a server of another scheme', { cluster: { server: 'ftp://x' } }, 'clusters[0].cluster.server'],
    ['a number as server', { cluster: { server: 6443 } }, 'clusters[0].cluster.server'],
    ['a flag in quotes', { cluster: { 'insecure-skip-tls-verify': 'true' } }, 'insecure-skip-tls-verify'],
    [
      'an authority that is not to be checked',
      { cluster: { 'insecure-skip-tls-verify': true, 'certificate-authority-data': base64(AUTHORITY.certificate) } },
      'insecure-skip-tls-verify',
    ],
    [
      'an authority that is not base64',
      { cluster: { 'certificate-authority-data': 'hunter2' } },
      'certificate-authority-data',
    ],
    [
      'an authority that is not PEM',
      { cluster: { 'certificate-authority-data': base64('hunter2') } },
      'certificate-authority-data',
    ],
    [
      'an authority that is no certificate',
      {
        cluster: {
          'certificate-authority-data': base64('-----BEGIN CERTIFICATE-----\nhunter2\n-----END CERTIFICATE-----'),
        },
      },
      'certificate-authority',
    ],
    [
      'an authority file that is not there',
      { cluster: { 'certificate-authority': 'absent.pem' } },
      'certificate-authority',
    ],
    ['a SOCKS proxy', { cluster: { 'proxy-url': 'socks5://x' } }, 'proxy-url'],
    ['a certificate without its key', { user: { 'client-certificate-data': base64(JANE.certificate) } }, 'client-key'],
    ['a key without its certificate', { user: { 'client-key-data': base64(JANE.key) } }, 'client-certificate'],
    [
      'the key of another certificate',
      { user: { 'client-certificate-data': base64(JANE.certificate), 'client-key-data': base64(OTHER.key) } },
      'client-certificate',
    ],
    ['a number as token', { user: { token: 12_345 } }, 'users[0].user.token'],
    ['a token and a password', { user: { token: 'hunter2', password: 'hunter2' } }, 'users[0].user.username'],
    ['an auth provider', { user: { 'auth-provider': { name: 'gcp' } } }, 'users[0].user.auth-provider'],
    ['groups without a user', { user: { 'as-groups': ['g'] } }, 'users[0].user.as'],
    ['groups that are no list', { user: { as: 'x', 'as-groups': 'g' } }, 'as-groups'],
    ['a plugin of another version', { user: { exec: { ...exec, apiVersion: 'v2' } } }, 'exec.apiVersion'],
    ['a plugin without a command', { user: { exec: { ...exec, command: '' } } }, 'exec.command'],
    ['a plugin without a mode', { user: { exec: { ...exec, interactiveMode: '' } } }, 'exec.interactiveMode'],
    ['a plugin of another mode', { user: { exec: { ...exec, interactiveMode: 'Ask' } } }, 'exec.interactiveMode'],
    ['a plugin whose variable has no name', { user: { exec: { ...exec, env: [{ value: 'x' }] } } }, 'exec.env[0].name'],
    ['a user that is no map', { user: { exec: 'x' } }, 'users[0].user.exec'],
    ['a context without a cluster', { context: { cluster: '' } }, 'contexts[0].context.cluster'],
    ['a context of an unknown cluster', { context: { cluster: 'nope' } }, 'contexts[0].context.cluster'],
    ['a context of an unknown user', { context: { user: 'nope' } }, 'contexts[0].context.user'],
  ])('for %s is refused, naming file and field and no value', (_name, parts, field) => {
    expect(() => access(parts)).toThrow(
      expect.objectContaining({
        code: 'KubeconfigInvalid',
        message: expect.stringMatching(/^(?!.*hunter2)/) as string,
        hint: expect.stringMatching(/./) as string,
      }),
    );
    expect(() => access(parts)).toThrow(`${join(DIR, 'sub/config')}: `);
    expect(() => access(parts)).toThrow(field);
  });

  it.each([
    ['broken YAML', 'clusters: [\nusers: hunter2: :', /line \d/],
    ['a text', 'hunter2', /must be a map/],
    ['a list', '- hunter2', /must be a map/],
    ['clusters that are a map', 'clusters: {a: hunter2}', /clusters must be a list/],
    ['a cluster that is a text', 'clusters: [hunter2]', /clusters\[0\] must be a map/],
    ['one name twice', 'users: [{name: a}, {name: a}]', /users\[1\].name is "a" a second time/],
    ['no current context', 'clusters: [{name: c}]', /current-context is not set/],
    ['an unknown current context', 'current-context: nope', /no context "nope"/],
  ])('that is or has %s is refused', (_name, content, message) => {
    const path = file('broken', content);
    const find = (): unknown => findAccess({ kubeconfig: path, env: {} });
    expect(find).toThrow(expect.objectContaining({ code: 'KubeconfigInvalid' }));
    expect(find).toThrow(message);
    expect(find).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hunter2') as string }));
  });
});

describe('the choice of a kubeconfig', () => {
  const one = file('one', kubeconfig({ cluster: { server: 'https://one' } }));
  const home = file('home/.kube/config', kubeconfig({ cluster: { server: 'https://home' } }));

  it.each([
    ['the file that is named, before everything', { kubeconfig: one, env: { KUBECONFIG: home } }, 'https://one'],
    ['KUBECONFIG', { env: { KUBECONFIG: one, HOME: join(DIR, 'home') } }, 'https://one'],
    ['the home folder', { env: { HOME: join(DIR, 'home') } }, 'https://home'],
    ['the home folder, KUBECONFIG being empty', { env: { KUBECONFIG: '', HOME: join(DIR, 'home') } }, 'https://home'],
    ['the files of KUBECONFIG that exist', { env: { KUBECONFIG: `/absent::${one}:/absent` } }, 'https://one'],
  ])('falls on %s', (_name, choice, expected) => {
    expect(findAccess(choice).server).toBe(expected);
  });

  it.each([
    ['a named file does not exist', { kubeconfig: join(DIR, 'absent'), env: {} }],
    ['a named file is a folder', { kubeconfig: DIR, env: {} }],
    ['there is none', { env: { HOME: '/absent' } }],
    [
      'there is none and a context is asked for',
      { env: { HOME: '/absent', KUBERNETES_SERVICE_HOST: 'h' }, context: 'x' },
    ],
    ['the asked context does not exist', { kubeconfig: one, env: {}, context: 'nope' }],
  ])('fails when %s', (_name, choice) => {
    expect(() => findAccess(choice)).toThrow(expect.objectContaining({ code: 'KubeconfigInvalid' }));
  });

  it('merges several files: the first that has a name wins, whole', () => {
    const first = file('m/first', 'users: [{name: u, user: {token: one}}]\ncurrent-context: ""');
    const second = file(
      'm/second',
      kubeconfig({ user: { token: 'two', as: 'x' }, cluster: { 'tls-server-name': 's' } }),
    );
    const third = file(
      'm/third',
      'current-context: other\nclusters: [{name: c, cluster: {server: "https://third"}}]\ncontexts: [{name: third, context: {cluster: c, user: u}}]',
    );
    const choice = { env: { KUBECONFIG: [first, second, third].join(':') } };
    expect(findAccess(choice)).toMatchObject({ server: 'https://c:6443', tls: { serverName: 's' } });
    expect(findAccess(choice).user).toEqual({ token: 'one' });
    expect(findAccess(choice)).not.toHaveProperty('impersonate');
    expect(findAccess({ ...choice, context: 'third' }).server).toBe('https://c:6443');
  });

  it('a broken file among several is an error, even when it is not needed', () => {
    const broken = file('m/broken', '[');
    expect(() => findAccess({ env: { KUBECONFIG: `${one}:${broken}` } })).toThrow(
      expect.objectContaining({ code: 'KubeconfigInvalid' }),
    );
  });
});
