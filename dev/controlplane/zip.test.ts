import { describe, expect, it } from 'vitest';
import { readZip } from './zip.ts';

/** Made by Info-ZIP: a stored and a deflated file, and a comment behind the directory. */
const ARCHIVE = Buffer.from(
  'UEsDBAoAAAAAAEemfV21Aa8PCwAAAAsAAAAKABwAc3RvcmVkLnR4dFVUCQADBpAMawaQDGt1eAsAAQQAAAAABAAAAABzdG9yZWQgdGV4dFBLAwQUAAIACABHpn1dGQ04DRcAAABMBAAAEAAcAGRpci9kZWZsYXRlZC50eHRVVAkAAwaQDGsGkAxrdXgLAAEEAAAAAAQAAAAAS0lNy0ksSVXITeVKGWWOMkeZo0xymQBQSwECHgMKAAAAAABHpn1dtQGvDwsAAAALAAAACgAYAAAAAAAAAAAApIEAAAAAc3RvcmVkLnR4dFVUBQADBpAMa3V4CwABBAAAAAAEAAAAAFBLAQIeAxQAAgAIAEemfV0ZDTgNFwAAAEwEAAAQABgAAAAAAAEAAACkgU8AAABkaXIvZGVmbGF0ZWQudHh0VVQFAAMGkAxrdXgLAAEEAAAAAAQAAAAAUEsFBgAAAAACAAIApgAAALAAAAAXAGEgY29tbWVudCBhZnRlciB0aGUgZW5k',
  'base64',
);

describe('a zip archive', () => {
  it('lists its files by name', () => {
    expect(readZip(ARCHIVE).map(({ name }) => name)).toEqual(['stored.txt', 'dir/deflated.txt']);
  });

  it('gives back stored and deflated files', () => {
    const [stored, deflated] = readZip(ARCHIVE).map((entry) => entry.read().toString());
    expect(stored).toBe('stored text');
    expect(deflated).toBe('deflate me\n'.repeat(100));
  });

  it.each([
    ['that is none', Buffer.from('something else entirely, and long enough for a record')],
    ['that is empty', Buffer.alloc(0)],
    ['that is cut short', ARCHIVE.subarray(0, ARCHIVE.length - 60)],
  ])('%s is refused', (_, content) => {
    expect(() => readZip(content)).toThrow(/not a zip archive, or it is cut short/);
  });

  it('with a damaged directory is refused', () => {
    const damaged = Buffer.from(ARCHIVE);
    damaged.write('XX', damaged.indexOf('PK\u0001\u0002'));
    expect(() => readZip(damaged)).toThrow(/damaged directory/);
  });

  it('with a damaged file is refused when the file is read', () => {
    const damaged = Buffer.from(ARCHIVE);
    damaged.fill(0xff, damaged.indexOf('dir/deflated.txt') + 40, damaged.indexOf('dir/deflated.txt') + 50);
    expect(() => readZip(damaged)[1]?.read()).toThrow();
  });
});
