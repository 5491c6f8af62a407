import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { registryConformance } from '../../../test/conformance/registry.ts';
import { codeOf, digestOf, RegistryUser } from '../../../test/conformance/registry-world.ts';
import { createAuthority } from '../../lib/tls/certificate.ts';
import { RegistryContent } from './content.ts';
import { type RegistryServerOptions, startRegistryServer } from './server.ts';
import { createFolderShelf, createMemoryShelf } from './shelf.ts';

const AUTHORITY = createAuthority('test', Date.now());
const TLS = AUTHORITY.issue('registry');

registryConformance('the embedded registry in memory', async () => {
  return { ...(await startRegistryServer({ tls: TLS })), ca: AUTHORITY.certificate };
});

registryConformance('the embedded registry in a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'registry-'));
  const server = await startRegistryServer({ tls: TLS, content: new RegistryContent(createFolderShelf(folder)) });
  const close = async () => {
    await server.close();
    await rm(folder, { recursive: true });
  };
  return { host: server.host, ca: AUTHORITY.certificate, close };
});

async function open(options: Partial<RegistryServerOptions> = {}) {
  const server = await startRegistryServer({ tls: TLS, ...options });
  const user = new RegistryUser({ host: server.host, ca: AUTHORITY.certificate });
  onTestFinished(async () => {
    user.close();
    await server.close();
  });
  return { server, user };
}

describe('an embedded registry', () => {
  test('takes content in one request, and refuses it by another digest', async () => {
    const { user } = await open();
    const body = 'at once';
    const sent = await user.ask('POST', `/v2/a/blobs/uploads/?digest=${digestOf(body)}`, { body });
    expect(sent.status).toBe(201);
    expect((await user.get(sent.headers.location ?? '')).body.toString()).toBe(body);
    const wrong = await user.ask('POST', `/v2/a/blobs/uploads/?digest=${digestOf('other')}`, { body });
    expect([wrong.status, codeOf(wrong)]).toEqual([400, 'DIGEST_INVALID']);
  });

  test.for(['UPPER', '-dash', 'a//b', 'a/.b', 'x'.repeat(256)])('refuses the repository name %j', async (name) => {
    const { user } = await open();
    const read = await user.get(`/v2/${name}/tags/list`);
    expect([read.status, codeOf(read)]).toEqual([400, 'NAME_INVALID']);
  });

  test.for([
    ['POST', '/v2/'],
    ['PUT', '/v2/shop/blobs/uploads/'],
    ['POST', `/v2/shop/blobs/${digestOf('')}`],
  ] as const)('refuses %s %s', async ([method, path]) => {
    const { user } = await open();
    const refused = await user.ask(method, path);
    expect([refused.status, codeOf(refused)]).toEqual([405, 'UNSUPPORTED']);
  });

  test('refuses a manifest that is far too large while it still comes in, and serves on', async () => {
    const { user } = await open();
    const refused = await user.putManifest('shop', 'large', ' '.repeat(32 * 1024 * 1024));
    expect([refused.status, codeOf(refused)]).toEqual([413, 'SIZE_INVALID']);
    expect((await user.get('/v2/')).status).toBe(200);
  });

  test('goes on with what it held when it is started again with it, at the same port', async () => {
    const content = new RegistryContent(createMemoryShelf());
    const first = await open({ content });
    const manifest = await first.user.pushArtifact('shop', '1.0.0');
    await first.server.close();
    const { user } = await open({ content, port: first.server.port });
    expect((await user.manifest('shop', '1.0.0')).body.toString()).toBe(manifest);
  });

  test('in a folder has everything again after its program ended', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'registry-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const first = await open({ content: new RegistryContent(createFolderShelf(folder)) });
    const manifest = await first.user.pushArtifact('shop', '1.0.0', 'layer');
    const { user } = await open({ content: new RegistryContent(createFolderShelf(folder)) });
    expect((await user.manifest('shop', '1.0.0')).body.toString()).toBe(manifest);
    expect((await user.get(`/v2/shop/blobs/${digestOf('layer')}`)).body.toString()).toBe('layer');
    expect((await user.get('/v2/shop/tags/list')).body.toString()).toBe('{"name":"shop","tags":["1.0.0"]}');
  });

  test('speaks plain HTTP at the same port, as helm 3 does on the loopback', async () => {
    const { server, user } = await open();
    const manifest = await user.pushArtifact('shop', '1.0.0');
    const read = await fetch(`http://${server.host}/v2/shop/manifests/1.0.0`);
    expect([read.status, await read.text()]).toEqual([200, manifest]);
  });

  test('ends with connections open that said nothing', async () => {
    const { server } = await open();
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    const gone = once(socket, 'close');
    await server.close();
    await gone;
  });

  test('does not start at a port that is taken', async () => {
    const { server } = await open();
    await expect(open({ port: server.port })).rejects.toThrow('EADDRINUSE');
  });
});

describe('an embedded registry with a password', () => {
  const basicAuth = { username: 'ada', password: 's3cret:with colon' };
  const header = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

  test.for([
    ['nobody', undefined],
    ['a wrong password', 'ada:no'],
    ['a wrong name', 'bob:s3cret:with colon'],
  ] as const)('keeps out %s', async ([, text]) => {
    const { user } = await open({ basicAuth });
    for (const path of ['/v2/', '/v2/shop/tags/list']) {
      const refused = await user.get(path, text === undefined ? {} : header(text));
      expect([refused.status, codeOf(refused)]).toEqual([401, 'UNAUTHORIZED']);
      expect(refused.headers['www-authenticate']).toBe('Basic realm="registry"');
    }
    const sent = await user.ask('POST', `/v2/shop/blobs/uploads/?digest=${digestOf('x')}`, { body: 'x' });
    expect(sent.status).toBe(401);
  });

  test('lets in who knows it', async () => {
    const { user } = await open({ basicAuth });
    expect((await user.get('/v2/', header('ada:s3cret:with colon'))).status).toBe(200);
  });
});
