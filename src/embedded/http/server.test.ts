import { request } from 'node:https';
import { afterEach, describe, expect, it } from 'vitest';
import {
  apiScene,
  configMap,
  configMaps,
  definitions,
  deployment,
  deployments,
  pod,
  pods,
  widget,
  widgetDefinition,
  widgets,
} from '../../../test/build/embedded-api.ts';
import type { VirtualClock } from '../../../test/fakes/clock.ts';
import { parseYaml } from '../../lib/yaml.ts';
import type { EmbeddedApi, LogLine } from '../model/api.ts';
import { createAuthority } from '../../lib/tls/certificate.ts';
import { kubeconfigFor } from './kubeconfig.ts';
import { type ApiServer, startApiServer } from './server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

interface Answered {
  readonly status: number;
  readonly type: string;
  readonly warning: string | undefined;
  readonly text: string;
  readonly json: unknown;
}

interface Ask {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Streamed {
  readonly lines: readonly string[];
  readonly ended: Promise<void>;
}

interface Scene {
  readonly api: EmbeddedApi;
  readonly clock: VirtualClock;
  readonly server: ApiServer;
  readonly ask: (path: string, ask?: Ask) => Promise<Answered>;
  /** Resolves once the stream has brought so many lines; `ended` once it is over. */
  readonly stream: (path: string, lines: number) => Promise<Streamed>;
}

describe('the API server', () => {
  const open: ApiServer[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((server) => server.close()));
  });

