import { describe, expect, it } from 'vitest';
import { answering, report, revise, SHOP, shopSource, shopWorld, WELL } from '../../../test/build/shop-world.ts';
import type { CliWorld } from '../../../test/fakes/cli-world.ts';
import { KubepkgError } from '../../api/errors.ts';
import { writeYaml } from '../../lib/yaml.ts';

describe('kubepkg install, waiting', () => {
  /** Starts to install, and gives back when the package is written and watched. */
  async function waiting(world: CliWorld, ...argv: readonly string[]): Promise<{ done: Promise<number> }> {
    const done = world.run('install', 'shop', ...argv);
    await world.clock.armed(30 * 60_000);
    return { done };
  }

  it('shows one line for each thing that happens', async () => {
    const world = shopWorld();
    const { done } = await waiting(world);
    report(world, { ready: ['False', 'Progressing', 'waiting for component store'], revision: 1 });
    revise(world, 1, '1.0.0');
    report(world, { ready: WELL, version: '1.0.0', revision: 1 });
    expect(await done).toBe(0);
    const lines = world.stderr.text.trimEnd().split('\n').slice(2);
    expect(lines).toEqual([
      '2030-01-01T00:00:00Z  shop: Progressing: waiting for component store',
      '2030-01-01T00:00:00Z  shop: revision 1 (1.0.0) begun',
      '2030-01-01T00:00:00Z  shop: store Submitted: waiting until it is ready',
      '2030-01-01T00:00:00Z  shop: Ready: ReconciliationSucceeded: all is well',
    ]);
    expect(world.stdout.text).toBe('shop 1.0.0 is ready (revision 1)\n');
  });

  it('tells nothing of a revision that had ended before, as if it happened now', async () => {
    const world = shopWorld();
    answering(world, ['False', 'UpgradeFailed', 'no']);
    expect(await world.run('install', 'shop')).toBe(1);
    revise(world, 1, '1.0.0', 'Failed');
    world.cluster.onWrite = () => undefined;
    world.stderr.text = '';
    const { done } = await waiting(world, '--variant', 'large');
    report(world, { ready: ['False', 'Progressing', 'charts are being fetched'], revision: 1 });
    report(world, { ready: WELL, version: '1.0.0', revision: 2 });
    expect(await done).toBe(0);
    expect(world.stderr.text).not.toContain('Failed');
  });

  it.each([
    ['UpgradeFailed', 1],
    ['UpgradeRolledBack', 1],
    ['Degraded', 1],
    ['InvalidConfiguration', 5],
    ['CRDOwnershipConflict', 5],
  ])('ends with the reason and the next step when the package fails with %s', async (reason, exitCode) => {
    const world = shopWorld();
    answering(world, ['False', reason, 'component app: the image cannot be pulled']);
    expect(await world.run('install', 'shop')).toBe(exitCode);
    const [error, hint] = world.stderr.text.trimEnd().split('\n').slice(-2);
    expect(error).toBe(`error: package shop: ${reason}: component app: the image cannot be pulled`);
    expect(hint).toMatch(/^hint: .+/);
    expect(world.stdout.text).toBe('');
  });

  it('never believes a Ready from before its own write', async () => {
    const world = shopWorld();
    answering(world, WELL);
    await world.run('install', 'shop');
    world.cluster.onWrite = () => undefined;
    world.stdout.text = '';
    const { done } = await waiting(world, '--variant', 'large');
    report(world, { ready: WELL, version: '1.0.0', revision: 1, generation: 1 });
    expect(world.cluster.watchers).toBeGreaterThan(0);
    report(world, { ready: ['False', 'UpgradeFailed', 'no'], revision: 2 });
    expect(await done).toBe(1);
  });

  it('never believes a failure from before its own write either', async () => {
    const world = shopWorld();
    answering(world, ['False', 'UpgradeFailed', 'no']);
    expect(await world.run('install', 'shop')).toBe(1);
    world.cluster.onWrite = () => undefined;
    const { done } = await waiting(world, '--variant', 'large');
    report(world, { ready: WELL, version: '1.0.0', revision: 2 });
    expect(await done).toBe(0);
  });

  it('waits for the new version when only the source changed', async () => {
    const world = shopWorld();
    answering(world, WELL);
    await world.run('install', 'shop');
    world.cluster.onWrite = () => undefined;
    world.files.set('new', writeYaml(shopSource({ version: '1.1.0' })));
    const { done } = await waiting(world, '-f', 'new');
    await world.clock.advance(60_000);
    expect(world.cluster.watchers).toBeGreaterThan(0);
    revise(world, 2, '1.1.0');
    report(world, { ready: WELL, version: '1.1.0', revision: 2 });
    expect(await done).toBe(0);
    expect(world.stdout.text).toContain('shop 1.1.0 is ready (revision 2)');
  });

  it.each([
    [1, 'pending'],
    [2, 'ready'],
  ])('believes a status about generation %i of a source that is at 2 to be %s', async (source, verdict) => {
    const world = shopWorld();
    answering(world, WELL);
    await world.run('install', 'shop');
    world.cluster.onWrite = () => undefined;
    world.files.set('new', writeYaml(shopSource({ images: ['a:1'] })));
    const { done } = await waiting(world, '-f', 'new');
    report(world, { ready: WELL, version: '1.0.0', revision: 1, source });
    await world.clock.advance(60_000);
    expect(world.cluster.watchers === 0).toBe(verdict === 'ready');
    world.interrupt();
    expect(await done).toBe(verdict === 'ready' ? 0 : 130);
  });

  it('does not take the old Ready for the new one while a revision of the same version is being begun', async () => {
    const world = shopWorld();
    answering(world, WELL);
    await world.run('install', 'shop');
    world.cluster.onWrite = () => undefined;
    world.files.set('new', writeYaml(shopSource({ images: ['a:1'] })));
    const { done } = await waiting(world, '-f', 'new');
    revise(world, 2, '1.0.0');
    await world.clock.advance(60_000);
    expect(world.cluster.watchers).toBeGreaterThan(0);
    report(world, { ready: WELL, version: '1.0.0', revision: 2 });
    expect(await done).toBe(0);
  });

  it('takes a change of the source that changes nothing for done when the operator leaves it at that', async () => {
    const world = shopWorld();
    answering(world, WELL);
    await world.run('install', 'shop');
    world.cluster.onWrite = () => undefined;
    world.files.set('new', writeYaml(shopSource({ version: '1.0.0', images: ['a:1'] })));
    const { done } = await waiting(world, '-f', 'new');
    await world.clock.advance(5000);
    expect(await done).toBe(0);
  });

  it('ends with 3 when the time is up, and says what is awaited', async () => {
    const world = shopWorld();
    const { done } = await waiting(world);
    report(world, { ready: ['False', 'RequirementsNotMet', 'package db is not installed'] });
    await world.clock.advance(30 * 60_000);
    expect(await done).toBe(3);
    expect(world.stderr.text).toContain(
      'error: package shop is not ready after 30m0s: RequirementsNotMet: package db is not installed\nhint: ',
    );
    expect(world.clock.pending()).toEqual([]);
    expect(world.cluster.watchers).toBe(0);
  });

  it.each([
    [['--timeout', '40m'], 80 * 60_000],
    [['--timeout', '5m'], 30 * 60_000],
    [['--timeout', '40m', '--wait-timeout', '90s'], 90_000],
  ])('waits as long as it is told to: %j', async (argv, ms) => {
    const world = shopWorld();
    const done = world.run('install', 'shop', ...argv);
    await world.clock.armed(ms);
    await world.clock.advance(ms);
    expect(await done).toBe(3);
    expect(world.stderr.text).toContain('the operator has not looked at it yet');
  });

  it('ends with 130 when it is interrupted, and says that the operator goes on', async () => {
    const world = shopWorld();
    const { done } = await waiting(world);
    world.interrupt();
    expect(await done).toBe(130);
    expect(world.stderr.text).toContain('kubepkg watch shop');
  });

  it('ends when the package is deleted meanwhile', async () => {
    const world = shopWorld();
    const { done } = await waiting(world);
    report(world, { ready: ['False', 'Progressing', ''] });
    world.cluster.remove(SHOP);
    expect(await done).toBe(1);
    expect(world.stderr.text).toContain('was deleted meanwhile');
  });

  it('says when the connection is lost, and goes on', async () => {
    const world = shopWorld();
    const { done } = await waiting(world);
    report(world, { ready: ['False', 'Progressing', 'x'] });
    world.cluster.disturb(new KubepkgError('ApiUnreachable', 'nobody answers'));
    report(world, { ready: ['False', 'Progressing', 'y'] });
    world.cluster.disturb(new KubepkgError('ApiUnreachable', 'nobody answers'));
    report(world, { ready: WELL, version: '1.0.0' });
    expect(await done).toBe(0);
    expect(world.stderr.text.split('connection lost, trying again: nobody answers\n')).toHaveLength(3);
  });

  it('redraws a table on a terminal, follows its size, and leaves the cursor visible', async () => {
    const world = shopWorld();
    world.stderr.isTerminal = true;
    world.env['NO_COLOR'] = '1';
    const { done } = await waiting(world);
    await world.stderr.shows('not seen by the operator yet');
    report(world, { ready: ['False', 'Progressing', 'waiting for component store'], revision: 1 });
    revise(world, 1, '1.0.0');
    world.stderr.text = '';
    world.stderr.resize(40, 10);
    expect(world.stderr.text).toContain('shop  1.0.0 (revision 1)  Progressing\u001b[K\n  waiting for component store');
    world.stderr.text = '';
    await world.clock.advance(1000);
    expect(world.stderr.text).toContain('\u001b[?2026h\u001b[6A\r');
    report(world, { ready: WELL, version: '1.0.0', revision: 1 });
    expect(await done).toBe(0);
    expect(world.stderr.text.endsWith('\u001b[?25h')).toBe(true);
    expect(world.clock.pending()).toEqual([]);
  });
});

