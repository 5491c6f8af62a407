import { describe, expect, test } from 'vitest';
import {
  CORE_KINDS,
  configMap,
  json,
  listOf,
  partOf,
  type Reply,
  reset,
  silence,
  status,
  text,
} from '../../../test/fakes/scripted-api-server.ts';
import { type ScriptedWorld, scriptedWorld } from '../../../test/fakes/scripted-client.ts';
import type { WriteRequest } from '../../ports/cluster.ts';

const A = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' };
const OBJECT = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' }, data: { v: '1' } };
const VERSIONED = { ...OBJECT, metadata: { ...OBJECT.metadata, resourceVersion: '4' } };
const TIMEOUT_MS = 30_000;

const it = test.extend<{ world: ScriptedWorld }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
  world: async ({}, use) => {
    const world = await scriptedWorld({ settings: { strictGroups: ['kubepkg.dev'] } });
    await use(world);
    await world.close();
  },
});

/** A reply, and the moment at which its request has come in. */
function noticed(reply: Reply): { readonly reply: Reply; readonly received: Promise<unknown> } {
  let notice: () => void = () => undefined;
  const received = new Promise<undefined>((resolve) => {
    notice = () => {
      resolve(undefined);
    };
  });
  return {
    received,
    reply: (response, request) => {
      notice();
      reply(response, request);
    },
  };
}

describe('a write', () => {
  const path = '/api/v1/namespaces/default/configmaps';
  const patch = { data: { v: '2' } };

  it.for<readonly [string, WriteRequest, string, string, string, unknown]>([
    ['create', { verb: 'create', object: OBJECT }, `POST ${path}`, 'fieldManager=kubepkg', 'application/json', OBJECT],
    [
      'create in a dry run',
      { verb: 'create', object: OBJECT, dryRun: true },
      `POST ${path}`,
      'fieldManager=kubepkg&dryRun=All',
      'application/json',
      OBJECT,
    ],
    [
      'replace',
      { verb: 'replace', object: VERSIONED, subresource: 'status' },
      `PUT ${path}/a/status`,
      'fieldManager=kubepkg',
      'application/json',
      VERSIONED,
    ],
    [
      'apply',
      { verb: 'apply', object: OBJECT },
      `PATCH ${path}/a`,
      'fieldManager=kubepkg',
      'application/apply-patch+yaml',
      OBJECT,
    ],
    [
      'forced apply',
      { verb: 'apply', object: OBJECT, force: true },
      `PATCH ${path}/a`,
      'fieldManager=kubepkg&force=true',
      'application/apply-patch+yaml',
      OBJECT,
    ],
    [
      'merge patch',
      { verb: 'merge-patch', ref: A, patch, subresource: 'status', dryRun: true },
      `PATCH ${path}/a/status`,
      'fieldManager=kubepkg&dryRun=All',
      'application/merge-patch+json',
      patch,
    ],
    [
      'JSON patch',
      { verb: 'json-patch', ref: A, patch: [{ op: 'remove', path: '/data' }] },
      `PATCH ${path}/a`,
      'fieldManager=kubepkg',
      'application/json-patch+json',
      [{ op: 'remove', path: '/data' }],
    ],
    [
      'delete',
      { verb: 'delete', ref: A, propagation: 'Foreground', uid: 'u1', dryRun: true },
      `DELETE ${path}/a`,
      '',
      'application/json',
      {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        dryRun: ['All'],
        propagationPolicy: 'Foreground',
        preconditions: { uid: 'u1' },
      },
    ],
  ])('%s is the request that Kubernetes documents', async ([, write, line, query, type, body], { world }) => {
    world.server.others.push(json(configMap('a', '5')));
    expect(await world.client.write(write)).toEqual(configMap('a', '5'));
    const request = world.server.seen.at(-1);
    expect(`${String(request?.method)} ${String(request?.path)}`).toBe(line);
    expect(request?.query.toString()).toBe(query);
    expect(request?.headers['content-type']).toBe(type);
    expect(JSON.parse(request?.body ?? '')).toEqual(body);
  });

  it('keeps every field of what it sends and gets, known or not', async ({ world }) => {
    const odd = {
      ...OBJECT,
      futureField: { deep: [null, 0, '', false] },
      metadata: { ...OBJECT.metadata, future: 1.5 },
    };
    world.server.others.push((response, request) => {
      json(JSON.parse(request.body))(response, request);
    });
    expect(await world.client.write({ verb: 'create', object: odd })).toEqual(odd);
  });

  it('of our own groups asks the server to refuse unknown fields', async ({ world }) => {
    const resources = [{ name: 'packages', kind: 'Package', namespaced: false }];
    const object = { apiVersion: 'kubepkg.dev/v1', kind: 'Package', metadata: { name: 'a' } };
    world.server.discoveries.push(json({ ...CORE_KINDS, resources }));
    world.server.others.push(json(object));
    await world.client.write({ verb: 'create', object });
    const request = world.server.seen.at(-1);
    expect(request?.path).toBe('/apis/kubepkg.dev/v1/packages');
    expect(request?.query.get('fieldValidation')).toBe('Strict');
  });

  it('of a delete that left nothing names what is gone', async ({ world }) => {
    world.server.others.push(json({ kind: 'Status', status: 'Success', details: { name: 'a', uid: 'u1' } }));
    expect(await world.client.write({ verb: 'delete', ref: A })).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'default', uid: 'u1' },
    });
  });

  it.for(['create', 'merge-patch', 'delete'] as const)(
    'that got no answer is not sent again: %s',
    async (verb, { world }) => {
      await world.client.read(A);
      world.server.others.push(reset, json(configMap('a', '5')));
      const writes = {
        create: { verb: 'create', object: OBJECT },
        'merge-patch': { verb: 'merge-patch', ref: A, patch },
        delete: { verb: 'delete', ref: A },
      } as const;
      await expect(world.client.write(writes[verb])).rejects.toMatchObject({
        code: 'ApiUnreachable',
        class: 'transient',
      });
      expect(world.server.seen.filter((request) => request.method !== 'GET')).toHaveLength(1);
    },
  );

  it('to a kind that went meanwhile is told so, and the kind is looked up anew', async ({ world }) => {
    world.server.others.push(text('404 page not found', 404), json(configMap('a', '5')));
    await expect(world.client.write({ verb: 'create', object: OBJECT })).rejects.toMatchObject({
      code: 'KindNotServed',
    });
    await world.client.write({ verb: 'create', object: OBJECT });
    expect(world.server.seen.filter((request) => request.path === '/api/v1')).toHaveLength(2);
  });
});

