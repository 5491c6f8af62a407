import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Authority, createAuthority } from '../../lib/tls/certificate.ts';
import { ConnectProxy } from '../../../test/fakes/connect-proxy.ts';
import { configMap, json, status } from '../../../test/fakes/scripted-api-server.ts';
import {
  accessTo,
  type ScriptedWorld,
  type ScriptedWorldOptions,
  scriptedWorld,
} from '../../../test/fakes/scripted-client.ts';
import type { TlsSettings, UserAccess } from './access.ts';
import { createClient } from './create-cluster.ts';

const A = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' };

/** Whatever a test starts ends with it. */
class Scene {
  readonly authority: Authority = createAuthority('test authority', Date.now());
  readonly dir = mkdtempSync(join(tmpdir(), 'kubepkg-transport-'));
  readonly #cleanups: (() => Promise<void>)[] = [];

  async world(options: ScriptedWorldOptions = {}): Promise<ScriptedWorld> {
    const world = await scriptedWorld(options);
    this.#cleanups.push(world.close);
    return world;
  }

  /** A TLS server whose certificate names 127.0.0.1 and localhost. */
  tlsWorld(tls: TlsSettings, more: ScriptedWorldOptions = {}): Promise<ScriptedWorld> {
    const { key, certificate } = this.authority.issue('server');
    const server = { tls: { key, cert: certificate, requestCert: true } };
    return this.world({ ...more, server, access: { tls, ...more.access } });
  }

  async proxy(): Promise<ConnectProxy> {
    const proxy = await ConnectProxy.start();
    this.#cleanups.push(() => proxy.stop());
    return proxy;
  }

  file(name: string, content: string): string {
    const path = join(this.dir, name);
    writeFileSync(path, content);
    return path;
  }

  async close(): Promise<void> {
    for (const cleanup of this.#cleanups.reverse()) await cleanup();
    rmSync(this.dir, { recursive: true });
  }
}

const it = test.extend<{ scene: Scene }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
  scene: async ({}, use) => {
    const scene = new Scene();
    await use(scene);
    await scene.close();
  },
});

async function expectUnreachable(world: ScriptedWorld, hint: RegExp): Promise<void> {
  await expect(world.client.read(A)).rejects.toMatchObject({
    code: 'ApiUnreachable',
    hint: expect.stringMatching(hint) as string,
  });
}

describe('TLS', () => {
  it('trusts the authority of the kubeconfig', async ({ scene }) => {
    const world = await scene.tlsWorld({ insecure: false, ca: scene.authority.certificate });
    world.server.others.push(json(configMap('a', '5')));
    expect(await world.client.read(A)).toEqual(configMap('a', '5'));
  });

  it('trusts no other, and says what to do', async ({ scene }) => {
    const other = createAuthority('other', Date.now()).certificate;
    await expectUnreachable(await scene.tlsWorld({ insecure: false, ca: other }), /certificate-authority/);
    await expectUnreachable(await scene.tlsWorld({ insecure: false }), /certificate-authority/);
  });

  it('trusts anyone when told to', async ({ scene }) => {
    const world = await scene.tlsWorld({ insecure: true });
    expect(await world.client.read(A)).toBeUndefined();
  });

  it('checks the name that it is told to check', async ({ scene }) => {
    const ca = scene.authority.certificate;
    const right = await scene.tlsWorld({ insecure: false, ca, serverName: 'localhost' });
    expect(await right.client.read(A)).toBeUndefined();
    const wrong = await scene.tlsWorld({ insecure: false, ca, serverName: 'kubernetes.example' });
    await expectUnreachable(wrong, /tls-server-name/);
  });

  it('shows the client certificate', async ({ scene }) => {
    const { key, certificate } = scene.authority.issue('jane');
    const user: UserAccess = { certificate: { key, cert: certificate } };
    const world = await scene.tlsWorld({ insecure: true }, { access: { tls: { insecure: true }, user } });
    await world.client.read(A);
    expect(world.server.seen[0]?.peer).toBe('jane');
  });

  it('to a server that speaks plain HTTP says so', async ({ scene }) => {
    const world = await scene.world();
    const access = accessTo(world.server.url.replace('http:', 'https:'));
    const client = createClient(access, { clock: world.clock, env: {}, userAgent: 'x' });
    await expect(client.read(A)).rejects.toMatchObject({
      code: 'ApiUnreachable',
      hint: expect.stringMatching(/TLS/) as string,
    });
  });
});

describe('a server that cannot be reached', () => {
  test.for([
    ['nobody listens', 'http://127.0.0.1:1', /runs/],
    ['its name is unknown', 'http://nowhere.invalid:1', /resolved/],
  ] as const)('because %s is named with a remedy', async ([, server, hint]) => {
    const world = await scriptedWorld({ access: { server } });
    await expectUnreachable(world, hint);
    await world.close();
  });
});

describe('a base URL with a path', () => {
  it('goes before every path', async ({ scene }) => {
    const world = await scene.world();
    const access = accessTo(`${world.server.url}/k8s/clusters/c1/`);
    const client = createClient(access, { clock: world.clock, env: {}, userAgent: 'x' });
    await expect(client.read(A)).rejects.toThrow();
    expect(world.server.seen[0]?.path).toBe('/k8s/clusters/c1/api/v1');
    client.close();
  });
});

