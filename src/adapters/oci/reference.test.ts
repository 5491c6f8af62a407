import { describe, expect, it } from 'vitest';
import { formatOciReference, ociReferenceOf, parseOciReference } from './reference.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

describe('a reference', () => {
  it.each([
    ['oci://reg.example/shop', { host: 'reg.example', repository: 'shop' }],
    ['reg.example/a/b_c/d__e/f-g.h', { host: 'reg.example', repository: 'a/b_c/d__e/f-g.h' }],
    ['reg.example:5000/shop:1.0', { host: 'reg.example:5000', repository: 'shop', tag: '1.0' }],
    ['oci://[::1]:5000/shop:v1', { host: '[::1]:5000', repository: 'shop', tag: 'v1' }],
    [`reg/shop@${DIGEST}`, { host: 'reg', repository: 'shop', digest: DIGEST }],
    [`reg/shop:1.0@${DIGEST}`, { host: 'reg', repository: 'shop', tag: '1.0', digest: DIGEST }],
    ['reg/shop:1.2.3+up4', { host: 'reg', repository: 'shop', tag: '1.2.3_up4' }],
    ['reg/shop/', { host: 'reg', repository: 'shop' }],
  ])('%s is understood, and written again', (text, expected) => {
    const reference = parseOciReference(text);
    expect(reference).toEqual(expected);
    expect(parseOciReference(formatOciReference(reference))).toEqual(expected);
  });

  it.each([
    '',
    'shop',
    'oci://',
    'oci:///shop',
    'oci://reg/',
    'reg/Shop',
    'reg/a//b',
    'reg/../shop',
    'reg/shop:',
    'reg/shop:a b',
    `reg/shop:${'x'.repeat(129)}`,
    'reg/shop@sha256:abc',
    'reg/shop@md5:abc',
    `reg/shop@${DIGEST}@${DIGEST}`,
    'https://reg/shop',
    'reg:port/shop',
    'reg/shop?x=1',
    'reg /shop',
  ])('%j is refused', (text) => {
    expect(() => parseOciReference(text)).toThrow(expect.objectContaining({ code: 'ReferenceInvalid' }) as Error);
  });

  it.each(['oci://ada:s3cret@reg/shop', 'ada:s3cret@reg/shop'])(
    '%s is refused without repeating the password',
    (text) => {
      const parse = (): unknown => parseOciReference(text);
      expect(parse).toThrow(expect.objectContaining({ code: 'ReferenceInvalid' }) as Error);
      expect(parse).not.toThrow(/s3cret/);
    },
  );

  it('of a chart is its repository, name and tag', () => {
    const ref = { kind: 'chart', repository: 'oci://reg/charts/', name: 'web', version: '1.2.3+up4' } as const;
    expect(formatOciReference(ociReferenceOf(ref))).toBe('oci://reg/charts/web:1.2.3_up4');
  });
});
