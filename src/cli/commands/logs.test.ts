import { describe, expect, it } from 'vitest';
import { POD, upgrading } from '../../../test/build/looking-scene.ts';
import type { LookingWorld } from '../../../test/build/looking-world.ts';
import { aRevisionComponent } from '../../../test/build/objects.ts';
import { condition } from '../../../test/build/readiness-objects.ts';
import { KubepkgError } from '../../api/errors.ts';

describe('kubepkg logs', () => {
  function logging(): LookingWorld {
    const world = upgrading();
    world.cluster.podLogs.set('shop/app-5d9f7c-x2x4k/main', ['starting', 'no database']);
    return world;
  }

  it('prints the lines of one container as they are', async () => {
    const world = logging();
    expect(await world.run('logs', 'shop')).toBe(0);
    expect(world.out).toBe('starting\nno database\n');
    expect(await world.run('logs', 'shop', '--tail', '1')).toBe(0);
    expect(world.out).toBe('no database\n');
  });

  it('says whose a line is when there are several', async () => {
    const world = logging();
    world.cluster.podLogs.set('shop/app-5d9f7c-x2x4k/proxy', ['\u001b[31mlisten']);
    await world.run('logs', 'shop', 'app');
    expect(world.out).toBe(
      [
        '[app/app-5d9f7c-x2x4k/main] starting',
        '[app/app-5d9f7c-x2x4k/main] no database',
        '[app/app-5d9f7c-x2x4k/proxy] [31mlisten',
        '',
      ].join('\n'),
    );
  });

  it('prints only those of pods that fail, the run before the restart too, with --failed', async () => {
    const world = logging();
    world.cluster.podLogs.set('shop/app-5d9f7c-x2x4k/main/previous', ['out of memory']);
    world.cluster.podLogs.set('shop/app-5d9f7c-zzzzz/main', ['all is well']);
    const container = { name: 'main', ready: true, restartCount: 0, state: { running: {} } };
    const well = { conditions: [condition('Ready', 'True')], containerStatuses: [container] };
    world.cluster.put({ ...POD, metadata: { ...POD.metadata, name: 'app-5d9f7c-zzzzz' }, status: well });
    await world.run('logs', 'shop', '--failed');
    expect(world.out).toContain('[app/app-5d9f7c-x2x4k/main/previous] out of memory\n');
    expect(world.out).not.toContain('all is well');
  });

  it('prints what was kept of a failure that was undone', async () => {
    const world = logging();
    const logs = { namespace: 'kubepkg-system', name: 'kubepkg-evidence-shop-2' };
    const evidence = { component: 'app', findings: [], logs };
    const failure = { component: 'app', code: 'ComponentFailed', message: 'it failed' };
    world.revision(2, { status: { phase: 'Failed', failure, evidence } });
    world.revision(3, { spec: { restoredFrom: 1 } });
    const data = { 'app-1.main': Buffer.from('first\nlast words\n').toString('base64') };
    world.put('v1', 'Secret', logs, { data });
    expect(await world.run('logs', 'shop', '--failed')).toBe(0);
    expect(world.out).toBe('first\nlast words\n');
    expect(world.err).toContain('lines that were kept when revision 2 failed');
    await world.run('logs', 'shop', '--revision', '2', '--tail', '1');
    expect(world.out).toBe('last words\n');
    await world.run('logs', 'shop', 'store', '--revision', '2');
    expect(world.err).toContain('there are no log lines of revision 2');
  });

  it('prints a line that was kept once while its pod is there, and the rest of what was kept', async () => {
    const world = logging();
    const logs = { namespace: 'kubepkg-system', name: 'kubepkg-evidence-shop-2' };
    const evidence = { component: 'app', findings: [], logs };
    world.revision(2, { status: { phase: 'Failed', evidence } });
    const kept = { 'app-5d9f7c-x2x4k.main': 'no database\n', 'app-5d9f7c-gone.main': 'no database\n' };
    const data = Object.entries(kept).map(([key, text]) => [key, Buffer.from(text).toString('base64')] as const);
    world.put('v1', 'Secret', logs, { data: Object.fromEntries(data) });
    await world.run('logs', 'shop', '--failed');
    expect(world.out).toBe(
      [
        '[app/app-5d9f7c-gone.main] no database',
        '[app/app-5d9f7c-x2x4k/main] starting',
        '[app/app-5d9f7c-x2x4k/main] no database',
        '',
      ].join('\n'),
    );
  });

  it('P16 says of a hook that has succeeded where its lines are', async () => {
    const world = upgrading();
    const hooks = [{ name: 'migrate', state: 'Ready', attempt: 1, backendRevision: 1 }] as const;
    world.revision(3, {
      spec: { hooks: [aRevisionComponent('migrate')] },
      status: { phase: 'Applied', hooks: [...hooks] },
    });
    expect(await world.run('logs', 'shop', '--hook')).toBe(0);
    expect(world.err).toContain('the release of a hook is removed after it has succeeded');
  });

  it('shows the rest when the node of a pod is away', async () => {
    const world = logging();
    const { cluster } = world;
    const logs = cluster.logs.bind(cluster);
    cluster.logs = (request) =>
      request.container === 'main'
        ? Promise.reject(new KubepkgError('ApiServerError', 'no route to worker-2'))
        : logs(request);
    world.cluster.podLogs.set('shop/app-5d9f7c-x2x4k/proxy', ['listening']);
    expect(await world.run('logs', 'shop')).toBe(0);
    expect(world.out).toBe('listening\n');
    expect(world.err).toBe('warning: the log of pod shop/app-5d9f7c-x2x4k cannot be read: no route to worker-2\n');
  });

  it('follows what is written until it is interrupted', async () => {
    const world = logging();
    const done = world.run('logs', 'shop', '--follow', '--tail', '1');
    await world.cli.stdout.shows('no database');
    await world.cli.clock.armed(1000);
    world.cluster.podLogs.set('shop/app-5d9f7c-x2x4k/main', ['starting', 'no database', 'trying again']);
    await world.cli.clock.advance(1000);
    await world.cli.stdout.shows('trying again');
    await world.cli.clock.armed(1000);
    world.cli.interrupt();
    expect(await done).toBe(130);
    expect(world.out).toBe('[app/app-5d9f7c-x2x4k/main] no database\n[app/app-5d9f7c-x2x4k/main] trying again\n');
    expect(world.cli.clock.pending()).toEqual([]);
  });

  it('says at once, and once, what it cannot follow', async () => {
    const world = logging();
    world.cluster.logs = () => Promise.reject(new KubepkgError('ApiForbidden', 'pods/log is forbidden'));
    const done = world.run('logs', 'shop', '--follow');
    await world.cli.stderr.shows('pods/log is forbidden');
    await world.cli.clock.armed(1000);
    await world.cli.clock.advance(1000);
    await world.cli.clock.armed(1000);
    world.cli.interrupt();
    expect(await done).toBe(130);
    expect(world.err.match(/forbidden/g)).toHaveLength(1);
  });

  it('goes on following when the API server does not answer for a while', async () => {
    const world = logging();
    const done = world.run('logs', 'shop', '--follow', '--tail', '1');
    await world.cli.stdout.shows('no database');
    await world.cli.clock.armed(1000);
    world.cluster.before = ({ line }) => {
      if (line === 'list Pod') throw new KubepkgError('ApiTimeout', 'the API server did not answer');
    };
    await world.cli.clock.advance(1000);
    await world.cli.stderr.shows('warning: the pods of package shop cannot be read: the API server did not answer\n');
    await world.cli.clock.armed(1000);
    world.cluster.before = () => undefined;
    world.cluster.podLogs.set('shop/app-5d9f7c-x2x4k/main', ['starting', 'no database', 'trying again']);
    await world.cli.clock.advance(1000);
    await world.cli.stdout.shows('trying again');
    world.cli.interrupt();
    expect(await done).toBe(130);
    expect(world.out.match(/no database/g)).toHaveLength(1);
  });

  it.each([
    [['--follow', '--previous'], 'leave --follow out'],
    [['--hook'], 'leave --hook out'],
    [['--follow', '--revision', '1'], 'leave --follow out'],
    [['--tail', '0'], 'write a whole number from 1 on'],
  ])('refuses %j', async (argv, hint) => {
    const world = logging();
    expect(await world.run('logs', 'shop', ...argv)).toBe(2);
    expect(world.err).toContain(hint);
  });
});
