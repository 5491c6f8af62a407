import { describe, expect } from 'vitest';
import {
  configMap,
  json,
  listOf,
  type OpenWatch,
  type Reply,
  reset,
  status,
  statusBody,
  text,
} from '../../../test/fakes/scripted-api-server.ts';
import { CONFIG_MAPS, it, RESUME_MS, type Scene } from '../../../test/fakes/watch-scene.ts';

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
