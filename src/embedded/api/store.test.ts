import { describe, expect, it } from 'vitest';
import type { StoredObject } from '../model/object.ts';
import { Store } from './store.ts';

const KIND = '/configmaps';

function object(name: string, namespace = 'a', data = '1'): StoredObject {
  const metadata = { name, namespace, uid: name, resourceVersion: '', creationTimestamp: '2030-01-01T00:00:00Z' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}

const names = (objects: readonly StoredObject[] | undefined): readonly string[] | undefined =>
  objects?.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`);

describe('the store', () => {
  it('lists by namespace and name, as etcd sorts keys', () => {
    const store = new Store({ history: 10 });
    for (const [namespace, name] of [
      ['a', 'b'],
      ['a-b', 'a'],
      ['a', 'a'],
      ['b', 'c'],
    ] as const) {
      store.put(KIND, object(name, namespace));
    }
    expect(names(store.all(KIND))).toEqual(['a-b/a', 'a/a', 'a/b', 'b/c']);
    expect(names(store.all(KIND, 'a'))).toEqual(['a/a', 'a/b']);
    expect(store.all('/secrets')).toEqual([]);
  });

  it('knows what there was at a moment, as long as it remembers the changes since', () => {
    const store = new Store({ history: 10 });
    store.put(KIND, object('kept'));
    store.put(KIND, object('gone'));
    const moment = store.revision;
    store.put(KIND, object('kept', 'a', '2'));
    store.remove(KIND, object('gone'));
    store.put(KIND, object('new'));
    expect(store.allAt(KIND, '', moment)).toMatchObject([{ metadata: { name: 'gone' } }, { data: '1' }]);
    expect(names(store.all(KIND))).toEqual(['a/kept', 'a/new']);
    for (let count = 0; count < 20; count += 1) store.put(KIND, object('noise', 'a', String(count)));
    expect(store.allAt(KIND, '', moment)).toBeUndefined();
    expect(store.since(KIND, moment)).toBeUndefined();
    expect(store.since(KIND, store.revision)).toEqual([]);
  });

  it('tells everybody of changes in one order, though one of them makes changes itself', () => {
    const store = new Store({ history: 10 });
    const told: string[] = [];
    store.listen(KIND, ({ object: changed }) => {
      told.push(`first ${changed.metadata.name}`);
      if (changed.metadata.name === 'cause') store.put(KIND, object('effect'));
    });
    store.listen(KIND, ({ object: changed }) => told.push(`second ${changed.metadata.name}`));
    store.put(KIND, object('cause'));
    expect(told).toEqual(['first cause', 'second cause', 'first effect', 'second effect']);
  });

  it('tells nobody who has stopped listening, not even of what is on its way', () => {
    const store = new Store({ history: 10 });
    const told: string[] = [];
    const stops: (() => void)[] = [];
    store.listen(KIND, () => stops[0]?.());
    stops.push(store.listen(KIND, () => told.push('told')));
    store.put(KIND, object('a'));
    expect(told).toEqual([]);
  });

  it('repeats what another one did, with the versions that it had there', () => {
    const one = new Store({ history: 10 });
    one.put(KIND, object('gone'));
    const other = new Store({ history: 10, content: one.content() });
    const told: string[] = [];
    other.listen(KIND, ({ type, before }) => told.push(`${type} ${String(before?.['data'])}`));
    const stop = one.observe((change) => {
      other.repeat(change);
    });
    one.put(KIND, object('new'));
    one.put(KIND, object('new', 'a', '2'));
    one.remove(KIND, object('gone'));
    expect(told).toEqual(['ADDED undefined', 'MODIFIED 1', 'DELETED 1']);
    expect(other.content()).toEqual(one.content());
    stop();
    one.put(KIND, object('late'));
    expect(other.revision).toBe(one.revision - 1);
  });
});
