import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube.ts';
import { projectLive } from './project.ts';

const base = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: 'shop' } };

function projected(wanted: object, live: object): unknown {
  const object = projectLive({ ...base, spec: wanted }, { ...base, spec: live }) as KubeObject & { spec: unknown };
  return object.spec;
}

describe('a live object, as far as its manifest has an opinion', () => {
  it.each([
    ['leaves out what the server adds', { a: 1 }, { a: 1, b: 2 }, { a: 1 }],
    ['has what was changed', { a: 1 }, { a: 2 }, { a: 2 }],
    ['has not what was taken away', { a: 1, b: { c: 1 } }, { a: 1 }, { a: 1 }],
    [
      'takes what is empty for left out',
      { a: {}, b: [], c: false, d: null, e: { f: '' } },
      {},
      { a: {}, b: [], c: false, d: null, e: { f: '' } },
    ],
    [
      'finds items of a list by their name',
      { l: [{ name: 'b', v: 1 }] },
      { l: [{ name: 'a' }, { name: 'b', v: 2, x: 1 }] },
      { l: [{ name: 'b', v: 2 }] },
    ],
    [
      'does not take a name that two items share',
      {
        l: [
          { name: 'v', mountPath: '/a' },
          { name: 'v', mountPath: '/b' },
        ],
      },
      {
        l: [
          { name: 'v', mountPath: '/a', readOnly: true },
          { name: 'v', mountPath: '/b' },
        ],
      },
      {
        l: [
          { name: 'v', mountPath: '/a' },
          { name: 'v', mountPath: '/b' },
        ],
      },
    ],
    ['shows a list without names whole when its length differs', { l: [1, 2] }, { l: [1, 2, 3] }, { l: [1, 2, 3] }],
    [
      'takes a number for its text',
      { port: '8080', on: 'true' },
      { port: 8080, on: true },
      { port: '8080', on: 'true' },
    ],
  ])('%s', (_what, wanted, live, result) => {
    expect(projected(wanted, live)).toEqual(result);
  });

  it('has the texts of a Secret where the server keeps them', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } };
    const live = projectLive({ ...secret, stringData: { a: 'x' } }, { ...secret, data: { a: 'eA==', b: 'eQ==' } });
    expect(live).toMatchObject({ data: { a: 'eA==' } });
    expect(live).not.toHaveProperty('stringData');
    expect(live).not.toHaveProperty('data.b');
  });
});
