import { describe, expect, it } from 'vitest';
import { aPackagePlan } from '../../../test/build/plans.ts';
import { answering, SHOP, shopSource, shopWorld, WELL } from '../../../test/build/shop-world.ts';
import type { CliWorld } from '../../../test/fakes/cli-world.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { ANNOTATION, API_VERSION, LABEL } from '../../api/names.ts';
import type { Requirement } from '../../api/package-source.ts';
import { at } from '../../lib/json.ts';
import { writeYaml } from '../../lib/yaml.ts';

interface Parts {
  readonly version?: string;
  readonly requires?: readonly Requirement[];
  readonly provides?: string[];
  readonly conflicts?: string[];
  readonly build?: number;
}

function source(name: string, { version = '1.0.0', requires = [], ...more }: Parts = {}): KubeObject {
  return shopSource({ version, variants: [{ name: 'default', requires: [...requires] }], ...more }, name);
}

/** A Package that runs. */
function running(name: string, version: string, spec: Readonly<Record<string, unknown>> = {}): KubeObject {
  return {
    apiVersion: API_VERSION,
    kind: 'Package',
    metadata: { name, generation: 1 },
    spec: { variant: 'default', revisionHistoryLimit: 10, ...spec },
    status: { version, currentRevision: 1 },
  };
}

function worldOf(...objects: readonly KubeObject[]): CliWorld {
  const world = shopWorld();
  answering(world, WELL);
  for (const object of objects) world.cluster.set(object);
  return world;
}

function give(world: CliWorld, ...objects: readonly KubeObject[]): readonly string[] {
  world.files.set('given', objects.map((object) => `---\n${writeYaml(object)}`).join(''));
  return ['-f', 'given'];
}

const BASE_2 = { package: 'base', version: '>=2' };

