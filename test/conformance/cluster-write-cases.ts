import { expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube.ts';
import { expectCode, ingress, ingressSpec, ingressStatus, labelled, type World, withData } from './cluster-world.ts';

export function writeCases(world: World): void {
  createCases(world);
  replaceCases(world);
  patchCases(world);
  applyCases(world);
  deleteCases(world);
}

function createCases(world: World): void {
  it('creates an object and gives it as the server has it', async () => {
    const created = await world.create(world.configMap('created'));
    expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { color: 'red' } });
    expect(created.metadata.uid).toMatch(/./);
    expect(created.metadata.resourceVersion).toMatch(/./);
    expect(created.metadata.creationTimestamp).toMatch(/Z$/);
    expect(await world.cluster.read(world.ref('created'))).toEqual(created);
  });

  it('refuses to create what exists', async () => {
    await world.create(world.configMap('twice'));
    await expectCode(world.create(world.configMap('twice')), 'ApiAlreadyExists');
  });

  it('refuses to create in a namespace that does not exist', async () => {
    const object = { ...world.configMap('lost'), metadata: { name: 'lost', namespace: 'no-such-namespace' } };
    await expectCode(world.create(object), 'ApiNotFound');
  });

  it('refuses to create a kind that is not served', async () => {
    await expectCode(
      world.create({ apiVersion: 'nowhere.example.com/v1', kind: 'Nothing', metadata: { name: 'x' } }),
      'KindNotServed',
    );
  });

  it('changes nothing in a dry run, of whatever verb', async () => {
    const object = world.configMap('dry');
    const tried = await world.cluster.write({ verb: 'create', object, dryRun: true });
    expect(tried.data).toEqual({ color: 'red' });
    expect(await world.cluster.read(world.ref('dry'))).toBeUndefined();
    const created = await world.create(object);
    await world.cluster.write({ verb: 'replace', object: withData(created, { color: 'blue' }), dryRun: true });
    await world.cluster.write({ verb: 'delete', ref: world.ref('dry'), dryRun: true });
    expect(await world.cluster.read(world.ref('dry'))).toEqual(created);
  });
}