describe('who asks', () => {
  it('is told by a token', async ({ scene }) => {
    const world = await scene.world({ access: { user: { token: 't0' } } });
    await world.client.read(A);
    expect(world.server.seen[0]?.headers.authorization).toBe('Bearer t0');
  });

  it('is told by name and password', async ({ scene }) => {
    const user = { basic: { username: 'jane', password: 'pä:ss' } };
    const world = await scene.world({ access: { user } });
    await world.client.read(A);
    const expected = Buffer.from('jane:pä:ss').toString('base64');
    expect(world.server.seen[0]?.headers.authorization).toBe(`Basic ${expected}`);
  });

  it('may be another one', async ({ scene }) => {
    const impersonate = { user: 'jane', uid: '7', groups: ['a', 'b'], extra: { 'x.dev/Scope (1)': ['r', 'w'] } };
    const world = await scene.world({ access: { impersonate } });
    await world.client.read(A);
    expect(world.server.seen[0]?.headers).toMatchObject({
      'impersonate-user': 'jane',
      'impersonate-uid': '7',
      'impersonate-group': 'a, b',
      'impersonate-extra-x.dev%2fscope%20%281%29': 'r, w',
    });
  });

  it('and is refused, is told what to do, without the credentials', async ({ scene }) => {
    const world = await scene.world({ access: { user: { token: 'hunter2' } } });
    world.server.discoveries.push(status(401, { reason: 'Unauthorized', message: 'Unauthorized' }));
    await expect(world.client.read(A)).rejects.toMatchObject({
      code: 'ApiUnauthorized',
      message: expect.not.stringContaining('hunter2') as string,
    });
    expect(world.server.seen).toHaveLength(1);
  });
});

describe('a token file', () => {
  const tokens = (world: ScriptedWorld): readonly unknown[] =>
    world.server.seen.map((request) => request.headers.authorization);

  it('is read anew every minute', async ({ scene }) => {
    const tokenFile = scene.file('token', 'one\n');
    const world = await scene.world({ access: { user: { tokenFile, token: 'written' } } });
    await world.client.served('v1', 'ConfigMap');
    scene.file('token', 'two\n');
    await world.client.read(A);
    await world.clock.advance(60_000);
    await world.client.read(A);
    expect(tokens(world)).toEqual(['Bearer one', 'Bearer one', 'Bearer two']);
  });

  it('is read anew at once when the server refuses its token', async ({ scene }) => {
    const tokenFile = scene.file('token', 'one');
    const world = await scene.world({ access: { user: { tokenFile } } });
    await world.client.served('v1', 'ConfigMap');
    scene.file('token', 'two');
    world.server.others.push(status(401), json(configMap('a', '5')));
    expect(await world.client.read(A)).toEqual(configMap('a', '5'));
    expect(tokens(world)).toEqual(['Bearer one', 'Bearer one', 'Bearer two']);
  });

  it('that cannot be read leaves the last token, or the written one, in use', async ({ scene }) => {
    const tokenFile = scene.file('token', 'one');
    const world = await scene.world({ access: { user: { tokenFile } } });
    await world.client.served('v1', 'ConfigMap');
    rmSync(tokenFile);
    await world.clock.advance(60_000);
    await world.client.read(A);
    expect(tokens(world)).toEqual(['Bearer one', 'Bearer one']);
    const other = await scene.world({ access: { user: { tokenFile, token: 'written' } } });
    await other.client.read(A);
    expect(tokens(other)[0]).toBe('Bearer written');
  });

  it('that never could be read is an error that names it', async ({ scene }) => {
    const world = await scene.world({ access: { user: { tokenFile: join(scene.dir, 'absent') } } });
    await expect(world.client.read(A)).rejects.toMatchObject({
      code: 'ApiUnauthorized',
      message: expect.stringContaining('absent') as string,
    });
  });
});

describe('a proxy', () => {
  it('carries TLS in a tunnel, for requests and watches', async ({ scene }) => {
    const proxy = await scene.proxy();
    const proxyUrl = proxy.url.replace('//', '//user:p%40ss@');
    const tls = { insecure: false, ca: scene.authority.certificate };
    const world = await scene.tlsWorld(tls, { access: { tls, proxyUrl } });
    world.server.others.push(json(configMap('a', '5')));
    expect(await world.client.read(A)).toEqual(configMap('a', '5'));
    const subscription = world.client.watch({ apiVersion: 'v1', kind: 'ConfigMap' }, () => undefined);
    await world.server.nextWatch();
    subscription.stop();
    const target = `CONNECT ${new URL(world.server.url).host}`;
    expect(proxy.seen.map((request) => request.line)).toEqual([target, target]);
    const expected = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    expect(proxy.seen[0]?.headers['proxy-authorization']).toBe(expected);
    expect(world.server.seen[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it('that refuses is named', async ({ scene }) => {
    const proxy = await scene.proxy();
    proxy.refuseWith = 407;
    const tls = { insecure: true };
    const world = await scene.tlsWorld(tls, { access: { tls, proxyUrl: proxy.url } });
    await expect(world.client.read(A)).rejects.toMatchObject({
      code: 'ApiUnreachable',
      message: expect.stringMatching(/proxy 127\.0\.0\.1:\d+ .*HTTP 407/) as string,
      hint: expect.stringContaining('proxy-url') as string,
    });
  });

  it('that is not there is named', async ({ scene }) => {
    const tls = { insecure: true };
    const world = await scene.tlsWorld(tls, { access: { tls, proxyUrl: 'http://127.0.0.1:1' } });
    await expectUnreachable(world, /proxy-url/);
  });

  it('is given the whole URL of a plain server', async ({ scene }) => {
    const proxy = await scene.proxy();
    const world = await scene.world({ access: { proxyUrl: proxy.url } });
    expect(await world.client.read(A)).toBeUndefined();
    expect(proxy.seen[0]?.line).toBe(`GET ${world.server.url}/api/v1`);
  });
});
