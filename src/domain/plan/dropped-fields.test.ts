import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube.ts';
import { withoutDropped } from './dropped-fields.ts';

function object(spec: unknown): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' }, spec };
}

describe('an object as it will be', () => {
  it.each<[string, unknown, unknown, unknown, unknown]>([
    ['loses what its chart had and has no more', { a: 1, b: 2 }, { a: 1, b: 2 }, { a: 1 }, { a: 1 }],
    ['keeps what its chart never had', { a: 1, other: 2 }, { a: 1 }, { a: 1 }, { a: 1, other: 2 }],
    ['keeps what its chart has anew', { a: 1, b: 2 }, { a: 1 }, { a: 1, b: 2 }, { a: 1, b: 2 }],
    ['loses it in what lies below', { x: { a: 1, b: 2 } }, { x: { a: 1, b: 2 } }, { x: { a: 1 } }, { x: { a: 1 } }],
    [
      'loses named items, and keeps those of others',
      { env: [{ name: 'A' }, { name: 'B' }, { name: 'OTHER' }] },
      { env: [{ name: 'A' }, { name: 'B' }] },
      { env: [{ name: 'A' }] },
      { env: [{ name: 'A' }, { name: 'OTHER' }] },
    ],
    [
      'loses fields of named items',
      { env: [{ name: 'A', value: '1' }] },
      { env: [{ name: 'A', value: '1' }] },
      { env: [{ name: 'A' }] },
      { env: [{ name: 'A' }] },
    ],
    ['leaves other lists as the trial has them', { args: ['x'] }, { args: ['y'] }, { args: ['x'] }, { args: ['x'] }],
  ])('%s', (_what, tried, former, wanted, expected) => {
    expect(withoutDropped(object(tried), object(former), object(wanted))).toEqual(object(expected));
  });
});
