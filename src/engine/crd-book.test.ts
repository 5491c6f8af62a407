import { beforeEach, describe, expect, it } from 'vitest';
import { rest } from '../../test/fakes/clock.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import type { KubeObject } from '../api/kube.ts';
import { CRD, CrdBook, type CrdFacts } from './crd-book.ts';

const NAME = 'widgets.example.org';

describe('the book of CRDs', () => {
  let cluster: MemoryCluster;
  let woken: string[];
  let book: CrdBook;

  beforeEach(() => {
    cluster = new MemoryCluster();
    woken = [];
    book = new CrdBook(cluster, (pkg) => woken.push(pkg));
  });

  function put(owner: string, name = NAME): KubeObject {
    return cluster.put({ ...CRD, metadata: { name, annotations: { 'kubepkg.dev/owned-by': owner } } });
  }

  function ownersIn(facts: CrdFacts): unknown {
    return facts.kind === 'read' ? facts.facts.map(({ name, owner }) => `${name} ${owner ?? 'nobody'}`) : facts.kind;
  }

  const look = (pkg = 'shop', listed: readonly string[] = [NAME]): unknown => ownersIn(book.look(pkg, listed));

  it('is unread at first, and wakes those who looked once it is read', async () => {
    put('shop');
    expect(look()).toBe('unread');
    await rest();
    expect([woken, look()]).toEqual([['shop'], [`${NAME} shop`]]);
  });

  it('shows a package what it lists and what is said to be its own, and wakes it for nothing else', async () => {
    put('rival');
    put('shop', 'anvils.example.org');
    put('rival', 'bolts.example.org');
    look();
    await rest();
    expect(look()).toEqual(['anvils.example.org shop', `${NAME} rival`]);
    woken.length = 0;
    put('others', 'bolts.example.org');
    await rest();
    expect(woken).toEqual([]);
    put('others');
    put('others', 'anvils.example.org');
    await rest();
    expect([woken, look()]).toEqual([['shop', 'shop'], [`${NAME} others`]]);
  });

  it('believes what was written last, not what a watch tells late', async () => {
    const before = put('rival');
    look();
    await rest();
    cluster.hold();
    book.note(NAME, put('shop'));
    cluster.emit({ type: 'set', object: before });
    expect(look()).toEqual([`${NAME} shop`]);
    book.note(NAME, before);
    expect(look()).toEqual([`${NAME} shop`]);
  });

  it('knows one that was made anew, and forgets one that is gone', async () => {
    const former = put('rival');
    look();
    await rest();
    cluster.remove({ ...CRD, name: NAME });
    put('shop');
    await rest();
    cluster.emit({ type: 'gone', object: former });
    expect(look()).toEqual([`${NAME} shop`]);
    cluster.remove({ ...CRD, name: NAME });
    await rest();
    expect(look()).toEqual([]);
    book.note(NAME, put('shop'));
    book.note(NAME, undefined);
    expect(look()).toEqual([]);
  });

  it('watches metadata alone, as long as somebody looks', async () => {
    look();
    look('other', ['others.example.org']);
    await rest();
    expect(cluster.watched()).toEqual([CRD.kind]);
    book.leave('other');
    expect(cluster.watched()).toEqual([CRD.kind]);
    book.leave('shop');
    expect(cluster.watched()).toEqual([]);
    expect(look()).toBe('unread');
  });
});
