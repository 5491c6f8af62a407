import { describe, expect, it } from 'vitest';
import { ago, POD, upgrading } from '../../../test/build/looking-scene.ts';
import type { LookingWorld } from '../../../test/build/looking-world.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { WatchEvent } from '../../ports/cluster.ts';

describe('kubepkg events', () => {
  function eventful(): LookingWorld {
    const world = upgrading();
    const shop = { apiVersion: 'kubepkg.dev/v1', kind: 'Package', metadata: { name: 'shop' } };
    const times = (seconds: number): object => ({ firstTimestamp: ago(seconds + 60), lastTimestamp: ago(seconds) });
    world.event(shop, 'RevisionCreated', 'revision 2', { type: 'Normal', ...times(100) });
    world.event(POD, 'BackOff', 'back-off restarting', { count: 7, ...times(5) });
    world.event({ ...POD, metadata: { ...POD.metadata, name: 'app-5d9f7c-aaaaa' } }, 'Killing', 'gone pod', times(50));
    world.event({ ...POD, metadata: { ...POD.metadata, name: 'apple-5d9f7c-aaaaa' } }, 'Other', 'not ours', times(50));
    world.event({ ...shop, metadata: { name: 'other' } }, 'Other', 'of another package', times(1));
    return world;
  }

  it('lists those of the package and of all that belongs to it, oldest first, with counts', async () => {
    const world = eventful();
    expect(await world.run('events', 'shop')).toBe(0);
    expect(world.out).toBe(
      [
        'LAST SEEN            TYPE      REASON            OBJECT                      MESSAGE',
        '1m40s                Normal    RevisionCreated   Package shop                revision 2',
        '50s                  Warning   Killing           Pod shop/app-5d9f7c-aaaaa   gone pod',
        '5s (x7 over 1m5s)    Warning   BackOff           Pod shop/app-5d9f7c-x2x4k   back-off restarting',
        '',
      ]
        .join('\n')
        .replaceAll(/(LAST SEEN|1m40s|50s|\(x7 over 1m5s\)) ( *)/g, '$1$2'),
    );
  });

  it('adds up those that say the same', async () => {
    const world = eventful();
    const more = { count: 3, firstTimestamp: ago(500), lastTimestamp: ago(2) };
    world.put(
      'v1',
      'Event',
      { name: 'again', namespace: 'shop' },
      {
        type: 'Warning',
        reason: 'BackOff',
        message: 'back-off restarting',
        involvedObject: { apiVersion: 'v1', kind: 'Pod', name: POD.metadata.name, namespace: 'shop' },
        ...more,
      },
    );
    await world.run('events', 'shop', '--types', 'warning');
    expect(world.out.match(/BackOff/g)).toHaveLength(1);
    expect(world.out).toContain('(x10 over ');
    expect(world.out).not.toContain('Normal');
  });

  it('shows the rest when the events of a namespace may not be read', async () => {
    const world = eventful();
    let asked = 0;
    world.cluster.before = ({ line }) => {
      if (line !== 'list Event') return;
      asked += 1;
      if (asked === 2) throw new KubepkgError('ApiForbidden', 'events is forbidden');
    };
    expect(await world.run('events', 'shop')).toBe(0);
    expect(world.out).toContain('RevisionCreated');
    expect(world.err).toContain('the events of namespace shop cannot be read: events is forbidden');
  });

  it('goes on with --watch, each once, until it is interrupted', async () => {
    const world = eventful();
    const done = world.run('events', 'shop', '--watch');
    await world.cli.stdout.shows('back-off restarting');
    for (const event of world.cluster.all('Event')) {
      world.cluster.put({ ...event, metadata: { ...event.metadata, labels: { touched: 'yes' } } });
    }
    world.event(POD, 'Pulled', 'image is there', { type: 'Normal', lastTimestamp: ago(0) });
    await world.cli.stdout.shows('image is there');
    world.cli.interrupt();
    expect(await done).toBe(130);
    expect(world.out.match(/back-off restarting/g)).toHaveLength(1);
    expect(world.out).toMatch(
      /^2030-01-01T00:00:00Z {2}Normal {2}Pulled {2}Pod shop\/app-5d9f7c-x2x4k: image is there$/m,
    );
  });

  it('says of which type there are none', async () => {
    const world = upgrading();
    expect(await world.run('events', 'shop', '--types', 'warning')).toBe(0);
    expect(world.err).toContain('no events of type Warning; a cluster keeps them');
  });

  it('ends with 4 when none may be read', async () => {
    const world = eventful();
    world.cluster.before = ({ line }) => {
      if (line === 'list Event') throw new KubepkgError('ApiForbidden', 'events is forbidden');
    };
    expect(await world.run('events', 'shop', '--watch')).toBe(4);
    expect(world.err).toContain('the events of namespace shop cannot be read: events is forbidden');
    expect(await world.run('events', 'shop')).toBe(4);
    expect(world.cluster.watched()).toEqual([]);
  });

  it('says that a watch is disturbed, and shows what the others have', async () => {
    const world = eventful();
    const watch = world.cluster.watch.bind(world.cluster);
    const opened = new Promise<(event: WatchEvent) => void>((resolve) => {
      world.cluster.watch = (selection, onEvent) => {
        if (selection.namespace !== 'default') return watch(selection, onEvent);
        resolve(onEvent);
        return { stop: () => undefined };
      };
    });
    const done = world.run('events', 'shop', '--watch');
    const lost = { type: 'disturbed', error: new KubepkgError('ApiUnreachable', 'no route') } as const;
    const tell = await opened;
    tell(lost);
    tell(lost);
    await world.cli.stdout.shows('back-off restarting');
    tell({ type: 'synced' });
    tell(lost);
    world.cli.interrupt();
    expect(await done).toBe(130);
    expect(world.err).toBe('connection lost, trying again: no route\n'.repeat(2));
  });

  it.each([
    [['--types', 'Error'], 'write Normal, Warning'],
    [['--watch', '-o', 'json'], 'leave one of the two out'],
  ])('refuses %j', async (argv, hint) => {
    const world = eventful();
    expect(await world.run('events', 'shop', ...argv)).toBe(2);
    expect(world.err).toContain(hint);
  });
});
