import { describe, expect, it } from 'vitest';
import { install } from '../../../test/build/installed.ts';
import { aRevision, aRevisionComponent } from '../../../test/build/objects.ts';
import { OPERATOR_LEASE, setLease, shopWorld } from '../../../test/build/shop-world.ts';
import type { CliWorld } from '../../../test/fakes/cli-world.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { parseYamlDocuments } from '../../lib/yaml.ts';

const WARNING =
  /^warning: no operator seems to be running: there is no Lease .*\nhint: start one.*: kubepkg operator\n/;

function abandoned(): CliWorld {
  const world = shopWorld();
  world.cluster.remove(OPERATOR_LEASE);
  return world;
}

function revisionWithValuesIn(namespace: string): KubeObject {
  const valuesRef = { namespace, name: 'values', key: 'store' };
  const { apiVersion, kind, metadata, spec } = aRevision({ components: [aRevisionComponent('store', { valuesRef })] });
  return { apiVersion, kind, metadata, spec };
}

describe('a cluster without an operator', () => {
  it.each([
    ['list', []],
    ['list', ['-o', 'wide']],
    ['status', ['shop']],
    ['status', ['shop', '-o', 'wide']],
  ])('%s %j says so before anything else', async (command, words) => {
    const world = abandoned();
    install(world, 'shop', { ready: ['False', 'Progressing', 'x'] });
    expect(await world.run(command, ...words)).toBe(0);
    expect(world.stderr.text).toMatch(WARNING);
  });

  it('is said by watch, too', async () => {
    const world = abandoned();
    install(world, 'shop');
    world.interrupt();
    await world.run('watch', 'shop');
    expect(world.stderr.text).toMatch(WARNING);
  });

  it.each([
    ['there is none', undefined, { running: false, message: expect.stringContaining('there is no Lease') as string }],
    [
      'it is dead',
      { holderIdentity: 'x', renewTime: '2029-12-31T23:58:00Z' },
      { running: false, message: expect.stringContaining('renewed last 2m ago') as string },
    ],
    ['it runs', { holderIdentity: 'x', renewTime: '2029-12-31T23:59:58Z' }, { running: true }],
  ])('is a field of data: %s', async (_what, lease, operator) => {
    const world = abandoned();
    if (lease !== undefined) setLease(world, lease);
    install(world, 'shop');
    for (const words of [['list'], ['status', 'shop']]) {
      world.stdout.text = '';
      await world.run(...words, '-o', 'json');
      expect(JSON.parse(world.stdout.text)).toMatchObject({ kind: 'List', operator });
      world.stdout.text = '';
      await world.run(...words, '-o', 'yaml');
      expect(parseYamlDocuments(world.stdout.text, 'stdout')).toMatchObject([{ operator }]);
    }
    expect(world.stderr.text).toBe('');
  });

  it.each([
    ['all Leases may be listed', []],
    ['the newest revision says where its values are', ['list Lease']],
  ])('is known not to be one whose operator works from another namespace: %s', async (_what, forbidden) => {
    const world = abandoned();
    install(world, 'shop');
    const { apiVersion, kind, name } = OPERATOR_LEASE;
    const spec = { holderIdentity: 'x', renewTime: '2029-12-31T23:59:58Z' };
    world.cluster.set({ apiVersion, kind, metadata: { name, namespace: 'ops' }, spec });
    world.cluster.set(revisionWithValuesIn('ops'));
    const list = world.cluster.list.bind(world.cluster);
    world.cluster.list = (selection) =>
      forbidden.includes(`list ${selection.kind}`)
        ? Promise.reject(new KubepkgError('ApiForbidden', 'no'))
        : list(selection);
    await world.run('list', '-o', 'json');
    expect(JSON.parse(world.stdout.text)).toMatchObject({ operator: { running: true } });
  });

  it('is not guessed at where the Lease may not be read', async () => {
    const world = abandoned();
    install(world, 'shop');
    const read = world.cluster.read.bind(world.cluster);
    const list = world.cluster.list.bind(world.cluster);
    const isLease = ({ kind }: { readonly kind: string }): boolean => kind === 'Lease';
    const no = new KubepkgError('ApiForbidden', 'no');
    world.cluster.read = (ref) => (isLease(ref) ? Promise.reject(no) : read(ref));
    world.cluster.list = (selection) => (isLease(selection) ? Promise.reject(no) : list(selection));
    await world.run('list');
    expect(world.stderr.text).toBe('');
    world.stdout.text = '';
    await world.run('list', '-o', 'json');
    expect(JSON.parse(world.stdout.text)).not.toHaveProperty('operator');
  });
});

describe('what is said of how a package goes on', () => {
  it.each([
    ['of an operator that runs', true, {}, 'the operator goes on by itself; follow it: kubepkg watch shop'],
    ['without one', false, {}, 'nothing more is done without an operator; start one'],
    ['of one that is suspended', true, { suspend: true }, 'while it is suspended: kubepkg resume shop'],
  ])('%s is true when a wait ends', async (_what, alive, spec, text) => {
    const world = shopWorld();
    install(world, 'shop', { spec, ready: ['False', 'Progressing', 'x'] });
    const done = world.run('wait', 'shop');
    await world.clock.armed(30 * 60_000);
    await world.stderr.shows('shop: Progressing: x');
    if (!alive) world.cluster.remove(OPERATOR_LEASE);
    world.interrupt();
    expect(await done).toBe(130);
    expect(world.stderr.text).toMatch(/\nhint: nothing is undone.*\n$/);
    expect(world.stderr.text).toContain(text);
  });

  it('with --local names the command that goes on', async () => {
    const world = shopWorld();
    install(world, 'shop', { ready: ['False', 'Progressing', 'x'] });
    expect(await world.run('wait', 'shop', '--timeout', '0', '--local')).toBe(3);
    expect(world.stderr.text).toContain('hint: nothing is undone; run the same command again to go on');
  });

  it.each([
    ['RequirementsNotMet', {}, 'then it goes on once an operator runs'],
    ['FetchFailed', {}, 'it is tried again once an operator runs'],
    ['Progressing', { suspend: true }, 'hint: to go on: kubepkg resume shop'],
  ])('in the status of a package: %s %j', async (reason, spec, text) => {
    const world = abandoned();
    install(world, 'shop', { spec, ready: ['False', reason, 'x'] });
    await world.run('status', 'shop');
    expect(world.stdout.text).toContain(text);
  });
});
