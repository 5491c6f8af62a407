import { beforeEach, describe, expect, it } from 'vitest';
import { Place, Pool } from './pool.ts';

describe('the pool', () => {
  let called: string[];
  let pool: Pool;

  beforeEach(() => {
    called = [];
    pool = new Pool(2, (name) => called.push(name));
  });

  describe('R12 places for deliveries', () => {
    it('there are as many as there are', () => {
      expect(['a', 'b', 'c'].map((name) => pool.reserve(name))).toEqual([true, true, false]);
    });

    it('who finds none is called when one is free, first come first', () => {
      for (const name of ['a', 'b', 'c', 'd', 'c']) pool.reserve(name);
      pool.release();
      expect(called).toEqual(['c']);
      pool.release();
      expect(called).toEqual(['c', 'd']);
    });

    it('nobody is called who does not wait', () => {
      pool.reserve('a');
      pool.release();
      expect(called).toEqual([]);
    });

    it('who got a place before being called is not called any more', () => {
      for (const name of ['a', 'b', 'c', 'd']) pool.reserve(name);
      pool.release();
      expect(pool.reserve('d')).toBe(true);
      pool.release();
      expect(called).toEqual(['c']);
    });

    it('a place that nobody takes is offered to the next, one that is taken is not', () => {
      for (const name of ['a', 'b', 'c', 'd']) pool.reserve(name);
      pool.offer();
      expect(called).toEqual([]);
      pool.release();
      pool.offer();
      pool.offer();
      expect(called).toEqual(['c', 'd']);
    });

    it('a place that passes to another pool is free for the next, unless that one is full', () => {
      const other = new Pool(1, () => undefined);
      const places = ['a', 'b'].map((name) => {
        pool.reserve(name);
        return new Place(pool);
      });
      for (const name of ['c', 'd']) pool.reserve(name);
      for (const place of places) place.moveTo(other);
      expect(called).toEqual(['c']);
      for (const place of places) place.release();
      expect(called).toEqual(['c', 'd']);
      expect([other.take(), other.take()]).toEqual([true, false]);
    });

    it('a place that is given back can be taken again, no more', () => {
      for (const name of ['a', 'b', 'c']) pool.reserve(name);
      pool.release();
      expect([pool.reserve('c'), pool.reserve('d')]).toEqual([true, false]);
    });
  });
});
