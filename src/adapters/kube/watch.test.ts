import { describe, expect, test } from 'vitest';
import { WatchRecorder } from '../../../test/conformance/watch-recorder.ts';
import {
  configMap,
  listOf,
  json,
  type OpenWatch,
  type Reply,
  reset,
  type ScriptedApiServer,
  status,
  statusBody,
  text,
} from '../../../test/fakes/scripted-api-server.ts';
import { type ScriptedWorld, scriptedWorld } from '../../../test/fakes/scripted-client.ts';
import type { Selection } from '../../ports/cluster.ts';

const CONFIG_MAPS: Selection = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' };
const RESUME_MS = 50;
const SETTLED_MS = 1500;
const TIMEOUT_MS = 31_000;
const IDLE_MS = 120_000;

/** A scripted server, its client, and what one watch delivered. */
class Scene {
  readonly errors: unknown[] = [];
  #world: ScriptedWorld | undefined;
  #recorder: WatchRecorder | undefined;

  async start(): Promise<void> {
    this.#world = await scriptedWorld({
      settings: { timeoutMs: TIMEOUT_MS, onError: (error) => this.errors.push(error) },
    });
  }

  async close(): Promise<void> {
    this.#recorder?.stop();
    await this.world.close();
  }

  get world(): ScriptedWorld {
    return present(this.#world);
  }

  get server(): ScriptedApiServer {
    return this.world.server;
  }

  get recorder(): WatchRecorder {
    return present(this.#recorder);
  }

  watch(selection: Selection = CONFIG_MAPS): WatchRecorder {
    this.#recorder = new WatchRecorder(this.world.client, selection);
    return this.#recorder;
  }

  /** Waits for the pause before the next try, and lets it pass. */
  async passPause(ms: number): Promise<void> {
    await this.world.clock.armed(ms);
    this.world.clock.advance(ms);
  }

  /** A watch that listed `a` at resource version 5 and has seen one change since. */
  async watchInUse(): Promise<OpenWatch> {
    this.server.lists.push(json(listOf('5', [configMap('a', '3')])));
    this.watch();
    const stream = await this.server.nextWatch();
    stream.send('ADDED', configMap('b', '6'));
    await this.recorder.saw('set', 'b');
    return stream;
  }

  disturbances(): readonly string[] {
    return this.recorder.events.flatMap((event) => (event.type === 'disturbed' ? [event.error.code] : []));
  }
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the scene has not come that far');
  return value;
}

const it = test.extend<{ scene: Scene }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
  scene: async ({}, use) => {
    const scene = new Scene();
    await scene.start();
    await use(scene);
    await scene.close();
  },
});

