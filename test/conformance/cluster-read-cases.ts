import { expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube.ts';
import { expectCode, labelled, type World } from './cluster-world.ts';

/** More than two pages of a server that gives 500 at most. */
const MANY = 1200;

export function readCases(world: World): void {
  it('reads an object that does not exist as undefined', async () => {
    expect(await world.cluster.read(world.ref('absent'))).toBeUndefined();
  });

  it('reads an object of a namespace that does not exist as undefined', async () => {
    expect(await world.cluster.read({ ...world.ref('absent'), namespace: 'no-such-namespace' })).toBeUndefined();
  });

  it('refuses to read a kind that is not served', async () => {
    await expectCode(
      world.cluster.read({ apiVersion: 'nowhere.example.com/v1', kind: 'Nothing', name: 'x' }),
      'KindNotServed',
    );
    await expectCode(world.cluster.read({ apiVersion: 'v1', kind: 'Nothing', name: 'x' }), 'KindNotServed');
  });

  it('reads cluster-scoped objects, whatever namespace the reference names', async () => {
    const ref = { apiVersion: 'v1', kind: 'Namespace', name: world.namespace };
    const plain = await world.cluster.read(ref);
    expect(plain).toMatchObject({ kind: 'Namespace', metadata: { name: world.namespace } });
    expect(await world.cluster.read({ ...ref, namespace: 'ignored' })).toEqual(plain);
  });

  it('reads metadata alone, under the kind that was asked for', async () => {
    await world.create(world.configMap('metadata-only'));
    const read = await world.cluster.read(world.ref('metadata-only'), { metadataOnly: true });
    expect(read).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'metadata-only' } });
    expect(read).not.toHaveProperty('data');
  });

  it.each(['', '.', '..', 'a/b', 'a%2fb'])('refuses the name "%s", which would lead to another path', async (name) => {
    await expectCode(world.cluster.read(world.ref(name)), 'ApiInvalid');
  });

  it('refuses a reference to a namespaced kind without a namespace', async () => {
    await expectCode(world.cluster.read({ apiVersion: 'v1', kind: 'ConfigMap', name: 'x' }), 'ApiInvalid');
  });
}

export function listCases(world: World): void {
  it('lists a namespace, with kind and apiVersion on every item', async () => {
    await world.create(labelled(world.configMap('listed-1'), { list: 'plain' }));
    await world.create(labelled(world.configMap('listed-2'), { list: 'plain' }));
    const list = await world.cluster.list(world.configMaps('list=plain'));
    expect(list.resourceVersion).toMatch(/./);
    expect(list.items.map((item) => [item.apiVersion, item.kind, item.metadata.name])).toEqual([
      ['v1', 'ConfigMap', 'listed-1'],
      ['v1', 'ConfigMap', 'listed-2'],
    ]);
    expect(list.items[0]?.data).toEqual({ color: 'red' });
  });

  it.each([
    ['team=a,select', ['select-1', 'select-3']],
    ['team!=a,select', ['select-2']],
    ['team in (a,b),tier,select', ['select-3']],
    ['select,!tier', ['select-1', 'select-2']],
    ['team notin (a),select', ['select-2']],
  ])('selects by the labels %s', async (labelSelector, names) => {
    await ensureSelectable(world);
    const list = await world.cluster.list(world.configMaps(labelSelector));
    expect(list.items.map((item) => item.metadata.name)).toEqual(names);
  });

  it('selects by name', async () => {
    await ensureSelectable(world);
    const list = await world.cluster.list({ ...world.configMaps(), fieldSelector: 'metadata.name=select-2' });
    expect(list.items.map((item) => item.metadata.name)).toEqual(['select-2']);
  });

  it('lists metadata alone', async () => {
    await world.create(labelled(world.configMap('meta-listed'), { list: 'metadata' }));
    const list = await world.cluster.list({ ...world.configMaps('list=metadata'), metadataOnly: true });
    expect(list.items).toHaveLength(1);
    expect(list.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'meta-listed' } });
    expect(list.items[0]).not.toHaveProperty('data');
  });

  it('lists nothing in a namespace that does not exist', async () => {
    const list = await world.cluster.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'no-such-namespace' });
    expect(list.items).toEqual([]);
  });

  it('refuses to list a kind that is not served', async () => {
    await expectCode(world.cluster.list({ apiVersion: 'nowhere.example.com/v1', kind: 'Nothing' }), 'KindNotServed');
  });

  it(`lists ${String(MANY)} objects whole, in all namespaces`, async () => {
    await createMany(world, MANY);
    const list = await world.cluster.list({ apiVersion: 'v1', kind: 'ConfigMap', labelSelector: 'list=many' });
    const names = new Set(list.items.map((item) => item.metadata.name));
    expect(list.items).toHaveLength(MANY);
    expect(names.size).toBe(MANY);
  });
}

async function ensureSelectable(world: World): Promise<void> {
  const labels = [{ team: 'a' }, { team: 'b' }, { team: 'a', tier: 'front' }];
  for (const [index, own] of labels.entries()) {
    const object = labelled(world.configMap(`select-${String(index + 1)}`), { select: 'yes', ...own });
    await world.cluster.write({ verb: 'apply', object, force: true });
  }
}

async function createMany(world: World, count: number): Promise<void> {
  const objects: KubeObject[] = Array.from({ length: count }, (_, index) =>
    labelled(world.configMap(`many-${String(index)}`), { list: 'many' }),
  );
  while (objects.length > 0) await Promise.all(objects.splice(0, 40).map((object) => world.create(object)));
}
