import { beforeEach, describe, expect, it } from 'vitest';
import { rest } from '../../test/fakes/clock.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { KubepkgError } from '../api/errors.ts';
import type { KubeObject, ObjectRef } from '../api/kube.ts';
import { ObjectTracker } from './object-tracker.ts';

const WEB: ObjectRef = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
const API: ObjectRef = { ...WEB, name: 'api' };
const DATA: ObjectRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data' };
const WIDGET: ObjectRef = { apiVersion: 'example.org/v1', kind: 'Widget', namespace: 'shop', name: 'w' };

function objectOf({ apiVersion, kind, namespace = '', name }: ObjectRef, spec: object = {}): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace }, spec };
}

describe('the tracker of objects', () => {
  let cluster: MemoryCluster;
  let tracker: ObjectTracker;
  let woken: string[];

  beforeEach(() => {
    cluster = new MemoryCluster();
    woken = [];
    tracker = new ObjectTracker(cluster, (follower) => woken.push(follower));
  });

  function specOf(ref: ObjectRef): unknown {
    const state = tracker.look(ref);
    return state.kind === 'present' ? state.object['spec'] : state.kind;
  }

  describe('what is followed', () => {
    it('is unread until it is read, even though it exists', () => {
      cluster.put(objectOf(WEB));
      expect(tracker.look(WEB)).toEqual({ kind: 'unread' });
      tracker.follow('shop/app', [WEB]);
      expect(tracker.look(WEB)).toEqual({ kind: 'unread' });
    });

    it('is read live', async () => {
      cluster.put(objectOf(WEB, { replicas: 1 }));
      tracker.follow('shop/app', [WEB, API, WIDGET]);
      await tracker.refresh([WEB, API, WIDGET]);
      expect([WEB, API, WIDGET].map(specOf)).toEqual([{ replicas: 1 }, 'missing', 'unserved']);
    });

    it('wakes all who follow it when it changes or goes, and nobody else', async () => {
      tracker.follow('shop/app', [WEB]);
      tracker.follow('shop/front', [WEB, API]);
      await rest();
      cluster.put(objectOf(WEB, { replicas: 2 }));
      await rest();
      expect(woken).toEqual(['shop/app', 'shop/front']);
      expect(specOf(WEB)).toEqual({ replicas: 2 });
      cluster.remove(WEB);
      cluster.put(objectOf({ ...WEB, name: 'of-nobody' }));
      await rest();
      expect(woken).toHaveLength(4);
      expect(specOf(WEB)).toBe('missing');
    });

    it('F49 that is gone is remembered as it was last seen, while it is followed', async () => {
      cluster.put(objectOf(WEB, { replicas: 1 }));
      tracker.follow('shop/app', [WEB, API]);
      await tracker.refresh([WEB, API]);
      cluster.remove(WEB);
      await tracker.refresh([WEB, API]);
      await tracker.refresh([WEB, API]);
      expect(tracker.look(WEB)).toMatchObject({ kind: 'missing', last: { spec: { replicas: 1 } } });
      expect(tracker.look(API)).toEqual({ kind: 'missing' });
      tracker.follow('shop/app', [API]);
      tracker.follow('shop/app', [API, WEB]);
      await tracker.refresh([WEB]);
      expect(tracker.look(WEB)).toEqual({ kind: 'missing' });
    });

    it('F49 that is gone is remembered as its end was told, though nobody has read it', async () => {
      tracker.follow('shop/app', [WEB]);
      cluster.emit({ type: 'gone', object: objectOf(WEB, { replicas: 7 }) });
      await tracker.refresh([WEB]);
      expect(tracker.look(WEB)).toMatchObject({ kind: 'missing', last: { spec: { replicas: 7 } } });
    });

    it('is known by its group, whatever version of it the watch delivers', () => {
      tracker.follow('shop/app', [WEB]);
      cluster.emit({ type: 'set', object: objectOf(WEB, { replicas: 3 }) });
      expect(specOf({ ...WEB, apiVersion: 'apps/v1beta2' })).toEqual({ replicas: 3 });
    });

    it('F10 wakes who waits for it as soon as its kind is served', async () => {
      tracker.follow('shop/app', [WIDGET]);
      await tracker.refresh([WIDGET]);
      cluster.put(objectOf(WIDGET, { size: 1 }));
      cluster.serve(WIDGET.apiVersion, WIDGET.kind);
      await rest();
      expect(woken).toEqual(['shop/app']);
      expect(specOf(WIDGET)).toEqual({ size: 1 });
    });

    it('that may not be read is waited for, and the missing permission is named', async () => {
      tracker.follow('shop/app', [WEB]);
      cluster.before = () => {
        throw new KubepkgError('ApiForbidden', 'cannot get deployments', { hint: 'grant it' });
      };
      await tracker.refresh([WEB]);
      expect(tracker.look(WEB)).toEqual({ kind: 'unreadable', message: 'cannot get deployments; grant it' });
    });

    it('passes on what a read fails with, and what it knew stays', async () => {
      cluster.put(objectOf(WEB, { replicas: 1 }));
      tracker.follow('shop/app', [WEB]);
      await tracker.refresh([WEB]);
      cluster.before = () => {
        throw new KubepkgError('ApiUnreachable', 'nobody is there');
      };
      await expect(tracker.refresh([WEB])).rejects.toMatchObject({ code: 'ApiUnreachable' });
      expect(specOf(WEB)).toEqual({ replicas: 1 });
    });
  });

  describe('a watch that lags behind', () => {
    const version = (resourceVersion: string, replicas: number): KubeObject => {
      const object = objectOf(WEB, { replicas });
      return { ...object, metadata: { ...object.metadata, uid: 'uid-1', resourceVersion } };
    };

    beforeEach(() => {
      tracker.follow('shop/app', [WEB]);
      cluster.emit({ type: 'set', object: version('20', 2) });
      woken.length = 0;
    });

    it.each<[string, 'set' | 'gone', string]>([
      ['does not bring back what was there before', 'set', '9'],
      ['does not remove what is there by now', 'gone', '9'],
      ['wakes nobody by what is known', 'set', '20'],
    ])('%s', (_say, type, resourceVersion) => {
      cluster.emit({ type, object: version(resourceVersion, 1) });
      expect(specOf(WEB)).toEqual({ replicas: 2 });
      expect(woken).toEqual([]);
    });

    it('a read that began before a newer event came does not undo it', async () => {
      cluster.put(objectOf(WEB, { replicas: 1 }));
      await tracker.refresh([WEB]);
      expect(specOf(WEB)).toEqual({ replicas: 2 });
    });

    it('F49 a read that began before the end of it was told does not bring it back', async () => {
      cluster.put(objectOf(WEB, { replicas: 1 }));
      cluster.emit({ type: 'gone', object: version('21', 3) });
      await tracker.refresh([WEB]);
      expect(tracker.look(WEB)).toMatchObject({ kind: 'missing', last: { spec: { replicas: 3 } } });
    });

    it('what is made again after its end is there', () => {
      cluster.emit({ type: 'gone', object: version('21', 3) });
      cluster.emit({ type: 'set', object: version('22', 4) });
      expect(specOf(WEB)).toEqual({ replicas: 4 });
    });

    it('a read that found nothing before news of it came does not undo them', async () => {
      let reads = 0;
      cluster.after = () => {
        reads += 1;
        if (reads > 1) return;
        cluster.put(objectOf(WEB, { replicas: 3 }));
        cluster.emit({ type: 'set', object: version('21', 3) });
      };
      await tracker.refresh([WEB]);
      expect(specOf(WEB)).toEqual({ replicas: 3 });
    });

    it('what is let go and followed again while it is read is read all the same', async () => {
      cluster.after = () => {
        tracker.follow('shop/app', []);
        tracker.follow('shop/app', [WEB]);
      };
      await tracker.refresh([WEB]);
      expect(specOf(WEB)).toBe('missing');
    });

    it('what a read finds missing is missing', async () => {
      await tracker.refresh([WEB]);
      expect(specOf(WEB)).toBe('missing');
    });
  });

  describe('watches', () => {
    it('there is one for each kind, however many objects and followers', () => {
      tracker.follow('shop/app', [WEB, API]);
      tracker.follow('shop/front', [WEB, DATA]);
      expect(cluster.watched()).toEqual(['Deployment', 'PersistentVolumeClaim']);
    });

    it('one ends with the last object of its kind that somebody follows', () => {
      tracker.follow('shop/app', [WEB, DATA]);
      tracker.follow('shop/front', [WEB]);
      tracker.follow('shop/app', []);
      expect(cluster.watched()).toEqual(['Deployment']);
      tracker.follow('shop/front', []);
      expect(cluster.watched()).toEqual([]);
    });

    it('what a follower names no longer is let go, and unread when it is followed again', async () => {
      cluster.put(objectOf(WEB));
      tracker.follow('shop/app', [WEB, API]);
      await tracker.refresh([WEB]);
      tracker.follow('shop/app', [API]);
      expect(specOf(WEB)).toBe('unread');
      tracker.follow('shop/app', [API, WEB]);
      expect(specOf(WEB)).toBe('unread');
    });

    it('what is followed again keeps its state and its watch', async () => {
      cluster.put(objectOf(WEB, { replicas: 1 }));
      tracker.follow('shop/app', [WEB]);
      await tracker.refresh([WEB]);
      tracker.follow('shop/app', [WEB, API]);
      expect(specOf(WEB)).toEqual({ replicas: 1 });
      expect(cluster.watched()).toEqual(['Deployment']);
    });

    it('all end when it is stopped', () => {
      tracker.follow('shop/app', [WEB, DATA]);
      tracker.stop();
      expect(cluster.watched()).toEqual([]);
      expect(specOf(WEB)).toBe('unread');
    });
  });
});