  async function scene(options: Parameters<typeof apiScene>[0] = {}): Promise<Scene> {
    const { api, clock } = apiScene(options);
    const authority = createAuthority('embedded', clock.now());
    const { key, certificate } = authority.issue('apiserver');
    const tls = { key, cert: certificate, ca: authority.certificate };
    const server = await startApiServer({ api, clock, tls, token: 'secret' });
    open.push(server);
    // The certificate is of the virtual time.
    const base = { rejectUnauthorized: false, headers: { authorization: 'Bearer secret' } };
    return {
      api,
      clock,
      server,
      ask: (path, { method = 'GET', body, headers = {} } = {}) =>
        new Promise((resolve, reject) => {
          const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
          const own = { 'content-length': String(Buffer.byteLength(text)), ...base.headers, ...headers };
          const sent = request(`${server.url}${path}`, { ...base, method, headers: own }, (response) => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk: Buffer) => chunks.push(chunk));
            response.on('end', () => {
              const answer = Buffer.concat(chunks).toString();
              resolve({
                status: response.statusCode ?? 0,
                type: response.headers['content-type'] ?? '',
                warning: response.headers['warning'],
                text: answer,
                json:
                  /^[[{]/.test(answer) && !answer.trim().includes('\n') ? (JSON.parse(answer) as unknown) : undefined,
              });
            });
          });
          sent.on('error', reject);
          sent.end(text);
        }),
      stream: (path, wanted) =>
        new Promise((resolve, reject) => {
          const sent = request(`${server.url}${path}`, base, (response) => {
            const lines: string[] = [];
            const ended = new Promise<void>((over) => response.on('close', over));
            response.on('data', (chunk: Buffer) => {
              lines.push(...chunk.toString().trimEnd().split('\n'));
              if (lines.length >= wanted) resolve({ lines, ended });
            });
            if (wanted === 0) resolve({ lines, ended });
          });
          sent.on('error', reject);
          sent.end();
        }),
    };
  }

  it('lets in only who has its token', async () => {
    const { ask } = await scene();
    expect(await ask('/api', { headers: { authorization: 'Bearer other!' } })).toMatchObject({
      status: 401,
      json: { kind: 'Status', reason: 'Unauthorized', code: 401 },
    });
    expect((await ask('/version')).json).toMatchObject({ gitVersion: 'v1.36.3', major: '1', minor: '36' });
    expect((await ask('/readyz')).text).toBe('ok');
  });

  it('says how to reach it in a kubeconfig', async () => {
    const { server } = await scene();
    expect(parseYaml(kubeconfigFor(server), 'kubeconfig')).toMatchObject({
      clusters: [{ cluster: { server: server.url } }],
      users: [{ user: { token: 'secret' } }],
    });
  });

  it('tells what it serves, group by group and all in one', async () => {
    const { api, ask } = await scene();
    api.create(definitions(), widgetDefinition());
    expect((await ask('/apis/shop.example.org')).json).toMatchObject({
      preferredVersion: { version: 'v2' },
      versions: [{ version: 'v2' }, { version: 'v1' }],
    });
    expect((await ask('/apis/shop.example.org/v1')).json).toMatchObject({
      kind: 'APIResourceList',
      resources: [{ name: 'widgets', kind: 'Widget', namespaced: true }, { name: 'widgets/status' }],
    });
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
    const all = await ask('/apis', { headers: { accept } });
    expect(all.type).toBe('application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
    expect(all.json).toMatchObject({
      kind: 'APIGroupDiscoveryList',
      items: expect.arrayContaining([
        expect.objectContaining({ metadata: expect.objectContaining({ name: 'apps' }) as object }),
      ]) as object,
    });
    expect((await ask('/apis')).json).toMatchObject({ kind: 'APIGroupList' });
  });

  it('describes its kinds, in JSON alone', async () => {
    const { ask } = await scene();
    expect((await ask('/openapi/v3')).json).toMatchObject({
      paths: { 'apis/apps/v1': { serverRelativeURL: '/openapi/v3/apis/apps/v1' } },
    });
    expect((await ask('/openapi/v3/apis/apps/v1')).json).toMatchObject({ openapi: '3.0.0' });
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    expect((await ask('/openapi/v2', { headers: { accept } })).status).toBe(406);
  });

  it.each([
    ['GET', '/api/v1/namespaces/default/gadgets', 404, 'application/json'],
    ['GET', '/apis/nowhere.example.org/v1/gadgets', 404, 'text/plain; charset=utf-8'],
    ['GET', '/nowhere', 404, 'text/plain; charset=utf-8'],
    ['GET', `${CONFIG_MAPS}/a/status`, 404, 'application/json'],
    ['PUT', CONFIG_MAPS, 405, 'application/json'],
    ['POST', `${CONFIG_MAPS}/a`, 405, 'application/json'],
    ['POST', '/api/v1/configmaps', 405, 'application/json'],
    ['GET', '/api/v1/namespaces/default/bindings', 405, 'application/json'],
    ['GET', `${CONFIG_MAPS}?limit=x`, 400, 'application/json'],
  ])('%s %s is refused with %d', async (method, path, status, type) => {
    const { ask } = await scene();
    expect(await ask(path, { method })).toMatchObject({ status, type });
  });

  it('takes JSON and YAML, and refuses what it does not understand', async () => {
    const { ask } = await scene();
    const post = (type: string, body: unknown): Promise<Answered> =>
      ask(CONFIG_MAPS, { method: 'POST', body, headers: { 'content-type': type } });
    expect((await post('application/json', configMap('a'))).status).toBe(201);
    expect((await post('application/yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n')).status).toBe(201);
    expect((await post('text/plain', 'hello')).status).toBe(415);
    expect((await post('application/json', '{')).status).toBe(400);
    expect((await post('application/json', '[]')).status).toBe(400);
    expect((await post('application/json', configMap('big', { big: 'x'.repeat(4_000_000) }))).status).toBe(413);
    expect((await ask(`${CONFIG_MAPS}/a`, { method: 'PATCH', body: {} })).status).toBe(415);
    expect((await ask(`${CONFIG_MAPS}/a`, { headers: { accept: 'text/html' } })).status).toBe(406);
  });

  it('warns of fields that are unknown or there twice, or refuses them', async () => {
    const { ask } = await scene();
    const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"colour":1,"data":{"x":"1","x":"2"}}';
    const strict = await ask(`${CONFIG_MAPS}?fieldValidation=Strict`, { method: 'POST', body });
    expect([strict.status, strict.text]).toEqual([400, expect.stringMatching(/duplicate field \\"data\.x\\"/)]);
    const warned = await ask(CONFIG_MAPS, { method: 'POST', body });
    expect(warned.status).toBe(201);
    expect(warned.warning).toMatch(/299 - "duplicate field \\"data\.x\\"".*299 - "unknown field \\"colour\\""/);
    expect(warned.json).toMatchObject({ data: { x: '2' } });
  });

  it.each([
    ['fieldValidation=Some', 'fieldValidation: Unsupported value: "Some"'],
    ['dryRun=Some', 'dryRun: Unsupported value'],
    [`fieldManager=${'x'.repeat(200)}`, 'fieldManager: Too long'],
  ])('refuses the query %s', async (query, message) => {
    const { ask } = await scene();
    const answer = await ask(`${CONFIG_MAPS}?${query}`, { method: 'POST', body: configMap('a') });
    expect([answer.status, answer.text]).toEqual([
      422,
      expect.stringContaining(JSON.stringify(message).slice(1, -1)) as string,
    ]);
  });

  it('wants to know who applies', async () => {
    const { ask } = await scene();
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const apply = (query: string): Promise<Answered> =>
      ask(`${CONFIG_MAPS}/a${query}`, { method: 'PATCH', body: configMap('a'), headers });
    expect((await apply('')).text).toMatch(/fieldManager: Required value: is required for apply patch/);
    expect((await apply('?fieldManager=me')).status).toBe(201);
    expect((await apply('?fieldManager=me')).status).toBe(200);
  });

  it('answers a deletion with a Status, or with what is held', async () => {
    const { api, ask } = await scene();
    api.create(configMaps(), configMap('free'));
    api.create(configMaps(), configMap('held', {}, { finalizers: ['example.org/hold'] }));
    const remove = (name: string, body?: unknown): Promise<Answered> =>
      ask(`${CONFIG_MAPS}/${name}`, { method: 'DELETE', body });
    expect((await remove('free')).json).toMatchObject({ kind: 'Status', status: 'Success', details: { name: 'free' } });
    expect((await remove('held')).json).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'held' } });
    expect((await remove('held', { kind: 'Pod' })).status).toBe(400);
    expect((await remove('held', { kind: 'DeleteOptions', preconditions: { uid: 'x' } })).status).toBe(409);
    expect((await ask(`${CONFIG_MAPS}/held?propagationPolicy=Some`, { method: 'DELETE' })).status).toBe(422);
  });

  it('shows objects whole, their metadata alone, or as rows of a table', async () => {
    const { api, ask } = await scene();
    api.create(deployments(), deployment('d'));
    api.create(definitions(), widgetDefinition());
    api.create(widgets(), widget('w', { size: 4 }));
    const path = '/apis/apps/v1/namespaces/default/deployments';
    const list = (await ask(path)).json as { readonly items: readonly object[] };
    expect(list).toMatchObject({ kind: 'DeploymentList', apiVersion: 'apps/v1', items: [{ spec: { replicas: 2 } }] });
    expect(list.items[0]).not.toHaveProperty('kind');
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    expect((await ask(path, { headers: { accept } })).json).toMatchObject({
      kind: 'PartialObjectMetadataList',
      items: [{ kind: 'PartialObjectMetadata', metadata: { name: 'd' } }],
    });
    const table = (await ask(path, { headers: { accept: TABLE } })).json;
    expect(table).toMatchObject({
      kind: 'Table',
      rows: [{ cells: ['d', '0/2', 0, 0, '0s', 'app', expect.anything(), 'app=d'] }],
    });
    const custom = await ask('/apis/shop.example.org/v1/namespaces/default/widgets/w', { headers: { accept: TABLE } });
    expect(custom.json).toMatchObject({
      columnDefinitions: [{ name: 'Name' }, { name: 'Size', type: 'integer' }],
      rows: [{ cells: ['w', 4], object: { kind: 'PartialObjectMetadata' } }],
    });
  });

  it('streams what changes, with a sign of life now and then, until its time is over', async () => {
    const { api, clock, stream } = await scene();
    api.create(configMaps(), configMap('a'));
    const path = `${CONFIG_MAPS}?watch=true&allowWatchBookmarks=true&timeoutSeconds=90`;
    const { lines, ended } = await stream(path, 1);
    api.delete(configMaps('a'));
    await clock.advance(60_000);
    await clock.advance(30_000);
    await ended;
    const events = lines.map((line) => JSON.parse(line) as { readonly type: string });
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'DELETED', 'BOOKMARK']);
  });

  it('refuses a watch that it cannot begin', async () => {
    const { ask } = await scene();
    expect((await ask(`${CONFIG_MAPS}?watch=true&sendInitialEvents=true`)).status).toBe(422);
    expect((await ask(`${CONFIG_MAPS}?watch=true&labelSelector=a%20b`)).status).toBe(400);
    expect((await ask('/api/v1/namespaces/default/bindings?watch=true')).status).toBe(405);
  });

  it('follows logs', async () => {
    const readers: ((line: LogLine) => void)[] = [];
    const { api, ask, stream } = await scene({
      logs: {
        lines: () => [{ time: 0, text: 'one' }],
        follow: (_target, onLine, onEnd) => {
          readers.push(onLine, onEnd);
          return { stop: () => undefined };
        },
      },
    });
    api.create(pods(), pod('p'));
    const path = '/api/v1/namespaces/default/pods/p/log';
    expect((await ask(path)).status).toBe(204);
    const target = { kind: 'Node', name: 'n' };
    api.create(pods('p', 'binding'), { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target });
    expect(await ask(path)).toMatchObject({ status: 200, type: 'text/plain', text: 'one\n' });
    expect((await ask(`${path}?container=x`)).status).toBe(400);
    const { lines, ended } = await stream(`${path}?follow=true`, 1);
    for (const read of readers) read({ time: 0, text: 'two' });
    await ended;
    expect(lines).toEqual(['one', 'two']);
  });

  it('ends every stream when it closes', async () => {
    const { server, stream } = await scene();
    const { ended } = await stream(`${CONFIG_MAPS}?watch=true`, 0);
    await server.close();
    await ended;
  });

  it('tells its listener of requests, writes and watches', async () => {
    const told: string[] = [];
    const { api, clock } = apiScene();
    const authority = createAuthority('embedded', clock.now());
    const { key, certificate } = authority.issue('apiserver');
    const tls = { key, cert: certificate, ca: authority.certificate };
    const server = await startApiServer({
      api,
      clock,
      tls,
      token: 'secret',
      traffic: {
        requested: ({ method, path }) => {
          told.push(`${method} ${path}`);
          return () => told.push('answered');
        },
        written: ({ method }) => {
          told.push(`written ${method}`);
          return Promise.resolve();
        },
        watched: () => ({ sent: () => told.push('sent'), ended: () => told.push('ended') }),
      },
    });
    open.push(server);
    const body = JSON.stringify(configMap('a'));
    await new Promise<void>((resolve) => {
      const headers = { authorization: 'Bearer secret', 'content-length': String(body.length) };
      const options = { method: 'POST', rejectUnauthorized: false, headers };
      request(`${server.url}${CONFIG_MAPS}`, options, (response) => response.resume().on('end', resolve)).end(body);
    });
    expect(told).toEqual([`POST ${CONFIG_MAPS}`, 'written POST', 'answered']);
  });
});
