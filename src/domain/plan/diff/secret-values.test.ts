import { describe, expect, it } from 'vitest';
import { leavesOf, unsaidLeaves } from './secret-values.ts';

describe('values that may be secret', () => {
  it('I10 are all texts and long numbers, at any depth', () => {
    const values = { a: { b: ['hunter22', { c: 'x' }], d: true, e: null }, port: 8080, pin: 918_273, f: 'y' };
    expect(leavesOf(values)).toEqual(['hunter22', 'x', '918273', 'y']);
  });

  it('I10 are those delivered that no Package says in the same place', () => {
    const delivered = { tag: '1.0', db: { user: 'shop', password: 'hunter22' }, hosts: ['a', 'b'], same: 'hunter22' };
    const said = [{ tag: '1.1', hosts: ['a'] }, undefined, { tag: '1.0', db: { user: 'shop' }, same: 'hunter22' }];
    expect(unsaidLeaves(delivered, said)).toEqual(['hunter22', 'a', 'b']);
    expect(unsaidLeaves(delivered, [delivered])).toEqual([]);
  });
});
