import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ChartScene } from '../../../test/fakes/chart-scene.ts';
import { KubepkgError } from '../../api/errors.ts';
import { sha256 } from '../../lib/digest.ts';
import { parseYaml } from '../../lib/yaml.ts';
import type { ChartShelf, KeptChart } from '../../ports/artifacts.ts';

const BYTES = Buffer.from('the archive');
const HEX = sha256(BYTES);
const HOME = `/charts/sha256-${HEX}`;
const ARCHIVE = `${HOME}/web-1.2.3+up4.tgz`;
const FOREVER = 'public, max-age=31536000, immutable';

/** A chart on the disk, for the time of one test. */
async function keep(bytes: Buffer): Promise<KeptChart> {
  const folder = await mkdtemp(join(tmpdir(), 'chart-server-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'x.tgz');
  await writeFile(path, bytes);
  const digest = `sha256:${sha256(bytes)}`;
  return { digest, path, name: 'web', version: '1.2.3+up4', sizeBytes: bytes.length, hasPostHooks: false };
}

async function serve({ bytes = BYTES, connections }: { bytes?: Buffer; connections?: number } = {}) {
  const chart = await keep(bytes);
  const asked: string[] = [];
  const find = (digest: string) => {
    asked.push(digest);
    return Promise.resolve(digest === chart.digest ? chart : undefined);
  };
  return { scene: await ChartScene.start({ find }, connections), asked, chart };
}

describe('the repository of one chart', () => {
  it('lists that chart alone, with its digest and a relative address', async () => {
    const { scene } = await serve();
    const { status, headers, body } = await scene.ask(`${HOME}/index.yaml`);
    expect([status, headers['content-type']]).toEqual([200, 'application/yaml; charset=utf-8']);
    expect(parseYaml(body.toString(), 'index.yaml')).toEqual({
      apiVersion: 'v1',
      entries: {
        web: [{ apiVersion: 'v2', name: 'web', version: '1.2.3+up4', digest: HEX, urls: ['web-1.2.3+up4.tgz'] }],
      },
    });
  });

  it.each([
    ['as it is written', ARCHIVE],
    ['with an encoded version', ARCHIVE.replace('+', '%2B')],
    ['with a query', `${ARCHIVE}?x=/../y`],
  ])('F85 gives the archive, %s, to be kept for ever', async (_what, path) => {
    const { scene } = await serve();
    const { status, headers, body } = await scene.ask(path);
    expect([status, body]).toEqual([200, BYTES]);
    expect(headers).toMatchObject({
      'content-type': 'application/gzip',
      'content-length': String(BYTES.length),
      'cache-control': FOREVER,
      etag: `"sha256:${HEX}"`,
    });
  });

  it.each(['index.yaml', 'web-1.2.3+up4.tgz'])('answers HEAD of %s as GET, without a body', async (file) => {
    const { scene } = await serve();
    const got = await scene.ask(`${HOME}/${file}`);
    const head = await scene.ask(`${HOME}/${file}`, { method: 'HEAD' });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    const { date: _then, ...headers } = head.headers;
    expect(got.headers).toMatchObject(headers);
  });

  it('reads no archive for HEAD', async () => {
    const { scene, chart } = await serve();
    await rm(chart.path);
    expect((await scene.ask(ARCHIVE, { method: 'HEAD' })).status).toBe(200);
  });

  it.each(['index.yaml', 'web-1.2.3+up4.tgz'])('sends %s again only to those who have another one', async (file) => {
    const { scene } = await serve();
    const etag = (await scene.ask(`${HOME}/${file}`)).headers.etag ?? '';
    const ask = (tags: string) => scene.ask(`${HOME}/${file}`, { headers: { 'if-none-match': tags } });
    for (const known of [etag, `"x", W/${etag}`, '*']) {
      expect(await ask(known)).toMatchObject({ status: 304, body: Buffer.alloc(0), headers: { etag } });
    }
    expect((await ask('"x"')).status).toBe(200);
  });

  it('ignores a range that is asked for', async () => {
    const { scene } = await serve();
    const { status, headers, body } = await scene.ask(ARCHIVE, { headers: { range: 'bytes=2-4' } });
    expect([status, body, headers['accept-ranges']]).toEqual([200, BYTES, 'none']);
  });
});

describe('nothing but charts whose digest is known', () => {
  it.each([
    ['the list of all', '/charts/'],
    ['the list of one', `${HOME}/`],
    ['a chart without a file', HOME],
    ['another file', `${HOME}/web-1.2.4.tgz`],
    ['another case', `${HOME}/INDEX.yaml`],
    ['a digest in capitals', `/charts/sha256-${HEX.toUpperCase()}/index.yaml`],
    ['a short digest', '/charts/sha256-abc/index.yaml'],
    ['another algorithm', `/charts/sha512-${HEX}/index.yaml`],
    ['a colon in the digest', `/charts/sha256:${HEX}/index.yaml`],
    ['the root', '/'],
    ['another root', `/x${HOME}/index.yaml`],
    ['a file of the cache', `${HOME}/x.tgz`],
    ['a way out', `${HOME}/../../../../etc/passwd`],
    ['an encoded way out', `${HOME}/..%2F..%2F..%2Fetc%2Fpasswd`],
    ['a way round', `${HOME}/../sha256-${HEX}/index.yaml`],
    ['a doubled slash', `/charts//sha256-${HEX}/index.yaml`],
    ['a file below the file', `${HOME}/index.yaml/`],
    ['a NUL', `${HOME}/index.yaml%00`],
    ['an escape that is none', `${HOME}/%zz`],
    ['a whole address', `http://charts.test${HOME}/index.yaml`],
    ['a name that every object has', `${HOME}/constructor`],
  ])('%s is not found', async (_what, path) => {
    const { scene } = await serve();
    const { status, headers } = await scene.ask(path);
    expect([status, headers['cache-control']]).toEqual([404, 'no-store']);
    expect(scene.log.entries).toEqual([]);
  });

  it('a digest that nothing has is not found', async () => {
    const { scene, asked } = await serve();
    const other = '0'.repeat(64);
    expect((await scene.ask(`/charts/sha256-${other}/index.yaml`)).status).toBe(404);
    expect(asked).toEqual([`sha256:${other}`]);
  });

  it('what does not look like a chart is not even looked for', async () => {
    const { scene, asked } = await serve();
    await scene.ask('/charts/sha256-abc/index.yaml');
    expect(asked).toEqual([]);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('%s is refused', async (method) => {
    const { scene, asked } = await serve();
    expect(await scene.ask(ARCHIVE, { method })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    expect(asked).toEqual([]);
  });

  it('a request with more headers than any client sends is refused', async () => {
    const { scene } = await serve();
    expect((await scene.ask(ARCHIVE, { headers: { padding: 'x'.repeat(9000) } })).status).toBe(431);
  });
});

describe('a chart that cannot be had', () => {
  function failing(error: Error): ChartShelf {
    return { find: () => Promise.reject(error) };
  }

  it('is to be asked for again, and the log says why', async () => {
    const scene = await ChartScene.start(failing(new KubepkgError('RegistryUnreachable', 'secret host')));
    const { status, headers, body } = await scene.ask(ARCHIVE);
    expect([status, headers['retry-after'], headers['cache-control']]).toEqual([503, '5', 'no-store']);
    expect(body.toString()).not.toContain('secret');
    expect(scene.log.at('warn')[0]?.fields).toMatchObject({ code: 'RegistryUnreachable', digest: `sha256:${HEX}` });
  });

  it('by a fault of ours is logged as one', async () => {
    const scene = await ChartScene.start(failing(new TypeError('undefined is not a function')));
    expect((await scene.ask(ARCHIVE)).status).toBe(503);
    expect(scene.log.at('error')).toHaveLength(1);
  });

  it('is to be asked for again when its fetching lasts longer than a client waits', async () => {
    const scene = await ChartScene.start({ find: () => new Promise(() => undefined) });
    const seen = scene.requested();
    const answer = scene.ask(ARCHIVE);
    await seen;
    await scene.clock.advance(44_999);
    expect(scene.log.entries).toEqual([]);
    await scene.clock.advance(1);
    expect((await answer).status).toBe(503);
  });

  it('that vanishes from the disk in the last moment is to be asked for again', async () => {
    const { scene, chart } = await serve();
    await rm(chart.path);
    expect((await scene.ask(ARCHIVE)).status).toBe(503);
  });
});

/** Resolves when the other side has closed it; only who reads hears of that. */
function closed(socket: Socket | undefined): Promise<void> {
  return new Promise((resolve) => {
    socket?.once('close', () => {
      resolve();
    });
    socket?.resume();
  });
}

describe('slow clients', () => {
  const LARGE = Buffer.alloc(16 * 1024 * 1024, 'x');

  it('that hold every connection keep nobody out: the oldest idle one makes room', async () => {
    const { scene } = await serve({ connections: 3 });
    const idle = [await scene.dial(), await scene.dial(), await scene.dial()];
    for (const socket of idle) socket.write(`GET ${ARCHIVE} HTTP/1.1\r\n`);
    const gone = closed(idle[0]);
    expect((await scene.ask(ARCHIVE)).status).toBe(200);
    await gone;
    expect(idle.map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
  });

  it('those that have gone away are not counted', async () => {
    const { scene } = await serve({ connections: 2 });
    for (const path of [ARCHIVE, ARCHIVE, ARCHIVE]) await scene.ask(path);
    const idle = [await scene.dial(), await scene.dial()];
    const gone = closed(idle[0]);
    await scene.ask(ARCHIVE);
    await gone;
    expect(idle[1]?.destroyed).toBe(false);
  });

  it('a connection that asks for something is not the oldest any more', async () => {
    const { scene } = await serve({ connections: 2 });
    const [busy, idle] = [await scene.dial(), await scene.dial()];
    const seen = scene.requested();
    busy.write(`GET ${HOME}/index.yaml HTTP/1.1\r\nhost: x\r\n\r\n`);
    await seen;
    const gone = closed(idle);
    await scene.ask(ARCHIVE);
    await gone;
    expect(busy.destroyed).toBe(false);
  });

  it('that do not take what they asked for are cut off, later for a larger archive', async () => {
    const { scene } = await serve({ bytes: LARGE });
    const socket = await scene.dial();
    const seen = scene.requested();
    socket.write(`GET /charts/sha256-${sha256(LARGE)}/web-1.2.3%2Bup4.tgz HTTP/1.1\r\nhost: x\r\n\r\n`);
    await seen;
    await expect.poll(() => scene.clock.pending()).toEqual([10_000 + LARGE.length / 256]);
    await scene.clock.advance(10_000 + LARGE.length / 256);
    await closed(socket);
    expect(socket.bytesRead).toBeLessThan(LARGE.length);
    await expect.poll(() => scene.log.at('debug')).toHaveLength(1);
    expect(scene.clock.pending()).toEqual([]);
  });

  it('that take everything leave no timer behind', async () => {
    const { scene } = await serve({ bytes: LARGE });
    const { body } = await scene.ask(`/charts/sha256-${sha256(LARGE)}/web-1.2.3+up4.tgz`);
    expect(body.equals(LARGE)).toBe(true);
    await expect.poll(() => scene.clock.pending()).toEqual([]);
    expect(scene.log.entries).toEqual([]);
  });

  it('that go away in the middle do no harm', async () => {
    const { scene } = await serve({ bytes: LARGE });
    const socket = await scene.dial();
    const seen = scene.requested();
    socket.write(`GET /charts/sha256-${sha256(LARGE)}/web-1.2.3%2Bup4.tgz HTTP/1.1\r\nhost: x\r\n\r\n`);
    await seen;
    await expect.poll(() => scene.clock.pending()).toHaveLength(1);
    socket.destroy();
    await expect.poll(() => scene.log.at('debug')).toHaveLength(1);
    expect(scene.log.at('error')).toEqual([]);
    expect((await scene.ask(ARCHIVE)).status).toBe(404);
  });
});