describe('a read', () => {
  it('on a connection that had died unnoticed is sent again', async ({ world }) => {
    await world.client.read(A);
    world.server.others.push(reset, json(configMap('a', '5')));
    expect(await world.client.read(A)).toEqual(configMap('a', '5'));
    const [, dead, fresh] = world.server.requests('GET');
    expect(fresh?.connection).not.toBe(dead?.connection);
  });

  it('on a connection of its own that breaks is not', async ({ world }) => {
    await world.client.read(A);
    world.server.others.push(reset, reset, json(configMap('a', '5')));
    await expect(world.client.read(A)).rejects.toMatchObject({ code: 'ApiUnreachable' });
  });

  it('whose answer breaks off is not', async ({ world }) => {
    await world.client.read(A);
    world.server.others.push(partOf(configMap('a', '5'), 'reset'), json(configMap('a', '5')));
    await expect(world.client.read(A)).rejects.toMatchObject({ code: 'ApiUnreachable' });
  });

  it.for<readonly [string, Reply]>([
    ['silent', silence],
    ['slow in the middle of the body', partOf(configMap('a', '5'), 'silence')],
  ])('ends in time when the server is %s', async ([, reply], { world }) => {
    await world.client.read(A);
    const { received, reply: scripted } = noticed(reply);
    world.server.others.push(scripted);
    const refused = expect(world.client.read(A)).rejects.toMatchObject({ code: 'ApiTimeout', class: 'transient' });
    await received;
    await world.clock.advance(TIMEOUT_MS);
    await refused;
    await expect.poll(() => world.server.seen.at(-1)?.socket.destroyed).toBe(true);
  });

  it.for<readonly [string, Reply]>([
    ['truncated JSON', text('{"kind":"Config', 200)],
    ['another JSON', json([1])],
    ['an object without a name', json({ kind: 'ConfigMap', metadata: {} })],
  ])('refuses %s', async ([, reply], { world }) => {
    world.server.others.push(reply);
    await expect(world.client.read(A)).rejects.toMatchObject({ code: 'ApiServerError' });
  });

  it('leaves no timer behind', async ({ world }) => {
    await world.client.read(A);
    expect(world.clock.pending()).toEqual([]);
  });

  it('introduces itself', async ({ world }) => {
    await world.client.read(A);
    expect(world.server.seen[0]?.headers['user-agent']).toBe('kubepkg/1.2.3');
  });
});

