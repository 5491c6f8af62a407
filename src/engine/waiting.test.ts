import { beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../test/fakes/clock.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import type { Selection, WatchEvent } from '../ports/cluster.ts';
import { type Interest, Waiting } from './waiting.ts';

const set = (...names: readonly string[]): ReadonlySet<string> => new Set(names);
const interest = (parts: Partial<Interest>): Interest => ({
  reported: set(),
  packages: set(),
  capabilities: set(),
  groups: set(),
  ...parts,
});

/** A cluster that keeps what its watches are told with. */
class Watched extends MemoryCluster {
  readonly open = new Map<string, (event: WatchEvent) => void>();

  override watch(selection: Selection, onEvent: (event: WatchEvent) => void): { stop: () => void } {
    this.open.set(selection.kind, onEvent);
    return { stop: () => this.open.delete(selection.kind) };
  }

  tell(kind: string, name: string): void {
    const object: KubeObject = { apiVersion: 'v1', kind, metadata: { name } };
    this.open.get(kind)?.({ type: 'set', object });
  }
}

describe('who is woken', () => {
  let cluster: Watched;
  let clock: VirtualClock;
  let woken: string[];
  let stale: boolean;
  let waiting: Waiting;

  beforeEach(() => {
    cluster = new Watched();
    clock = new VirtualClock();
    woken = [];
    stale = false;
    waiting = new Waiting({
      cluster,
      clock,
      wake: (name) => woken.push(name),
      provides: (name) => (name === 'ceph' ? ['ceph', 'storage'] : [name]),
      isReportStale: () => stale,
    });
  });

  describe('when a package changes', () => {
    it.each<[string, Partial<Interest>, string]>([
      ['one that waits for it', { packages: set('db') }, 'db'],
      ['one that waits for what it provides', { capabilities: set('storage') }, 'ceph'],
      ['one that waits for its name as a capability', { capabilities: set('db') }, 'db'],
    ])('%s', (_say, parts, changed) => {
      waiting.set('app', interest(parts));
      waiting.changed(changed);
      expect(woken).toEqual(['app']);
    });

    it.each<[string, Partial<Interest>]>([
      ['one that waits for another', { packages: set('net') }],
      ['one that waits for another capability', { capabilities: set('mail') }],
      ['one that only reports it, and rightly', { reported: set('ceph') }],
      ['one that waits for an API', { groups: set('ceph') }],
    ])('but not %s', (_say, parts) => {
      waiting.set('app', interest(parts));
      waiting.changed('ceph');
      expect(woken).toEqual([]);
    });

    it('one that reports what is not so any more', () => {
      stale = true;
      waiting.set('app', interest({ reported: set('db') }));
      waiting.changed('net');
      expect(woken).toEqual([]);
      waiting.changed('db');
      expect(woken).toEqual(['app']);
    });

    it('never itself, nor one that is interested no more', () => {
      waiting.set('app', interest({ packages: set('app', 'db') }));
      waiting.changed('app');
      waiting.set('app', undefined);
      waiting.changed('db');
      expect(woken).toEqual([]);
    });
  });

  describe('when the APIs of the server change', () => {
    const CRD = 'CustomResourceDefinition';

    beforeEach(() => {
      waiting.set('app', interest({ groups: set('example.org') }));
    });

    it.each([
      [CRD, 'widgets.example.org'],
      ['APIService', 'v1.example.org'],
    ])('one that waits for the group of a %s', (kind, name) => {
      cluster.tell(kind, name);
      expect(woken).toEqual(['app']);
    });

    it('nobody by another group', () => {
      cluster.tell(CRD, 'widgets.sub.example.org');
      expect([woken, clock.pending()]).toEqual([[], []]);
    });

    it('at once, and again for a while, since discovery lags behind', async () => {
      cluster.tell(CRD, 'widgets.example.org');
      await clock.advance(60_000);
      expect([woken.length, clock.pending()]).toEqual([8, []]);
    });

    it('once for a burst', () => {
      for (const plural of ['widgets', 'gadgets', 'gizmos']) cluster.tell(CRD, `${plural}.example.org`);
      expect([woken, clock.pending()]).toEqual([['app'], [100]]);
    });

    it('anew when more comes later', async () => {
      cluster.tell(CRD, 'widgets.example.org');
      await clock.advance(5000);
      woken.length = 0;
      cluster.tell(CRD, 'gadgets.example.org');
      expect([woken, clock.pending()]).toEqual([['app'], [100]]);
    });

    it('whenever a watch cannot tell', () => {
      cluster.open.get(CRD)?.({ type: 'disturbed', error: new KubepkgError('ApiForbidden', 'no') });
      expect(woken).toEqual(['app']);
    });

    it('by two watches, as long as somebody waits', () => {
      waiting.set('web', interest({ groups: set('other.org') }));
      expect([...cluster.open.keys()]).toEqual([CRD, 'APIService']);
      waiting.set('app', undefined);
      expect(cluster.open.size).toBe(2);
      cluster.tell(CRD, 'things.other.org');
      waiting.set('web', interest({ packages: set('db') }));
      expect([cluster.open.size, clock.pending()]).toEqual([0, []]);
    });

    it('not after the end', () => {
      waiting.stop();
      waiting.set('web', interest({ groups: set('other.org') }));
      expect(cluster.open.size).toBe(0);
    });
  });
});
