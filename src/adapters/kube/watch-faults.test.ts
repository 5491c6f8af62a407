import { describe, expect } from 'vitest';
import {
  configMap,
  json,
  listOf,
  type OpenWatch,
  type Reply,
  status,
  statusBody,
} from '../../../test/fakes/scripted-api-server.ts';
import { CONFIG_MAPS, IDLE_MS, it, RESUME_MS, SETTLED_MS, TIMEOUT_MS } from '../../../test/fakes/watch-scene.ts';

describe('a disturbance', () => {
  it.for<readonly [string, string, (stream: OpenWatch) => void]>([
    ['an ERROR event', 'ApiServerError', (stream: OpenWatch) => stream.send('ERROR', statusBody(500))],
    ['a line that is not JSON', 'ApiServerError', (stream: OpenWatch) => stream.raw('{"type":\n')],
    ['an event without an object', 'ApiServerError', (stream: OpenWatch) => stream.raw('{"type":"ADDED"}\n')],
  ])('by %s is reported, waited out, and ends without another list', async ([_name, code, disturb], { scene }) => {
    const stream = await scene.watchInUse();
    disturb(stream);
    await scene.passPause(500);
    expect(scene.disturbances()).toEqual([code]);
    const next = await scene.server.nextWatch();
    expect(next.from).toBe('6');
    await scene.passPause(SETTLED_MS);
    await scene.recorder.synced(2);
    expect(scene.recorder.events.at(-1)).toEqual({ type: 'synced' });
    await stream.closed;
  });

  it.for<readonly [string, Reply, number]>([
    ['500', status(500), 500],
    ['429', status(429, {}, { 'retry-after': '3' }), 3000],
    ['504', status(504), 500],
  ])('by a %s to the watch keeps the resource version', async ([_name, reply, pause], { scene }) => {
    const stream = await scene.watchInUse();
    scene.server.watches.push(reply);
    stream.end();
    await scene.passPause(RESUME_MS);
    await scene.passPause(pause);
    expect((await scene.server.nextWatch()).from).toBe('6');
  });

  it('that is over is forgotten: the next one is waited out as briefly as the first', async ({ scene }) => {
    const stream = await scene.watchInUse();
    scene.server.watches.push(status(500));
    stream.send('ERROR', statusBody(500));
    await scene.passPause(500);
    await scene.passPause(1000);
    const next = await scene.server.nextWatch();
    next.send('ADDED', configMap('c', '8'));
    await scene.recorder.saw('set', 'c');
    next.send('ERROR', statusBody(500));
    await scene.passPause(500);
    expect((await scene.server.nextWatch()).from).toBe('8');
  });

  it('by a line without an end is cut off', async ({ scene }) => {
    const stream = await scene.watchInUse();
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    for (let sent = 0; sent < 34; sent += 1) stream.raw(chunk);
    await scene.passPause(500);
    expect(scene.disturbances()).toEqual(['ApiServerError']);
  });
});

describe('a silent connection', () => {
  it('is taken for dead after two minutes, and resumed', async ({ scene }) => {
    await scene.watchInUse();
    await scene.passPause(IDLE_MS);
    await scene.passPause(RESUME_MS);
    expect((await scene.server.nextWatch()).from).toBe('6');
    expect(scene.disturbances()).toEqual([]);
  });

  it('is not one that sends bookmarks', async ({ scene }) => {
    const stream = await scene.watchInUse();
    await scene.world.clock.advance(IDLE_MS - 1);
    stream.send('BOOKMARK', { metadata: { resourceVersion: '30' } });
    stream.send('ADDED', configMap('c', '31'));
    await scene.recorder.saw('set', 'c');
    await scene.world.clock.advance(IDLE_MS - 1);
    stream.send('ADDED', configMap('d', '32'));
    await scene.recorder.saw('set', 'd');
  });

  it('is given up as well when not even the head of an answer comes', async ({ scene }) => {
    const stream = await scene.watchInUse();
    const received = new Promise<void>((resolve) => {
      scene.server.watches.push(() => {
        resolve();
      });
    });
    stream.end();
    await scene.passPause(RESUME_MS);
    await received;
    await scene.passPause(TIMEOUT_MS);
    await scene.passPause(500);
    expect(scene.disturbances()).toEqual(['ApiTimeout']);
    expect((await scene.server.nextWatch()).from).toBe('6');
  });
});

describe('what the handler gets', () => {
  it('comes without managed fields, but for the writes of the status', async ({ scene }) => {
    const stream = await scene.watchInUse();
    const written = { manager: 'kubelet', operation: 'Update', subresource: 'status', time: '2030-01-01T00:00:00Z' };
    const managedFields = [
      { manager: 'kubectl', operation: 'Apply', time: '2030-01-01T00:00:00Z', fieldsV1: { 'f:data': {} } },
      { ...written, apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:status': {} } },
    ];
    const object = configMap('m', '8');
    stream.send('ADDED', { ...object, metadata: { ...(object['metadata'] as object), managedFields } });
    const seen = await scene.recorder.saw('set', 'm');
    expect(seen.metadata.managedFields).toEqual([written]);
  });

  it('is whole whatever the chunks, umlauts included', async ({ scene }) => {
    const stream = await scene.watchInUse();
    const line = Buffer.from(
      `${JSON.stringify({ type: 'ADDED', object: { ...configMap('ü', '8'), data: { v: '🚢' } } })}\n`,
    );
    for (const byte of line) stream.raw(Buffer.from([byte]));
    expect(await scene.recorder.saw('set', 'ü')).toMatchObject({ data: { v: '🚢' } });
  });

  it('is handed on although the handler throws, and the error surfaces', async ({ scene }) => {
    scene.server.lists.push(json(listOf('5', [configMap('a', '3')])));
    const seen: string[] = [];
    const subscription = scene.world.client.watch(CONFIG_MAPS, (event) => {
      seen.push(event.type);
      throw new Error('a fault of the handler');
    });
    scene.watch();
    const first = await scene.server.nextWatch();
    const second = await scene.server.nextWatch();
    for (const stream of [first, second]) stream.send('ADDED', configMap('b', '6'));
    await scene.recorder.saw('set', 'b');
    await expect.poll(() => seen).toEqual(['set', 'synced', 'set']);
    expect(scene.errors).toEqual(Array.from({ length: 3 }, () => new Error('a fault of the handler')));
    subscription.stop();
  });
});

describe('stopping', () => {
  it('closes the connection', async ({ scene }) => {
    const stream = await scene.watchInUse();
    scene.recorder.stop();
    await stream.closed;
  });

  it('after the list opens no watch', async ({ scene }) => {
    const stopped = new Promise<void>((resolve) => {
      const subscription = scene.world.client.watch(CONFIG_MAPS, () => {
        subscription.stop();
        resolve();
      });
    });
    await stopped;
    await scene.world.client.list(CONFIG_MAPS);
    expect(scene.server.seen.filter((request) => request.query.has('watch'))).toEqual([]);
    scene.watch();
  });

  it('in a pause ends for good', async ({ scene }) => {
    const stream = await scene.watchInUse();
    stream.end();
    await scene.world.clock.armed(RESUME_MS);
    scene.recorder.stop();
    expect(scene.world.clock.pending()).toEqual([]);
  });

  it('is part of closing the client', async ({ scene }) => {
    const stream = await scene.watchInUse();
    scene.world.client.close();
    await stream.closed;
    expect(scene.world.clock.pending()).toEqual([]);
  });
});