describe('many requests', () => {
  it('share a few connections', async () => {
    const world = await scriptedWorld({ settings: { maxSockets: 2 } });
    await Promise.all(Array.from({ length: 20 }, () => world.client.read(A)));
    expect(new Set(world.server.seen.map((request) => request.connection)).size).toBe(2);
    await world.close();
  });

  it('give up the idle connections when one was silent', async ({ world }) => {
    await world.client.served('v1', 'ConfigMap');
    await Promise.all([world.client.read(A), world.client.read(A)]);
    const { received, reply } = noticed(silence);
    world.server.others.push(reply);
    const refused = expect(world.client.read(A)).rejects.toMatchObject({ code: 'ApiTimeout' });
    await received;
    await world.clock.advance(TIMEOUT_MS);
    await refused;
    await world.client.read(A);
    const connections = world.server.seen.map((request) => request.connection);
    expect(connections.at(-1)).toBe(Math.max(...connections.slice(0, -1)) + 1);
  });

  it('of a kind not known yet ask for it once', async ({ world }) => {
    await Promise.all(Array.from({ length: 20 }, () => world.client.read(A)));
    expect(world.server.seen.filter((request) => request.path === '/api/v1')).toHaveLength(1);
  });

  it('for a kind that is not served ask at most once a second', async ({ world }) => {
    const nothing = { ...A, kind: 'Nothing' };
    const readNothing = (): Promise<unknown> => expect(world.client.read(nothing)).rejects.toThrow();
    for (let times = 0; times < 5; times += 1) await readNothing();
    expect(world.server.seen).toHaveLength(1);
    await world.clock.advance(1000);
    await readNothing();
    expect(world.server.seen).toHaveLength(2);
  });

  it('look again after the clock was set back', async ({ world }) => {
    await world.client.served('v1', 'Nothing');
    await world.clock.advance(-3_600_000);
    await world.client.served('v1', 'Nothing');
    expect(world.server.seen).toHaveLength(2);
  });

  it('find a kind beside its subresources', async ({ world }) => {
    expect(await world.client.served('v1', 'Namespace')).toEqual({ plural: 'namespaces', namespaced: false });
  });

  it('do not take a failing discovery for an absent kind', async ({ world }) => {
    world.server.discoveries.push(status(503));
    await expect(world.client.served('v1', 'ConfigMap')).rejects.toMatchObject({ code: 'ApiServerError' });
    expect(await world.client.served('v1', 'ConfigMap')).toEqual({ plural: 'configmaps', namespaced: true });
  });

  it.for(['', 'v1/', '/v1', '../v1', 'a b/v1', 'x/v1/y'])(
    'refuse the apiVersion "%s"',
    async (apiVersion, { world }) => {
      await expect(world.client.served(apiVersion, 'X')).rejects.toMatchObject({ code: 'ApiInvalid' });
    },
  );
});

describe('a list', () => {
  const selection = { apiVersion: 'v1', kind: 'ConfigMap' };

  it('begins anew, once, when the server forgets it half way', async ({ world }) => {
    world.server.lists.push(
      json(listOf('5', [configMap('a', '3')], 'next')),
      status(410, { reason: 'Expired' }),
      json(listOf('7', [configMap('b', '6')])),
    );
    const list = await world.client.list(selection);
    expect(list).toEqual({ items: [configMap('b', '6')], resourceVersion: '7' });
    world.server.lists.push(status(410), status(410));
    await expect(world.client.list(selection)).rejects.toMatchObject({ code: 'ApiExpired' });
  });

  it('asks for metadata in the way that the server understands', async ({ world }) => {
    const item = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: { name: 'a' } };
    world.server.lists.push(json(listOf('5', [item])));
    const list = await world.client.list({ ...selection, metadataOnly: true });
    expect(list.items).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }]);
    expect(world.server.seen.at(-1)?.headers.accept).toBe(
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    );
  });
});

describe('beyond the port', () => {
  it('the end of a container log is read', async ({ world }) => {
    world.server.others.push(text('last words\n', 200));
    const request = { namespace: 'default', pod: 'p', container: 'c', tailLines: 20, limitBytes: 4096, previous: true };
    expect(await world.client.logs(request)).toBe('last words\n');
    const seen = world.server.seen.at(-1);
    expect(seen?.path).toBe('/api/v1/namespaces/default/pods/p/log');
    expect(seen?.query.toString()).toBe('container=c&tailLines=20&limitBytes=4096&previous=true');
  });

  it('a container that has written nothing yet has no log', async ({ world }) => {
    world.server.others.push(status(400, { message: 'container "c" in pod "p" is waiting to start' }));
    const request = { namespace: 'default', pod: 'p', container: 'c', tailLines: 1, limitBytes: 1 };
    expect(await world.client.logs(request)).toBeUndefined();
  });

  it('a log that may not be read is refused with the permission that is missing', async ({ world }) => {
    const message =
      'pods "p" is forbidden: User "u" cannot get resource "pods/log" in API group "" in the namespace "default"';
    world.server.others.push(status(403, { reason: 'Forbidden', message }));
    const request = { namespace: 'default', pod: 'p', container: 'c', tailLines: 1, limitBytes: 1 };
    await expect(world.client.logs(request)).rejects.toMatchObject({
      code: 'ApiForbidden',
      message: expect.stringContaining('"pods/log"') as string,
    });
  });

  it('the version of the server is read', async ({ world }) => {
    world.server.others.push(json({ major: '1', minor: '36', gitVersion: 'v1.36.3' }), json({}));
    expect(await world.client.serverVersion()).toEqual({ major: '1', minor: '36', gitVersion: 'v1.36.3' });
    await expect(world.client.serverVersion()).rejects.toMatchObject({ code: 'ApiServerError' });
  });
});
