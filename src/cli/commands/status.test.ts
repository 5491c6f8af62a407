import { describe, expect, it } from 'vitest';
import { ago, POD, upgrading, workload } from '../../../test/build/looking-scene.ts';
import { aRevisionComponent } from '../../../test/build/objects.ts';
import { LookingWorld, NOW } from '../../../test/build/looking-world.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';

describe('kubepkg status', () => {
  it('shows a tree down to the cause, with deadline and since when, of what is not ready', async () => {
    const world = upgrading();
    expect(await world.run('status', 'shop')).toBe(0);
    expect(world.out.split('\n').slice(7, 15)).toEqual([
      'shop 1.1.0 (revision 2, Applying)',
      '├─ store  Ready  after 8s',
      '└─ app  Submitted  for 3m12s, 6m48s left (2030-01-01T00:06:48Z)',
      '   │ Deployment shop/app: 1 of 3 replicas available',
      '   └─ Deployment shop/app  Progressing  for 3m',
      '      │ 1 of 3 replicas available',
      '      └─ Pod app-5d9f7c-x2x4k  for 2m50s',
      '           container main last ended with exit code 3',
    ]);
    expect(world.err).toBe('');
  });

  it('never says that something is ready which the operator has not accepted', async () => {
    const world = upgrading();
    world.cluster.put(workload(3));
    await world.run('status', 'shop');
    expect(world.out).toMatch(/└─ app {2}Submitted .*\n.*1 of 3.*\n.*the operator has not accepted it yet\n/);
    expect(world.out).not.toMatch(/Deployment shop\/app {2}Ready/);
  });

  it('tells of the pods of the newest template first', async () => {
    const world = upgrading();
    const { creationTimestamp: _made, ...metadata } = POD.metadata;
    for (const [template, seconds] of [
      ['2b', -9000],
      ['9z', 90],
    ] as const) {
      world.cluster.now = () => NOW + seconds * 1000;
      const labels = { app: 'app', 'pod-template-hash': template };
      world.cluster.put({ ...POD, metadata: { ...metadata, name: `app-${template}-x2x4k`, labels } });
    }
    await world.run('status', 'shop');
    expect(world.out).toMatch(/Pod app-9z-x2x4k[^]*Pod app-2b-x2x4k/);
  });

  it('shows all objects with --all alone, and attempts and times with -o wide alone', async () => {
    const world = upgrading();
    await world.run('status', 'shop', '--all');
    expect(world.out).toMatch(/├─ store {2}Ready.*\n│ {2}└─ Deployment shop\/store {2}Missing\n/);
    expect(world.out).not.toContain('ATTEMPT');
    await world.run('status', 'shop', '-o', 'wide');
    expect(world.out).not.toContain('Deployment shop/store');
    expect(world.out).toContain('ATTEMPT');
  });

  it('shows with --all what is ready by existing, too, and reads none of its contents', async () => {
    const world = upgrading();
    world.put('v1', 'Secret', { name: 'db', namespace: 'shop' });
    const read = world.cluster.read.bind(world.cluster);
    const isBare: unknown[] = [];
    world.cluster.read = (ref, options) => {
      if (ref.kind === 'Secret' && ref.name === 'db') isBare.push(options?.metadataOnly);
      return read(ref, options);
    };
    await world.run('status', 'shop', '--all');
    expect(world.out).toMatch(/ Secret shop\/db {2}Ready\n/);
    expect(isBare).toEqual([true]);
    await world.run('status', 'shop');
    expect(world.out).not.toContain('shop/db');
    world.cluster.remove({ apiVersion: 'v1', kind: 'Secret', name: 'db', namespace: 'shop' });
    await world.run('status', 'shop', '--all');
    expect(world.out).toMatch(/ Secret shop\/db {2}Missing\n/);
  });

  it('expands what is ready by the journal and no more healthy', async () => {
    const world = upgrading();
    const conditions = [
      { type: 'Ready', status: 'False', reason: 'Degraded', message: 'x', lastTransitionTime: ago(1) },
    ];
    const known = world.cluster.get({ apiVersion: 'kubepkg.dev/v1', kind: 'Package', name: 'shop' });
    if (known !== undefined) world.cluster.put({ ...known, status: { conditions } });
    await world.run('status', 'shop');
    expect(world.out).toMatch(/├─ store {2}Ready.*\n│ {2}└─ Deployment shop\/store {2}Missing\n/);
  });

  it('shows what was seen of a revision that was undone', async () => {
    const world = upgrading();
    const failure = { component: 'app', code: 'ComponentFailed', message: 'Job shop/app: failed' };
    const evidence = { component: 'app', findings: ['Job shop/app: failed', 'Pod shop/app-1: exited with code 3'] };
    world.revision(2, { version: '1.1.0', status: { phase: 'Failed', failure, evidence } });
    world.revision(3, { status: { phase: 'Applied' }, spec: { restoredFrom: 1 } });
    await world.run('status', 'shop');
    const lines = world.out.split('\n');
    expect(lines.slice(lines.indexOf('revision 2 (1.1.0) failed and was undone')).slice(0, 5)).toEqual([
      'revision 2 (1.1.0) failed and was undone',
      '└─ app',
      '   │ Job shop/app: failed',
      '   └─ seen when it failed',
      '        Pod shop/app-1: exited with code 3',
    ]);
  });

  it('says a cause of several lines once, and a shorter one where it belongs as well', async () => {
    const world = upgrading();
    const registry = `registry.example.org/${'team/'.repeat(30)}app:2`;
    for (const [image, times] of [
      [registry, 1],
      ['app:2', 2],
    ] as const) {
      const waiting = { reason: 'ImagePullBackOff', message: 'Back-off' };
      const containerStatuses = [{ name: 'main', image, ready: false, restartCount: 0, state: { waiting } }];
      world.cluster.put({ ...POD, status: { ...(POD.status as object), containerStatuses } });
      const cause = `container main cannot pull image ${image}`;
      const message = `component app (2 of 2): Deployment shop/app: 1 of 3 replicas available; pod app-1: ${cause}`;
      const ready = { type: 'Ready', status: 'False', reason: 'Progressing', message, lastTransitionTime: ago(9) };
      const known = world.cluster.get({ apiVersion: 'kubepkg.dev/v1', kind: 'Package', name: 'shop' });
      if (known !== undefined) world.cluster.put({ ...known, status: { conditions: [ready] } });
      await world.run('status', 'shop');
      expect(world.out.split(cause)).toHaveLength(times + 1);
    }
  });

  it('tells of the Job of a hook that kubepkg itself has stopped, and where its last lines are', async () => {
    const world = upgrading();
    const hook = aRevisionComponent('migrate');
    const failure = { component: 'migrate', code: 'DeadlineExceeded', message: 'not ready at its deadline' };
    const logs = { namespace: 'kubepkg-system', name: 'kubepkg-evidence-shop-2' };
    const evidence = { component: 'migrate', findings: ['Pod shop/migrate-1: exited with code 3'], logs };
    const hooks = [{ name: 'migrate', state: 'Failed' as const, attempt: 1, message: failure.message }];
    world.revision(2, {
      version: '1.1.0',
      spec: { hooks: [hook] },
      status: { phase: 'Failed', failure, evidence, hooks },
    });
    world.record('migrate', 1, '---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate}\n');
    const annotations = { 'kubepkg.dev/stopped-for': 'DeadlineExceeded' };
    world.put('batch/v1', 'Job', { name: 'migrate', namespace: 'shop', annotations }, { spec: { suspend: true } });
    await world.run('status', 'shop');
    expect(world.out).toMatch(/Job shop\/migrate {2}Failed\n.* {2}stopped by kubepkg .* deadline\n/);
    expect(world.out).toMatch(/exited with code 3\n.* {2}its last log lines: kubepkg logs shop migrate --failed\n/);
  });

  it('shows the rest and names the right that is missing', async () => {
    const world = upgrading();
    world.cluster.before = ({ line }) => {
      if (line !== 'list Pod') return;
      throw new KubepkgError('ApiForbidden', 'pods is forbidden: cannot list resource "pods"', { hint: 'grant it' });
    };
    expect(await world.run('status', 'shop')).toBe(0);
    expect(world.out).toContain('Deployment shop/app  Progressing');
    expect(world.err).toBe(
      'warning: the Pod objects of namespace shop cannot be read: pods is forbidden: cannot list resource "pods"\nhint: grant it\n',
    );
  });

  it('keeps to a terminal of 40 columns', async () => {
    const world = upgrading();
    world.cli.stdout.isTerminal = true;
    world.cli.stdout.columns = 40;
    for (const command of ['status', 'history', 'events']) {
      await world.run(command, 'shop', '--no-color');
      expect(world.out.split('\n').filter((line) => line.length > 40)).toEqual([]);
    }
  });

  it('prints names, and data that nothing was read for', async () => {
    const world = upgrading();
    await world.run('status', 'shop', '-o', 'name');
    expect(world.out).toBe(
      ['package.kubepkg.dev/shop', 'packagerevision.kubepkg.dev/shop-1', 'packagerevision.kubepkg.dev/shop-2', ''].join(
        '\n',
      ),
    );
    expect(world.cluster.requests.some(({ line }) => line === 'list Secret')).toBe(false);
  });
});