function replaceCases(world: World): void {
  it('replaces what was read, whole', async () => {
    const created = await world.create(world.configMap('replaced', { color: 'red', size: 'small' }));
    const replaced = await world.cluster.write({ verb: 'replace', object: withData(created, { color: 'blue' }) });
    expect(replaced.data).toEqual({ color: 'blue' });
    expect(replaced.metadata.uid).toBe(created.metadata.uid);
    expect(replaced.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
  });

  it('gives a replacement without a difference the same resource version', async () => {
    const created = await world.create(world.configMap('unchanged'));
    const replaced = await world.cluster.write({ verb: 'replace', object: created });
    expect(replaced.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
  });

  it('refuses to replace what was changed in between', async () => {
    const created = await world.create(world.configMap('contended'));
    await world.cluster.write({ verb: 'replace', object: withData(created, { color: 'blue' }) });
    await expectCode(
      world.cluster.write({ verb: 'replace', object: withData(created, { color: 'green' }) }),
      'ApiConflict',
    );
  });

  it('refuses to replace without a resource version, and what does not exist', async () => {
    await world.create(world.configMap('blind'));
    await expectCode(world.cluster.write({ verb: 'replace', object: world.configMap('blind') }), 'ApiInvalid');
    const gone = world.configMap('never-was');
    const object = { ...gone, metadata: { ...gone.metadata, resourceVersion: '1' } };
    await expectCode(world.cluster.write({ verb: 'replace', object }), 'ApiNotFound');
  });

  it('counts the generations of the spec, and not of the status', async () => {
    const created = await world.create(ingress(world.namespace, 'generations'));
    expect(created.metadata.generation).toBe(1);
    const status = { ...created, status: ingressStatus('10.1.1.1') };
    const written = await world.cluster.write({ verb: 'replace', object: status, subresource: 'status' });
    expect(written).toMatchObject({ metadata: { generation: 1 }, status: ingressStatus('10.1.1.1') });
    const changed = await world.cluster.write({ verb: 'replace', object: { ...written, spec: ingressSpec('two') } });
    expect(changed.metadata.generation).toBe(2);
  });

  it('writes the status subresource without the spec, and the object without the status', async () => {
    const created = await world.create(ingress(world.namespace, 'subresource'));
    const both = { ...created, spec: ingressSpec('two'), status: ingressStatus('10.1.1.1') };
    const status = await world.cluster.write({ verb: 'replace', object: both, subresource: 'status' });
    expect(status).toMatchObject({ spec: ingressSpec('one'), status: ingressStatus('10.1.1.1') });
    const next = { ...status, spec: ingressSpec('two'), status: ingressStatus('10.2.2.2') };
    const spec = await world.cluster.write({ verb: 'replace', object: next });
    expect(spec).toMatchObject({ spec: ingressSpec('two'), status: ingressStatus('10.1.1.1') });
  });
}

function patchCases(world: World): void {
  it('merges a patch: null removes, maps merge, lists are replaced', async () => {
    await world.create(labelled(world.configMap('merged', { keep: '1', drop: '2' }), { team: 'a' }));
    const patch = { metadata: { annotations: { note: 'n' } }, data: { drop: null, add: '3' } };
    const merged = await world.cluster.write({ verb: 'merge-patch', ref: world.ref('merged'), patch });
    expect(merged).toMatchObject({ metadata: { labels: { team: 'a' }, annotations: { note: 'n' } } });
    expect(merged.data).toEqual({ keep: '1', add: '3' });
  });

  it('refuses a merge patch whose resource version is not the newest', async () => {
    const created = await world.create(world.configMap('guarded'));
    await world.cluster.write({ verb: 'merge-patch', ref: world.ref('guarded'), patch: { data: { a: '1' } } });
    const patch = { metadata: { resourceVersion: created.metadata.resourceVersion }, data: { a: '2' } };
    await expectCode(world.cluster.write({ verb: 'merge-patch', ref: world.ref('guarded'), patch }), 'ApiConflict');
  });

  it('applies a JSON patch, and refuses one whose test does not hold', async () => {
    await world.create(world.configMap('patched'));
    const ref = world.ref('patched');
    const patch = [
      { op: 'test', path: '/data/color', value: 'red' },
      { op: 'replace', path: '/data/color', value: 'blue' },
      { op: 'add', path: '/metadata/annotations', value: {} },
      { op: 'add', path: '/metadata/annotations/a~1b', value: 'slash' },
    ];
    const patched = await world.cluster.write({ verb: 'json-patch', ref, patch });
    expect(patched).toMatchObject({ metadata: { annotations: { 'a/b': 'slash' } }, data: { color: 'blue' } });
    await expectCode(world.cluster.write({ verb: 'json-patch', ref, patch }), 'ApiInvalid');
    expect(await world.cluster.read(ref)).toEqual(patched);
  });

  it('refuses to patch what does not exist', async () => {
    const ref = world.ref('never-was');
    await expectCode(world.cluster.write({ verb: 'merge-patch', ref, patch: {} }), 'ApiNotFound');
    await expectCode(world.cluster.write({ verb: 'json-patch', ref, patch: [] }), 'ApiNotFound');
  });

  it('patches the status subresource alone', async () => {
    await world.create(ingress(world.namespace, 'status-patch'));
    const ref = { ...world.ref('status-patch'), apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' };
    const patch = { spec: ingressSpec('two'), status: ingressStatus('10.1.1.1') };
    const patched = await world.cluster.write({ verb: 'merge-patch', ref, patch, subresource: 'status' });
    expect(patched).toMatchObject({ spec: ingressSpec('one'), status: ingressStatus('10.1.1.1') });
  });
}

function applyCases(world: World): void {
  it('applies: creates, updates, and removes what it applied before and no longer does', async () => {
    const apply = (data: Readonly<Record<string, string>>): Promise<KubeObject> =>
      world.cluster.write({ verb: 'apply', object: world.configMap('applied', data) });
    expect((await apply({ a: '1', b: '2' })).data).toEqual({ a: '1', b: '2' });
    expect((await apply({ a: '1', c: '3' })).data).toEqual({ a: '1', c: '3' });
  });

  it('writes nothing when it applies the same again', async () => {
    const first = await world.cluster.write({ verb: 'apply', object: world.configMap('idempotent') });
    const second = await world.cluster.write({ verb: 'apply', object: world.configMap('idempotent') });
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  it('refuses to apply over a field of another manager, unless forced', async () => {
    await world.create(world.configMap('owned', { color: 'red', other: 'kept' }));
    const object = world.configMap('owned', { color: 'blue' });
    await expectCode(world.cluster.write({ verb: 'apply', object }), 'ApiConflict');
    const forced = await world.cluster.write({ verb: 'apply', object, force: true });
    expect(forced.data).toEqual({ color: 'blue', other: 'kept' });
  });
}

function deleteCases(world: World): void {
  const remove = (name: string): Promise<KubeObject> => world.cluster.write({ verb: 'delete', ref: world.ref(name) });

  it('deletes, and refuses to delete what does not exist', async () => {
    await world.create(world.configMap('deleted'));
    expect(await remove('deleted')).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'deleted' } });
    expect(await world.cluster.read(world.ref('deleted'))).toBeUndefined();
    await expectCode(remove('deleted'), 'ApiNotFound');
  });

  it('refuses to delete another object of the same name', async () => {
    const old = await world.create(world.configMap('reborn'));
    await remove('reborn');
    const young = await world.create(world.configMap('reborn'));
    expect(young.metadata.uid).not.toBe(old.metadata.uid);
    const byUid = (uid: string | undefined): Promise<KubeObject> =>
      world.cluster.write({ verb: 'delete', ref: world.ref('reborn'), uid: uid ?? '' });
    await expectCode(byUid(old.metadata.uid), 'ApiConflict');
    await byUid(young.metadata.uid);
    expect(await world.cluster.read(world.ref('reborn'))).toBeUndefined();
  });

  it('refuses to delete or to apply what was changed since it was read', async () => {
    const { resourceVersion = '' } = (await world.create(world.configMap('contested'))).metadata;
    const ref = world.ref('contested');
    const { cluster } = world;
    await cluster.write({ verb: 'merge-patch', ref, patch: { metadata: { annotations: { claimed: 'yes' } } } });
    const stale = world.configMap('contested');
    const object = { ...stale, metadata: { ...stale.metadata, resourceVersion }, data: { by: 'us' } };
    await expectCode(cluster.write({ verb: 'apply', object, force: true }), 'ApiConflict');
    await expectCode(cluster.write({ verb: 'delete', ref, resourceVersion }), 'ApiConflict');
    const live = await cluster.read(ref);
    expect(live?.metadata.annotations).toEqual({ claimed: 'yes' });
    await cluster.write({ verb: 'delete', ref, resourceVersion: live?.metadata.resourceVersion });
    expect(await cluster.read(ref)).toBeUndefined();
  });

  it('keeps an object with a finalizer, marked, until the finalizer goes', async () => {
    const finalized = world.configMap('finalized');
    await world.create({ ...finalized, metadata: { ...finalized.metadata, finalizers: ['test.kubepkg.dev/hold'] } });
    await remove('finalized');
    const marked = await world.cluster.read(world.ref('finalized'));
    expect(marked?.metadata.deletionTimestamp).toMatch(/Z$/);
    // The name is not free yet, and will be by itself.
    await expectCode(world.create(finalized), 'ApiConflict');
    await remove('finalized');
    expect((await world.cluster.read(world.ref('finalized')))?.metadata.uid).toBe(marked?.metadata.uid);
    const patch = { metadata: { finalizers: null } };
    await world.cluster.write({ verb: 'merge-patch', ref: world.ref('finalized'), patch });
    expect(await world.cluster.read(world.ref('finalized'))).toBeUndefined();
  });
}
