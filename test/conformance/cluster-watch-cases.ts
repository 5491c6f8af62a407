import { afterEach, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube.ts';
import type { Selection } from '../../src/ports/cluster.ts';
import { labelled, type World } from './cluster-world.ts';
import { WatchRecorder } from './watch-recorder.ts';

export function watchCases(world: World): void {
  const { watch, apply, remove } = tools(world);

  it('delivers what exists, says so, then every change in order', async () => {
    await apply('one', 'order', { step: '1' });
    const recorder = watch(world.configMaps('watch=order'));
    await recorder.synced();
    await apply('two', 'order', { step: '1' });
    await apply('one', 'order', { step: '2' });
    await remove('two');
    await remove('one');
    await recorder.saw('gone', 'one');
    const name = `ConfigMap ${world.namespace}`;
    expect(recorder.summary()).toEqual([
      `set ${name}/one`,
      'synced',
      `set ${name}/two`,
      `set ${name}/one`,
      `gone ${name}/two`,
      `gone ${name}/one`,
    ]);
    const sets = recorder.events.flatMap((event) => (event.type === 'set' ? [event.object.data] : []));
    expect(sets).toEqual([{ step: '1' }, { step: '1' }, { step: '2' }]);
  });

  it('says that nothing exists', async () => {
    const recorder = watch(world.configMaps('watch=nothing'));
    await recorder.synced();
    expect(recorder.summary()).toEqual(['synced']);
  });

  it('reports an object that leaves the label selector as gone, and one that enters as set', async () => {
    await apply('leaver', 'leaving');
    const recorder = watch(world.configMaps('watch=leaving'));
    await recorder.synced();
    await apply('leaver', 'elsewhere');
    await recorder.saw('gone', 'leaver');
    await apply('enterer', 'elsewhere');
    await apply('enterer', 'leaving');
    await recorder.saw('set', 'enterer');
    expect(await world.cluster.read(world.ref('leaver'))).toBeDefined();
  });

  it('sets an object that is marked for deletion before it is gone', async () => {
    const held = labelled(world.configMap('held'), { watch: 'held' });
    await world.create({ ...held, metadata: { ...held.metadata, finalizers: ['test.kubepkg.dev/hold'] } });
    const recorder = watch(world.configMaps('watch=held'));
    await recorder.synced();
    await remove('held');
    await recorder.until((events) =>
      events.some((event) => event.type === 'set' && event.object.metadata.deletionTimestamp !== undefined),
    );
    const patch = { metadata: { finalizers: null } };
    await world.cluster.write({ verb: 'merge-patch', ref: world.ref('held'), patch });
    await recorder.saw('gone', 'held');
  });

  it('watches metadata alone', async () => {
    await apply('meta', 'metadata');
    const recorder = watch({ ...world.configMaps('watch=metadata'), metadataOnly: true });
    const listed = await recorder.saw('set', 'meta');
    await recorder.synced();
    await apply('meta-2', 'metadata');
    const watched = await recorder.saw('set', 'meta-2');
    for (const object of [listed, watched]) {
      expect(object).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
      expect(object).not.toHaveProperty('data');
    }
  });

  it('watches all namespaces', async () => {
    const recorder = watch({ apiVersion: 'v1', kind: 'ConfigMap', labelSelector: 'watch=everywhere' });
    await recorder.synced();
    await apply('anywhere', 'everywhere');
    expect(await recorder.saw('set', 'anywhere')).toMatchObject({ metadata: { namespace: world.namespace } });
  });

  it('delivers objects without managed fields, but for who wrote the status when', async () => {
    const ingresses = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', namespace: world.namespace };
    const recorder = watch({ ...ingresses, fieldSelector: 'metadata.name=written' });
    await recorder.synced();
    const ref = { ...world.ref('written'), apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' };
    const { apiVersion, kind, namespace, name } = ref;
    const spec = { defaultBackend: { service: { name: 'one', port: { number: 80 } } } };
    await world.create({ apiVersion, kind, metadata: { namespace: namespace ?? '', name }, spec });
    expect((await recorder.saw('set', 'written')).metadata).not.toHaveProperty('managedFields');
    const patch = { status: { loadBalancer: { ingress: [{ ip: '10.1.1.1' }] } } };
    await world.cluster.write({ verb: 'merge-patch', ref, patch, subresource: 'status' });
    await recorder.until((events) =>
      events.some((event) => event.type === 'set' && event.object.metadata.managedFields !== undefined),
    );
    const last = recorder.events.findLast((event) => event.type === 'set');
    expect(last?.object.metadata.managedFields).toEqual([
      { manager: 'kubepkg', operation: 'Update', subresource: 'status', time: expect.stringMatching(/Z$/) as string },
    ]);
  });

  it('delivers nothing after it was stopped, not even from inside the handler', async () => {
    await apply('stop-1', 'stop');
    await apply('stop-2', 'stop');
    const seen: string[] = [];
    const stopped = new Promise<void>((resolve) => {
      const subscription = world.cluster.watch(world.configMaps('watch=stop'), (event) => {
        seen.push(event.type);
        subscription.stop();
        resolve();
      });
    });
    await stopped;
    const other = watch(world.configMaps('watch=stop'));
    await apply('stop-3', 'stop');
    await other.saw('set', 'stop-3');
    expect(seen).toEqual(['set']);
  });

  it('serves two watches of one selection alike', async () => {
    const recorders = [watch(world.configMaps('watch=twice')), watch(world.configMaps('watch=twice'))];
    await Promise.all(recorders.map((recorder) => recorder.synced()));
    await apply('shared', 'twice');
    await Promise.all(recorders.map((recorder) => recorder.saw('set', 'shared')));
  });
}

export function connectionCases(world: World): void {
  const { watch, apply, remove } = tools(world);

  it('goes on after a broken connection, misses nothing and repeats nothing', async () => {
    await apply('kept', 'broken');
    await apply('lost', 'broken');
    const recorder = watch(world.configMaps('watch=broken'));
    await recorder.synced();
    await apply('before', 'broken');
    await recorder.saw('set', 'before');
    await interrupt(world);
    await apply('after', 'broken');
    await remove('lost');
    await recorder.saw('gone', 'lost');
    const names = recorder.events.flatMap((event) => (event.type === 'set' ? [event.object.metadata.name] : []));
    expect(names).toEqual(['kept', 'lost', 'before', 'after']);
  });

  it('reads again after a broken connection', async () => {
    await apply('readable', 'read');
    world.harness.interrupt?.();
    expect(await world.cluster.read(world.ref('readable'))).toBeDefined();
  });
}

/** A read finds out about dead connections by itself; a write would not be sent again. */
async function interrupt(world: World): Promise<void> {
  world.harness.interrupt?.();
  await world.cluster.read(world.ref('absent'));
}

interface Tools {
  readonly watch: (selection: Selection) => WatchRecorder;
  readonly apply: (name: string, label: string, data?: Readonly<Record<string, string>>) => Promise<KubeObject>;
  readonly remove: (name: string) => Promise<KubeObject>;
}

function tools(world: World): Tools {
  const recorders: WatchRecorder[] = [];
  afterEach(() => {
    for (const recorder of recorders.splice(0)) recorder.stop();
  });
  return {
    watch: (selection) => {
      const recorder = new WatchRecorder(world.cluster, selection);
      recorders.push(recorder);
      return recorder;
    },
    apply: (name, label, data) =>
      world.cluster.write({ verb: 'apply', object: labelled(world.configMap(name, data), { watch: label }) }),
    remove: (name) => world.cluster.write({ verb: 'delete', ref: world.ref(name) }),
  };
}