describe('kubepkg history', () => {
  it('lists revisions oldest first, the current one marked', async () => {
    const world = upgrading();
    await world.run('history', 'shop');
    expect(world.out).toBe(
      [
        'REVISION   VERSION   PHASE        CREATED   APPLIED   NOTE',
        '1          1.0.0     Superseded   0s ago    1h ago',
        '2 *        1.1.0     Applying     0s ago    -',
        '',
      ].join('\n'),
    );
  });

  it('has a line for each revision on a terminal, and the whole of a note with -o wide', async () => {
    const world = upgrading();
    const message = 'component app failed: Deployment shop/app: 1 of 3 replicas are ready, and no more came';
    world.revision(2, { status: { phase: 'Failed', message } });
    world.cli.stdout.isTerminal = true;
    world.cli.stdout.columns = 80;
    await world.run('history', 'shop');
    const lines = world.out.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[2]).toMatch(/ component app failed: …$/);
    await world.run('history', 'shop', '-o', 'wide');
    expect(world.out.replaceAll(/\s+/g, ' ')).toContain(message);
  });

  it('says what a revision restores, and how a rollback went', async () => {
    const world = upgrading();
    world.revision(2, { status: { phase: 'Failed', message: 'app failed', rollback: { to: 1, state: 'Done' } } });
    world.revision(3, { spec: { restoredFrom: 1 } });
    await world.run('history', 'shop', '-o', 'wide');
    expect(world.out).toMatch(/^2 .* {3}rollback to revision 1: Done; app failed$/m);
    expect(world.out).toMatch(/^3 .* {3}restores revision 1$/m);
  });

  it('prints the revisions as data', async () => {
    const world = upgrading();
    await world.run('history', 'shop', '-o', 'json');
    const list = JSON.parse(world.out) as { readonly items: readonly KubeObject[] };
    expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['shop-1', 'shop-2']);
  });
});

describe('commands that look', () => {
  it.each(['status', 'history', 'get', 'values', 'diff', 'events', 'logs'])(
    '%s has examples in its help',
    async (name) => {
      const world = new LookingWorld();
      expect(await world.run(name, '--help')).toBe(0);
      expect(world.out).toMatch(new RegExp(`\\nExamples:\\n {2}kubepkg ${name} `));
    },
  );

  it.each([
    ['history', 'package shop has no revision yet'],
    ['logs', 'see what it waits for: kubepkg status shop'],
    ['values', 'see what it waits for: kubepkg status shop'],
    ['diff', 'see what it waits for: kubepkg status shop'],
    ['events', 'no events'],
    ['status', ''],
  ])('%s of a package without revisions', async (name, text) => {
    const world = new LookingWorld();
    await world.run(name, 'shop');
    expect(world.err).toContain(text);
    expect(world.err).not.toContain('fault of kubepkg');
  });
});