describe('kubepkg install, with what is required', () => {
  it('installs what is on offer and not there, before what requires it, and marks it', async () => {
    const world = worldOf(source('shop', { requires: [{ package: 'base' }] }), source('base'));
    expect(await world.run('install', 'shop')).toBe(0);
    expect(world.stderr.text.split('\n').slice(0, 3)).toEqual([
      'ACTION    PACKAGE   FROM   TO      VARIANT   WHY',
      'install   base      -      1.0.0   default   shop 1.0.0 requires base',
      'install   shop      -      1.0.0   default   asked for',
    ]);
    expect(world.cluster.written().map(({ metadata }) => metadata)).toEqual([
      { name: 'base', annotations: { [ANNOTATION.dependency]: 'required by shop' } },
      { name: 'shop' },
    ]);
    expect(world.stdout.text).toBe('base 1.0.0 is ready\nshop 1.0.0 is ready\n');
  });

  it('says why a newer version is not taken', async () => {
    const labels = { [LABEL.repository]: 'stable' };
    const offered = source('shop', { version: '2.0.0' });
    const world = worldOf(
      { ...offered, metadata: { ...offered.metadata, labels } },
      source('billing', { requires: [{ package: 'shop', version: '<2' }] }),
      running('shop', '1.0.0'),
      running('billing', '1.0.0'),
    );
    await world.run('install', 'shop', '--dry-run');
    const demand = 'billing 1.0.0 (installed) requires shop <2';
    const row = `keep     shop      1.0.0   1.0.0   default   asked for; 2.0.0 is not taken: ${demand}`;
    expect(world.stderr.text.split('\n')).toContain(row);
    world.plan = () => Promise.resolve({ cluster: 'uid', packages: [aPackagePlan()] });
    await world.run('plan', 'shop', '--save', 'shop.plan');
    expect(world.stdout.text).toContain(`\n  2.0.0 is not taken: ${demand}\n`);
    const versions = { packages: [{ version: { to: '1.1.0', newer: { version: '2.0.0', because: [demand] } } }] };
    expect(JSON.parse(world.files.get('shop.plan') ?? '')).toMatchObject(versions);
    world.stdout.text = '';
    await world.run('plan', 'shop', '-o', 'json');
    expect(JSON.parse(world.stdout.text)).toMatchObject(versions);
    // A plan that goes there by the source does not say that it does not.
    world.plan = () =>
      Promise.resolve({ cluster: 'uid', packages: [aPackagePlan({ version: { to: '2.0.0', why: 'so' } })] });
    world.stdout.text = '';
    await world.run('plan', 'shop');
    expect(world.stdout.text).not.toContain('is not taken');
  });

  it('installs what is given in the same file', async () => {
    const world = worldOf();
    const files = give(world, source('front', { requires: [BASE_2] }), source('base', { version: '2.1.0' }));
    expect(await world.run('install', 'front', ...files)).toBe(0);
    expect(world.cluster.written().map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'PackageSource front',
      'PackageSource base',
      'Package base',
      'Package front',
    ]);
  });

  it.each<readonly [string, readonly KubeObject[], string, string]>([
    [
      'a package that nobody offers',
      [source('shop', { requires: [{ package: 'base' }] })],
      'no versions fit together: shop is asked for; shop 1.0.0 requires base; nothing on offer is named base',
      'give a PackageSource of it as well',
    ],
    [
      'a package that is offered under another name',
      [source('shop', { requires: [{ package: 'bsae' }] }), source('base')],
      'nothing on offer is named bsae',
      'did you mean base?',
    ],
    [
      'a version that nobody offers',
      [source('shop', { requires: [BASE_2] }), source('base')],
      'shop 1.0.0 requires base >=2; of base there is 1.0.0 on offer',
      'ask for other versions',
    ],
    [
      'a version that the Package does not accept',
      [
        source('shop', { requires: [BASE_2] }),
        source('base', { version: '2.0.0' }),
        running('base', '1.0.0', { version: '1.x' }),
      ],
      'Package base accepts only 1.x (spec.version)',
      'ask for other versions',
    ],
    [
      'a capability that nobody provides',
      [source('shop', { requires: [{ capability: 'ingress' }] })],
      'nothing on offer provides ingress',
      'give a PackageSource of it as well',
    ],
    [
      'something beside what it conflicts with',
      [source('shop', { conflicts: ['legacy'] }), source('legacy'), running('legacy', '1.0.0')],
      'shop 1.0.0 conflicts with legacy 1.0.0 (installed)',
      'ask for other versions',
    ],
  ])('refuses %s before anything is written', async (_what, objects, message, hint) => {
    const world = worldOf(...objects);
    expect(await world.run('install', 'shop')).toBe(5);
    expect(world.stderr.text).toMatch(/^error: no versions fit together: .+\nhint: .+\n$/);
    expect(world.stderr.text).toContain(message);
    expect(world.stderr.text).toContain(hint);
    expect(world.cluster.written()).toEqual([]);
  });

  it('does not touch what is required and there', async () => {
    const world = worldOf(
      source('shop', { requires: [{ package: 'base' }] }),
      source('base'),
      running('base', '1.0.0'),
    );
    expect(await world.run('install', 'shop')).toBe(0);
    expect(world.stderr.text).not.toContain('base');
    expect(world.cluster.written().map(({ metadata }) => metadata.name)).toEqual(['shop']);
  });

  it('leaves to the operator what is wanted already and not applied yet', async () => {
    const { status: _none, ...wanted } = running('base', '');
    const world = worldOf(source('shop', { requires: [{ package: 'base' }] }), source('base'), wanted);
    expect(await world.run('install', 'shop', '--no-wait')).toBe(0);
    expect(world.stderr.text).toContain('install   base');
    expect(world.cluster.written().map(({ metadata }) => metadata.name)).toEqual(['shop']);
  });

  it('refuses what requires a package that is being removed', async () => {
    const leaving = running('base', '1.0.0');
    const metadata = { ...leaving.metadata, deletionTimestamp: '2030-01-01T00:00:00Z' };
    const world = worldOf(source('shop', { requires: [{ package: 'base' }] }), source('base'), {
      ...leaving,
      metadata,
    });
    expect(await world.run('install', 'shop')).toBe(2);
    expect(world.stderr.text).toContain('error: package base is required, and is being removed');
  });

  it('leaves what nobody offers to a repository when there is one', async () => {
    const requires = [{ package: 'base' }, { capability: 'ingress' }];
    const world = worldOf(source('shop', { requires }));
    world.cluster.set({ apiVersion: API_VERSION, kind: 'Repository', metadata: { name: 'r' } });
    expect(await world.run('install', 'shop')).toBe(0);
    expect(world.cluster.written().map(({ metadata }) => metadata.name)).toEqual(['shop']);
  });

  it('leaves the version to the repository that the source is from', async () => {
    const delivered = source('shop');
    const metadata = { ...delivered.metadata, labels: { [LABEL.repository]: 'r' } };
    const world = worldOf({ ...delivered, metadata });
    expect(await world.run('install', 'shop@>=2')).toBe(0);
  });

  it('asks the API server for an API that is required, and waits where it does not answer', async () => {
    const shop = source('shop', { requires: [{ capability: 'api:example.org/v1' }] });
    expect(await worldOf(shop).run('install', 'shop')).toBe(0);
    const without = worldOf(shop);
    without.cluster.missingKinds.add('');
    expect(await without.run('install', 'shop')).toBe(5);
    expect(without.stderr.text).toContain('api:example.org/v1, which the API server does not serve');
    const silent = worldOf(shop);
    silent.cluster.served = (_apiVersion, kind) =>
      kind === undefined
        ? Promise.reject(new KubepkgError('ApiTimeout', 'no answer'))
        : Promise.resolve({ plural: 'packages', namespaced: false });
    expect(await silent.run('install', 'shop')).toBe(0);
  });

  it('gives up on what has too many answers to try, and says what to do', async () => {
    const numbers = Array.from({ length: 12 }, (_, index) => String(index));
    const seats = numbers.flatMap((guest) =>
      numbers.slice(1).map((seat) => {
        const provides = [`guest-${guest}`, `seat-${seat}`];
        return source(`guest-${guest}-at-${seat}`, { provides, conflicts: [`seat-${seat}`] });
      }),
    );
    const world = worldOf(
      source('shop', { requires: numbers.map((guest) => ({ capability: `guest-${guest}` })) }),
      ...seats,
    );
    expect(await world.run('install', 'shop')).toBe(5);
    expect(world.stderr.text).toMatch(
      /^error: no versions were found that fit together, in \d+ steps\nhint: .+exact versions/,
    );
  });
});