describe('kubepkg install of several packages', () => {
  function twoSources(): CliWorld {
    const world = shopWorld();
    world.cluster.set(shopSource({}, 'other'));
    return world;
  }

  it('ends when one has failed and the other waits, perhaps for it', async () => {
    const world = twoSources();
    const done = world.run('install', 'shop', 'other');
    await world.clock.armed(30 * 60_000);
    report(world, { ready: ['False', 'UpgradeFailed', 'no'] });
    report(world, { name: 'other', ready: ['False', 'RequirementsNotMet', 'package shop is not available'] });
    expect(await done).toBe(1);
    expect(world.stderr.text).toContain('error: package other still waits: RequirementsNotMet');
  });

  it('awaits one that is in progress although the other has failed', async () => {
    const world = twoSources();
    const done = world.run('install', 'shop', 'other', '-o', 'json');
    await world.clock.armed(30 * 60_000);
    report(world, { ready: ['False', 'UpgradeFailed', 'no'] });
    report(world, { name: 'other', ready: ['False', 'Progressing', ''] });
    report(world, { name: 'other', ready: WELL, version: '1.0.0' });
    expect(await done).toBe(1);
    expect(JSON.parse(world.stdout.text)).toMatchObject({ kind: 'List', items: [{}, {}] });
  });
});
