import { createServer } from 'node:http';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RecordingLog } from '../../test/fakes/recording-log.ts';
import { type Routes, servePages } from './http-server.ts';

const log = new RecordingLog();
const PAGE = { status: 200, contentType: 'text/plain', body: 'hello' };
/** Serves pages for the time of one test. */
async function serve(routes: Routes, address = '127.0.0.1:0') {
  const server = await servePages({ address, flag: '--flag', routes, log });
  onTestFinished(() => server.close());
  const origin = `http://127.0.0.1:${String(server.port)}`;
  return { server, get: (path: string, method = 'GET') => fetch(`${origin}${path}`, { method }) };
}

describe('the page server', () => {
  it('serves its pages, whatever the query, and keeps nobody from asking again', async () => {
    const { get } = await serve({ '/page': () => PAGE });
    const response = await get('/page?x=1');
    expect(await response.text()).toBe('hello');
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['an unknown path', '/other', 'GET', 404],
    ['a name that every object has', '/constructor', 'GET', 404],
    ['another method', '/page', 'POST', 405],
    ['HEAD', '/page', 'HEAD', 200],
  ])('answers %s: %s %s with %i', async (_what, path, method, status) => {
    const { get } = await serve({ '/page': () => PAGE });
    expect((await get(path, method)).status).toBe(status);
  });

  it('answers 500 and logs when a page cannot be made', async () => {
    const { get } = await serve({ '/page': () => Promise.reject(new Error('secret')) });
    const response = await get('/page');
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret');
    expect(log.at('error')).toHaveLength(1);
  });

  it('refuses an address that is in use, naming the flag', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const options = { address: `127.0.0.1:${String(port)}`, flag: '--flag', routes: {}, log };
    await expect(servePages(options)).rejects.toMatchObject({
      code: 'InvalidInput',
      hint: expect.stringContaining('--flag') as string,
    });
    other.close();
  });

  it.each(['8080', 'localhost', ':99999', 'a:b:1', '[::1]'])('refuses %s, which is no address', async (address) => {
    await expect(servePages({ address, flag: '--flag', routes: {}, log })).rejects.toMatchObject({
      code: 'InvalidInput',
    });
  });

  it('listens everywhere without a host', async () => {
    const { get } = await serve({ '/page': () => PAGE }, ':0');
    expect((await get('/page')).status).toBe(200);
  });

  it('closes at once, connections that are kept open included', async () => {
    const { server, get } = await serve({ '/page': () => PAGE });
    await (await get('/page')).text();
    await server.close();
    await expect(get('/page')).rejects.toThrow();
  });
});
