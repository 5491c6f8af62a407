import { describe, expect, it } from 'vitest';
import { SHOP, shopSource } from '../../../test/build/shop-world.ts';
import { CliWorld } from '../../../test/fakes/cli-world.ts';
import type { KubeObject } from '../../api/kube.ts';
import { API_VERSION } from '../../api/names.ts';
import { applyAll, planPackage, planSource, type Planned } from './planned.ts';

const MANIFESTS = { sources: [], packages: [] };

async function planned(world: CliWorld, variant?: string): Promise<Planned> {
  return planPackage('shop', { cluster: world.cluster, manifests: MANIFESTS, settings: { values: {}, variant } });
}

async function apply(world: CliWorld, pkg: Planned, sources: readonly Planned[] = []): Promise<KubeObject | undefined> {
  const [applied] = await applyAll(world.cluster, { sources, packages: [pkg], now: 0 });
  return applied?.object;
}

/** A world in which the package was applied before; what is written from then on. */
async function appliedWorld(): Promise<CliWorld> {
  const world = new CliWorld();
  await apply(world, await planned(world, 'large'));
  world.cluster.writes.length = 0;
  return world;
}

describe('what is there as it was applied before', () => {
  it('is neither tried nor written', async () => {
    const world = await appliedWorld();
    const pkg = await planned(world, 'large');
    expect(pkg.after).toBe(pkg.before);
    expect(await apply(world, pkg)).toEqual(world.cluster.get(SHOP));
    expect(world.cluster.writes).toEqual([]);
  });

  it('is tried and written where something else is asked for', async () => {
    const world = await appliedWorld();
    await apply(world, await planned(world, 'default'));
    expect(world.cluster.writes).toMatchObject([{ dryRun: true }, { dryRun: false }]);
    expect(world.cluster.get(SHOP)).toMatchObject({ spec: { variant: 'default' } });
  });

  it.each<[string, KubeObject | undefined]>([
    [
      'has changed',
      { apiVersion: API_VERSION, kind: 'Package', metadata: { name: 'shop' }, spec: { variant: 'other' } },
    ],
    ['has gone', undefined],
  ])('is written where it %s since', async (_what, now) => {
    const world = await appliedWorld();
    const pkg = await planned(world, 'large');
    if (now === undefined) world.cluster.remove(SHOP);
    else world.cluster.set(now);
    await apply(world, pkg);
    expect(world.cluster.writes).toMatchObject([{ verb: 'apply', dryRun: false }]);
    expect(world.cluster.get(SHOP)).toMatchObject({ spec: { variant: 'large' } });
  });

  it('of a source is written where it is to wait for its Package', async () => {
    const world = await appliedWorld();
    const { metadata, ...source } = shopSource();
    const given = { ...source, metadata: { name: metadata.name } };
    await applyAll(world.cluster, { sources: [await planSource(world.cluster, given)], packages: [], now: 0 });
    const again = await planSource(world.cluster, given);
    world.cluster.writes.length = 0;
    await apply(world, await planned(world, 'default'), [again]);
    expect(world.cluster.written().map(({ kind }) => kind)).toEqual(['PackageSource', 'Package']);
  });
});