describe('the first list', () => {
  it('is followed by a watch from its resource version, with bookmarks and a limit in time', async ({ scene }) => {
    scene.server.lists.push(json(listOf('5', [configMap('a', '3')])));
    scene.watch({ ...CONFIG_MAPS, labelSelector: 'x in (y,z)', fieldSelector: 'metadata.name!=q' });
    const stream = await scene.server.nextWatch();
    const { path, query } = stream.request;
    expect(path).toBe('/api/v1/namespaces/default/configmaps');
    expect(Object.fromEntries(query)).toEqual({
      labelSelector: 'x in (y,z)',
      fieldSelector: 'metadata.name!=q',
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: '5',
      timeoutSeconds: '240',
    });
    expect(scene.server.requests('GET')[0]?.query.get('limit')).toBe('500');
  });

  it('is read in pages', async ({ scene }) => {
    scene.server.lists.push(json(listOf('5', [configMap('a', '3')], 'next')), json(listOf('5', [configMap('b', '4')])));
    scene.watch();
    await scene.recorder.synced();
    expect(scene.recorder.summary()).toEqual(['set ConfigMap default/a', 'set ConfigMap default/b', 'synced']);
    expect(scene.server.requests('GET')[1]?.query.get('continue')).toBe('next');
  });

  it('begins anew when the server forgets it half way, and repeats no object', async ({ scene }) => {
    scene.server.lists.push(
      json(listOf('5', [configMap('a', '3')], 'next')),
      status(410, { reason: 'Expired' }),
      json(listOf('7', [configMap('a', '3'), configMap('b', '6')])),
    );
    scene.watch();
    await scene.passPause(500);
    await scene.recorder.synced();
    expect(scene.recorder.summary()).toEqual(['set ConfigMap default/a', 'set ConfigMap default/b', 'synced']);
  });

  it.for<readonly [string, Reply, string]>([
    ['500', status(500), 'ApiServerError'],
    ['503 without a Status', text('no upstream', 503), 'ApiServerError'],
    ['403', status(403, { reason: 'Forbidden' }), 'ApiForbidden'],
    ['an answer that is not JSON', text('<html>', 200), 'ApiServerError'],
  ])('is tried again after %s', async ([_name, reply, code], { scene }) => {
    scene.server.lists.push(reply, json(listOf('5', [])));
    scene.watch();
    await scene.passPause(500);
    await scene.recorder.synced();
    expect(scene.disturbances()).toEqual([code]);
  });

  it('is tried again after a broken connection', async ({ scene }) => {
    // The connection that discovery left is the first to break; that is put right without a word.
    scene.server.lists.push(reset, reset, json(listOf('5', [])));
    scene.watch();
    await scene.passPause(500);
    await scene.recorder.synced();
    expect(scene.disturbances()).toEqual(['ApiUnreachable']);
  });

  it('waits as long as a 429 asks', async ({ scene }) => {
    scene.server.lists.push(status(429, {}, { 'retry-after': '7' }), json(listOf('5', [])));
    scene.watch();
    await scene.passPause(7000);
    await scene.recorder.synced();
    expect(scene.disturbances()).toEqual(['ApiThrottled']);
  });

  it('is tried at doubling intervals, of half a minute at most', async ({ scene }) => {
    scene.server.lists.push(...Array.from({ length: 9 }, () => status(500)));
    scene.watch();
    for (const pause of [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]) await scene.passPause(pause);
    await scene.recorder.synced();
  });
});

describe('a kind that is not served', () => {
  it('is asked for again every two seconds, until it is there', async ({ scene }) => {
    scene.server.discoveries.push(...Array.from({ length: 4 }, () => text('404 page not found', 404)));
    scene.watch();
    for (const pause of [500, 1000, 2000, 2000, 2000]) await scene.passPause(pause);
    await scene.recorder.synced();
    expect(new Set(scene.disturbances())).toEqual(new Set(['KindNotServed']));
  });

  it('is noticed when it goes while it is watched', async ({ scene }) => {
    const stream = await scene.watchInUse();
    scene.server.watches.push(text('404 page not found', 404));
    stream.end();
    await scene.passPause(RESUME_MS);
    await scene.recorder.until(() => scene.disturbances().length > 0);
    expect(scene.disturbances()).toEqual(['KindNotServed']);
  });
});

describe('a stream that ends', () => {
  it.for<readonly [string, (stream: OpenWatch) => void]>([
    ['politely', (stream: OpenWatch) => stream.end()],
    ['by a reset', (stream: OpenWatch) => stream.reset()],
    [
      'by a reset in the middle of a line',
      (stream: OpenWatch) => {
        stream.raw('{"type":"ADDED","object":{"apiVersion":"v1","ki');
        stream.reset();
      },
    ],
    [
      'politely in the middle of a line',
      (stream: OpenWatch) => {
        stream.raw('{"type":"ADDED","object":{"apiVersion":"v1","ki');
        stream.end();
      },
    ],
  ])('%s is resumed from the last object, without another list', async ([_name, finish], { scene }) => {
    const stream = await scene.watchInUse();
    finish(stream);
    await scene.passPause(RESUME_MS);
    const next = await scene.server.nextWatch();
    expect(next.from).toBe('6');
    next.send('DELETED', configMap('b', '7'));
    await scene.recorder.saw('gone', 'b');
    expect(scene.recorder.summary()).toEqual([
      'set ConfigMap default/a',
      'synced',
      'set ConfigMap default/b',
      'gone ConfigMap default/b',
    ]);
    expect(scene.disturbances()).toEqual([]);
  });

  it('at once, again and again, is not hammered: it counts as disturbed, and the list is read anew', async ({
    scene,
  }) => {
    scene.watch();
    for (const pause of [500, 1000, 2000]) {
      (await scene.server.nextWatch()).end();
      await scene.passPause(pause);
    }
    await scene.recorder.synced(2);
    expect(scene.disturbances()).toHaveLength(3);
  });

  it('resumes from the last bookmark', async ({ scene }) => {
    const stream = await scene.watchInUse();
    stream.send('BOOKMARK', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: '99' } });
    stream.end();
    await scene.passPause(RESUME_MS);
    expect((await scene.server.nextWatch()).from).toBe('99');
  });
});

