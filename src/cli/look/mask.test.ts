import { describe, expect, it } from 'vitest';
import { isSecretName, maskSecret, maskSides, maskValues } from './mask.ts';

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

  it('keep their places where they are hidden, and what is empty', () => {
    expect(maskValues({ a: { b: 1, c: [] }, d: '' }, {})).toEqual({ a: { b: '(hidden)', c: [] }, d: '' });
  });

  it('say where hidden ones differ, and only there', () => {
    const said = { password: 'x', list: [{ token: 'x' }] };
    const before = { password: 'one', same: 'x', list: [{ token: 'a' }], gone: 'y' };
    const after = { password: 'two', same: 'x', list: [{ token: 'b' }] };
    expect(maskSides(before, after, said)).toEqual({
      before: {
        password: '(hidden, before)',
        same: '(hidden)',
        list: [{ token: '(hidden, before)' }],
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
    expect(JSON.stringify(maskSecret(secret))).not.toContain('eA==');
    expect(maskSecret(secret)).toMatchObject({ data: { a: '(hidden)' }, metadata: { annotations: { other: 'x' } } });
  });

  it('is everything else as it is', () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 's' }, data: { password: 'x' } };
    expect(maskSecret(object)).toBe(object);
  });
});
