import { describe, expect, it } from 'vitest';
import { isSecretName, maskObject, maskSides, maskValues } from './mask.ts';

describe('a name that may stand for a secret', () => {
  it.each([
    'password',
    'dbPassword',
    'PASSWD',
    'clientSecret',
    'apiKey',
    'api_key',
    'authToken',
    'privateKey',
    'credentials',
  ])('%s does', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each([
    'color',
    'secretName',
    'existingSecret',
    'tokenTTL',
    'passwordFile',
    'key',
    'imagePullSecretRefs',
    'createSecret',
  ])('%s does not', (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});

describe('values that are shown', () => {
  it('are those that the Package says itself, unless names or addresses tell a secret', () => {
    const values = {
      color: 'red',
      db: { password: 'x', host: 'db', url: 'postgres://app:pw@db/shop' },
      users: [{ name: 'a', token: 't' }],
      tls: { secret: { a: 'b', on: true } },
    };
    expect(maskValues(values, values)).toEqual({
      color: 'red',
      db: { password: '(hidden)', host: 'db', url: '(hidden)' },
      users: [{ name: 'a', token: '(hidden)' }],
      tls: { secret: { a: '(hidden)', on: '(hidden)' } },
    });
  });

  it('are hidden where the Package says another one', () => {
    const values = { a: 'x', b: { c: 1, d: 2 }, list: [1, 2], same: [1], deep: { e: 'x' } };
    const said = { a: 'y', b: { c: 1, d: 3 }, list: [1], same: [1], deep: 'x' };
    expect(maskValues(values, said)).toEqual({
      a: '(hidden)',
      b: { c: 1, d: '(hidden)' },
      list: '(hidden)',
      same: [1],
      deep: { e: '(hidden)' },
    });
  });

  it('keep their places where they are hidden, and what is empty', () => {
    expect(maskValues({ a: { b: 1, c: [] }, d: '' }, {})).toEqual({ a: { b: '(hidden)', c: [] }, d: '' });
  });

  it('say where hidden ones differ, and only there', () => {
    const said = { password: 'x', list: [{ token: 'b' }] };
    const before = { password: 'one', same: 'x', list: [{ token: 'a' }], gone: 'y' };
    const after = { password: 'two', same: 'x', list: [{ token: 'b' }] };
    expect(maskSides(before, after, said)).toEqual({
      before: {
        password: '(hidden, before)',
        same: '(hidden)',
        list: '(hidden, before)',
        gone: '(hidden, before)',
      },
      after: { password: '(hidden, after)', same: '(hidden)', list: [{ token: '(hidden, after)' }] },
    });
  });
});

describe('an object that is shown', () => {
  it('has of a Secret the keys alone', () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"a":"eA=="}}', other: 'x' };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', annotations }, data: { a: 'eA==' } };
    expect(JSON.stringify(maskObject(secret, []))).not.toContain('eA==');
    expect(maskObject(secret, [])).toMatchObject({
      data: { a: '(hidden)' },
      metadata: { annotations: { other: 'x' } },
    });
  });

  it('has no text that is named like a secret, and none that a Secret holds', () => {
    const data = { password: 'x', greeting: 'I am hunter22', url: 'http://me:pw@host', secretName: 'tls' };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hunter22' }, data };
    expect(maskObject(object, ['hunter22'])).toEqual({
      ...object,
      data: { password: '(hidden)', greeting: 'I am (hidden)', url: 'http://(hidden)@host', secretName: 'tls' },
    });
  });

  it('is as it is in everything that only has such a name', () => {
    const env = [{ name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }];
    const properties = { password: { type: 'string' } };
    const spec = { env, properties, secret: { secretName: 'x' }, automountServiceAccountToken: false };
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 's' }, spec };
    expect(maskObject(object, [])).toEqual(object);
  });
});