describe('a resource version that is too old', () => {
  const relisted = listOf('20', [configMap('a', '3'), configMap('b', '9'), configMap('c', '8')]);

  async function expectRelist(scene: Scene): Promise<void> {
    await scene.recorder.synced(2);
    expect((await scene.server.nextWatch()).from).toBe('20');
    expect(scene.recorder.summary()).toEqual([
      'set ConfigMap default/a',
      'synced',
      'set ConfigMap default/b',
      'set ConfigMap default/b',
      'set ConfigMap default/c',
      'synced',
    ]);
  }

  it('leads to a list, told by an event: what is unchanged is not repeated', async ({ scene }) => {
    const stream = await scene.watchInUse();
    scene.server.lists.push(json(relisted));
    stream.send('ERROR', statusBody(410, { reason: 'Expired' }));
    await scene.passPause(RESUME_MS);
    await expectRelist(scene);
    expect(scene.disturbances()).toEqual([]);
  });

  it('leads to a list, told by the status of the answer', async ({ scene }) => {
    const stream = await scene.watchInUse();
    scene.server.watches.push(status(410, { reason: 'Expired' }));
    scene.server.lists.push(json(relisted));
    stream.end();
    await scene.passPause(RESUME_MS);
    await scene.passPause(500);
    await expectRelist(scene);
  });

  it('leads to a list that tells what went meanwhile, and what was made anew under its name', async ({ scene }) => {
    const stream = await scene.watchInUse();
    scene.server.lists.push(json(listOf('20', [configMap('b', '18', 'another-uid')])));
    stream.send('ERROR', statusBody(410));
    await scene.passPause(RESUME_MS);
    await scene.recorder.synced(2);
    expect(scene.recorder.events.slice(3)).toEqual([
      { type: 'gone', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('b', 'uid-b', '6') } },
      { type: 'set', object: configMap('b', '18', 'another-uid') },
      { type: 'gone', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('a', 'uid-a', '3') } },
      { type: 'synced' },
    ]);
  });
});

function metadata(name: string, uid: string, resourceVersion: string): unknown {
  return { name, namespace: 'default', uid, resourceVersion };
}

it('an object that is gone is told once, however often the list is read', async ({ scene }) => {
  const stream = await scene.watchInUse();
  for (const resourceVersion of ['20', '21'])
    scene.server.lists.push(json(listOf(resourceVersion, [configMap('b', '6')])));
  stream.send('ERROR', statusBody(410));
  await scene.passPause(RESUME_MS);
  const next = await scene.server.nextWatch();
  next.send('BOOKMARK', { metadata: { resourceVersion: '20' } });
  next.send('ERROR', statusBody(410));
  await scene.passPause(RESUME_MS);
  await scene.recorder.synced(3);
  expect(scene.recorder.summary().filter((line) => line.startsWith('gone'))).toEqual(['gone ConfigMap default/a']);
});

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
    scene.world.clock.advance(IDLE_MS - 1);
    stream.send('BOOKMARK', { metadata: { resourceVersion: '30' } });
    stream.send('ADDED', configMap('c', '31'));
    await scene.recorder.saw('set', 'c');
    scene.world.clock.advance(IDLE_MS - 1);
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
    expect(scene.world.clock.delays()).toEqual([]);
  });

  it('is part of closing the client', async ({ scene }) => {
    const stream = await scene.watchInUse();
    scene.world.client.close();
    await stream.closed;
    expect(scene.world.clock.delays()).toEqual([]);
  });
});
