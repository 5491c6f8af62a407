import { describe, expect, it } from 'vitest';
import { annotated, OPTIONS, synced, written } from '../../../test/build/argocd.ts';
import { ArgoCdWorld } from '../../../test/build/argocd-world.ts';
import { releaseSecret, TARGET } from '../../../test/build/helm-release.ts';
import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { NOTE } from './notes.ts';
import { writeNoted } from './noted.ts';

describe('the Argo CD backend', () => {
  it('I10 takes values of Secrets only where that was allowed', () => {
    expect(new ArgoCdWorld().backend.capabilities.secretValues).toBe(false);
    expect(new ArgoCdWorld({ inlineSecretValues: true }).backend.capabilities.secretValues).toBe(true);
  });

  it('looks at a release with one read', async () => {
    const world = new ArgoCdWorld();
    world.put(synced());
    await world.present();
    expect(world.cluster.requests).toHaveLength(1);
  });

  it.each<[string, KubeObject | undefined, string]>([
    ['is not there', undefined, 'absent'],
    ['was installed by helm', releaseSecret({ labels: {} }), 'foreign'],
    ['was delivered by helm for us', releaseSecret(), 'foreign'],
    ['failed with helm', releaseSecret({ status: 'failed' }), 'foreign'],
    ['was uninstalled by helm', releaseSecret({ status: 'uninstalled' }), 'absent'],
  ])('P21 a release that %s', async (_, record, state) => {
    const world = new ArgoCdWorld();
    if (record !== undefined) world.put(record);
    const observed = await world.backend.observe(TARGET);
    expect(observed.state).toBe(state);
    // Told to adopt it, the package may go on with it.
    expect(observed).not.toHaveProperty('otherPackage');
  });

  it('places the objects that it noted before their kind was served', async () => {
    const world = new ArgoCdWorld();
    const gadget = { apiVersion: 'example.com/v1', kind: 'Gadget', name: 'web' };
    world.put(annotated(written(), { [NOTE.objects]: writeNoted([{ ref: gadget }]) }));
    expect(await world.backend.inventory(TARGET, 'newest')).toEqual([gadget]);
    world.cluster.serve('example.com/v1', 'Gadget');
    expect(await world.backend.inventory(TARGET, 'newest')).toEqual([{ ...gadget, namespace: 'shop-ns' }]);
    expect(await world.backend.inventory({ ...TARGET, releaseName: 'other' })).toEqual([]);
  });

  it('I13 finds every release of a package, and tells whose each Application is', async () => {
    const world = new ArgoCdWorld();
    world.put(written());
    world.put(written({ release: { releaseName: 'api', component: 'api' } }));
    world.put(written({ release: { package: 'bar', releaseName: 'bar' } }));
    world.put({ ...written(), metadata: { name: 'theirs', namespace: 'argocd' } });
    const found = await world.backend.releasesOf('shop');
    expect(
      found.map(({ component, releaseName, namespace }) => `${component} ${namespace}/${releaseName}`).sort(),
    ).toEqual(['api shop-ns/api', 'web shop-ns/web']);
    const [watch] = world.backend.watches();
    const { items } = await world.cluster.list(watch?.selection ?? { apiVersion: 'v1', kind: 'Secret' });
    expect(items.map((item) => watch?.owner(item)?.package).sort()).toEqual(['bar', 'shop', 'shop']);
    expect(items[0]).not.toHaveProperty('spec');
  });

  it('does nothing that was stopped before it began', async () => {
    const world = new ArgoCdWorld();
    world.put(synced());
    const action = { kind: 'uninstall', target: TARGET, observed: await world.present() } as const;
    expect(await world.backend.submit(action, AbortSignal.abort())).toMatchObject({ error: { code: 'HelmKilled' } });
    expect(world.cluster.writes()).toEqual([]);
  });
});

describe('what the Argo CD backend needs', () => {
  async function check(world: ArgoCdWorld): Promise<string | undefined> {
    return (await world.backend.surroundings?.check())?.code;
  }

  it('is there', async () => {
    const world = new ArgoCdWorld();
    world.install();
    expect(await check(world)).toBeUndefined();
  });

  it('is missed where Argo CD is not installed', async () => {
    expect(await check(new ArgoCdWorld())).toBe('BackendUnavailable');
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['another version of the API', { name: 'v2' }],
    ['a version that is not served', { served: false }],
    ['a status that is a subresource', { subresources: { status: {} } }],
    ['no room for values', { schema: {} }],
  ])('is missed where Applications have %s', async (_, version) => {
    const world = new ArgoCdWorld();
    world.install(version);
    expect(await check(world)).toBe('BackendUnavailable');
  });

  it('is missed without the project', async () => {
    const world = new ArgoCdWorld({ project: 'absent' });
    world.install();
    expect(await check(world)).toBe('BackendUnavailable');
  });

  it.each(['CustomResourceDefinition', 'AppProject', 'Application'])(
    'is missed without a permission on %s',
    async (kind) => {
      const world = new ArgoCdWorld();
      world.install();
      world.cluster.before = ({ line }) => {
        if (line.includes(kind)) throw new KubepkgError('ApiForbidden', line);
      };
      expect(await check(world)).toBe('BackendUnavailable');
    },
  );

  it('may be out of reach for now', async () => {
    const world = new ArgoCdWorld();
    world.cluster.before = () => {
      throw new KubepkgError('ApiUnreachable', 'no');
    };
    expect(await check(world)).toBe('ApiUnreachable');
  });

  it('is asked for in the namespace of the options', async () => {
    const world = new ArgoCdWorld({ namespace: 'elsewhere' });
    world.install();
    expect(await check(world)).toBe('BackendUnavailable');
    expect(world.backend.watches()[0]?.selection.namespace).not.toBe(OPTIONS.namespace);
  });
});
