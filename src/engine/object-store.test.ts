import { beforeEach, describe, expect, it } from 'vitest';
import { rest } from '../../test/fakes/clock.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import type { KubeObject } from '../api/kube.ts';
import { API_VERSION } from '../api/names.ts';
import { ObjectStore } from './object-store.ts';

const SELECTION = { apiVersion: API_VERSION, kind: 'Package' };

function named(name: string, spec: object = {}): KubeObject {
  return { ...SELECTION, metadata: { name }, spec };
}

/** The object as it was, or will be, in another version of itself. */
function at(object: KubeObject, resourceVersion: string, metadata: object = {}): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion, ...metadata } };
}

describe('the store of our objects', () => {
  let cluster: MemoryCluster;
  let store: ObjectStore;
  let changes: string[];

  beforeEach(async () => {
    cluster = new MemoryCluster();
    changes = [];
    store = new ObjectStore(SELECTION, ({ metadata }) =>
      changes.push(`${metadata.name} ${metadata.resourceVersion ?? ''}`),
    );
    cluster.put(named('shop'));
    await store.start(cluster);
    changes.length = 0;
  });

  function shop(): KubeObject {
    const known = store.get('shop');
    if (known === undefined) throw new Error('the store does not know it');
    return known;
  }

  describe('what exists', () => {
    it('is known once it has started', () => {
      expect(store.all().map(({ metadata }) => metadata.name)).toEqual(['shop']);
    });

    it('is complete when the start ends, and not before the watch says so', async () => {
      const young = new ObjectStore(SELECTION, () => undefined);
      let started = false;
      cluster.hold();
      void young.start(cluster).then(() => {
        started = true;
      });
      cluster.emit({ type: 'set', object: at(named('first'), '1') });
      await rest();
      expect(started).toBe(false);
      cluster.release();
      await rest();
      expect(started).toBe(true);
    });

    it('is followed as it comes, changes and goes', async () => {
      cluster.put(named('other'));
      cluster.put(named('shop', { variant: 'large' }));
      await rest();
      expect(shop()['spec']).toEqual({ variant: 'large' });
      cluster.remove({ ...SELECTION, name: 'other' });
      await rest();
      expect(store.get('other')).toBeUndefined();
      expect(changes.map((change) => change.split(' ')[0])).toEqual(['other', 'shop', 'other']);
    });

    it('is not followed after it was stopped', async () => {
      store.stop();
      cluster.put(named('shop', { variant: 'large' }));
      await rest();
      expect(changes).toEqual([]);
      expect(shop()['spec']).toEqual({});
    });
  });

  describe('R1 what this process wrote', () => {
    it('is seen at once, before the watch has delivered it, and its echo wakes nobody', async () => {
      cluster.hold();
      store.written(await cluster.write({ verb: 'replace', object: { ...shop(), spec: { variant: 'large' } } }));
      expect(shop()['spec']).toEqual({ variant: 'large' });
      cluster.release();
      expect(changes).toEqual([]);
    });

    it('does not go back when the watch delivers what was there before', () => {
      const before = shop();
      store.written(at({ ...before, spec: { variant: 'large' } }, '50'));
      cluster.emit({ type: 'set', object: at(before, '9') });
      expect(shop().metadata.resourceVersion).toBe('50');
      expect(changes).toEqual([]);
    });

    it('does not replace what the watch has brought meanwhile', () => {
      const before = shop();
      cluster.emit({ type: 'set', object: at(before, '60') });
      store.written(at(before, '50'));
      expect(shop().metadata.resourceVersion).toBe('60');
    });

    it('does not bring back what the watch has said is gone, though the answer comes later', () => {
      const last = shop();
      cluster.emit({ type: 'gone', object: last });
      store.written(at(last, '99'));
      expect(store.get('shop')).toBeUndefined();
    });

    it('does not take the place of another object of that name', () => {
      const former = shop();
      cluster.emit({ type: 'set', object: at(former, '5', { uid: 'young' }) });
      store.written(at(former, '99'));
      expect(shop().metadata.uid).toBe('young');
    });

    it('is known though nothing of that name was there', () => {
      store.written(at(named('young'), '3'));
      expect(store.get('young')?.metadata.resourceVersion).toBe('3');
    });
  });

  describe('the objects of one package', () => {
    const ofPackage = (name: string, pkg: string): KubeObject => {
      const object = named(name);
      return { ...object, metadata: { ...object.metadata, labels: { 'kubepkg.dev/package': pkg } } };
    };
    const names = (pkg: string): readonly string[] => store.ofPackage(pkg).map(({ metadata }) => metadata.name);

    it('are those with its label, also such as this process has just written', async () => {
      cluster.put(ofPackage('shop-1', 'shop'));
      cluster.put(ofPackage('db-1', 'db'));
      await rest();
      store.written(at(ofPackage('shop-2', 'shop'), '90'));
      expect(names('shop')).toEqual(['shop-1', 'shop-2']);
      expect(names('db')).toEqual(['db-1']);
    });

    it('are none once they are gone', async () => {
      cluster.put(ofPackage('shop-1', 'shop'));
      cluster.remove({ ...SELECTION, name: 'shop-1' });
      await rest();
      expect(names('shop')).toEqual([]);
    });
  });

  describe('an object that was made anew under the same name', () => {
    it('is taken whatever its version', () => {
      cluster.emit({ type: 'set', object: at(shop(), '0', { uid: 'young' }) });
      expect(shop().metadata.uid).toBe('young');
    });

    it('does not go when the watch says at last that the former one is gone', () => {
      const former = shop();
      cluster.emit({ type: 'set', object: at(former, '70', { uid: 'young' }) });
      changes.length = 0;
      cluster.emit({ type: 'gone', object: former });
      expect(shop().metadata.uid).toBe('young');
      expect(changes).toEqual([]);
    });
  });

  describe('an answer to a last write that comes after the end of its object', () => {
    it('does not bring the object back', async () => {
      const last = shop();
      cluster.remove({ ...SELECTION, name: 'shop' });
      await rest();
      store.written(last);
      expect(store.get('shop')).toBeUndefined();
    });

    it('does not take the place of a new object of the same name', async () => {
      const last = shop();
      cluster.remove({ ...SELECTION, name: 'shop' });
      cluster.put(named('shop'));
      await rest();
      store.written(last);
      expect(shop().metadata.uid).not.toBe(last.metadata.uid);
    });

    it('nor does old news of it, which a lagging watch repeats', async () => {
      const last = shop();
      cluster.remove({ ...SELECTION, name: 'shop' });
      cluster.put(named('shop'));
      await rest();
      const young = shop().metadata.uid;
      cluster.emit({ type: 'set', object: last });
      expect(shop().metadata.uid).toBe(young);
      cluster.remove({ ...SELECTION, name: 'shop' });
      await rest();
      cluster.emit({ type: 'set', object: last });
      expect(store.get('shop')).toBeUndefined();
    });
  });
});