describe('kubepkg install, with what runs already', () => {
  const billing = [source('billing', { requires: [{ package: 'base', version: '<2' }] }), running('billing', '1.0.0')];
  const base = [source('base'), running('base', '1.0.0')];

  it('R4.17 does not move a package past what another one that is installed requires', async () => {
    const world = worldOf(...billing, ...base);
    const files = give(world, source('base', { version: '2.0.0' }));
    expect(await world.run('install', 'base', ...files)).toBe(5);
    expect(world.stderr.text).toContain('billing 1.0.0 (installed) requires base <2');
    expect(world.cluster.written()).toEqual([]);
  });

  it('R4.17 nor by a file that only happens to hold its source', async () => {
    const world = worldOf(...billing, ...base);
    const files = give(world, source('base', { version: '2.0.0' }));
    expect(await world.run('install', 'shop', ...files)).toBe(5);
    expect(world.cluster.written()).toEqual([]);
  });

  it('says what else a file changes', async () => {
    const world = worldOf(...base);
    const files = give(world, source('base', { version: '1.1.0' }));
    expect(await world.run('install', 'shop', ...files)).toBe(0);
    expect(world.stderr.text).toContain('upgrade   base      1.0.0   1.1.0   default   its source is given');
  });

  it('goes by what the revision that runs requires, where its source has moved on', async () => {
    const moved = source('billing', { version: '2.0.0', requires: [BASE_2] });
    const revision = {
      apiVersion: API_VERSION,
      kind: 'PackageRevision',
      metadata: { name: 'billing-1', labels: { [LABEL.package]: 'billing' } },
      spec: {
        package: 'billing',
        revision: 1,
        version: '1.0.0',
        variant: 'default',
        requires: [{ package: 'base', version: '<1.5' }],
      },
      status: { phase: 'Applied' },
    };
    const world = worldOf(moved, running('billing', '1.0.0', { version: '1.x' }), revision, ...base);
    const files = give(world, source('base', { version: '1.5.0' }));
    expect(await world.run('install', 'base', ...files)).toBe(5);
    expect(world.stderr.text).toContain('billing 1.0.0 (installed) requires base <1.5');
  });

  it('never goes back silently', async () => {
    const world = worldOf(source('base', { version: '2.0.0' }), running('base', '2.0.0'));
    const files = give(world, source('base'));
    expect(await world.run('install', 'base', ...files)).toBe(5);
    expect(world.stderr.text).toContain('base runs at 2.0.0, and an older version is taken only when it is asked for');
    expect(world.stderr.text).toContain('hint: to go back, ask for that version: base@1.0.0');
    world.stderr.text = '';
    expect(await world.run('install', 'base@1.0.0', ...files, '--no-wait')).toBe(0);
    expect(world.stderr.text).toContain('downgrade   base      2.0.0   1.0.0   default   asked for');
  });

  it('a Package that is given asks for its version as the command line does', async () => {
    const world = worldOf(source('base', { version: '2.0.0' }), running('base', '2.0.0'));
    const pkg = { apiVersion: API_VERSION, kind: 'Package', metadata: { name: 'base' }, spec: { version: '1.x' } };
    expect(await world.run('install', ...give(world, source('base'), pkg), '--no-wait')).toBe(0);
  });

  it('R4.17 a package that is at the version already can be pinned to it', async () => {
    const world = worldOf(...base);
    expect(await world.run('install', 'base@1.0.0', '--no-wait')).toBe(0);
    expect(world.stderr.text).toContain('change   base      1.0.0   1.0.0   default   asked for');
    expect(world.cluster.get({ ...SHOP, name: 'base' })?.spec).toMatchObject({ version: '1.0.0' });
  });

  it('R4.17 asking for a package takes the mark of a dependency away, whoever has put it there', async () => {
    const marked = running('base', '1.0.0');
    const annotations = { [ANNOTATION.dependency]: 'required by shop', other: 'stays' };
    const world = worldOf(source('base'), { ...marked, metadata: { ...marked.metadata, annotations } });
    expect(await world.run('install', 'base', '--no-wait')).toBe(0);
    expect(world.cluster.get({ ...SHOP, name: 'base' })?.metadata.annotations).toEqual({ other: 'stays' });
  });

  it('R4.17 a variant is written to the package that it is for, and not to what is pulled in', async () => {
    const variants = [{ name: 'large', requires: [{ package: 'base' }] }];
    const world = worldOf(shopSource({ variants }), source('base'));
    expect(await world.run('install', 'shop', '--variant', 'large')).toBe(0);
    const variantOf = (name: string): unknown => at(world.cluster.get({ ...SHOP, name }), 'spec', 'variant');
    expect([variantOf('shop'), variantOf('base')]).toEqual(['large', 'default']);
  });

  it('nothing is asked where all stays as it is', async () => {
    const world = worldOf(...base);
    world.answer = 'n';
    expect(await world.run('install', 'base', '--no-wait')).toBe(0);
    expect(world.stderr.text).toContain('keep     base      1.0.0   1.0.0   default   asked for');
    expect(world.asked).toBe(0);
  });
});
