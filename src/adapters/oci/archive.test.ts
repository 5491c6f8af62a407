import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Entry, tarOf, tgzOf } from '../../../test/build/archives.ts';
import { type ArchiveContent, type ReadLimits, readArchive } from './archive.ts';

const LIMITS: ReadLimits = { unpackedBytes: 1024 * 1024, entries: 100, wantedBytes: 64 * 1024 };

function read(archive: Buffer, wants: (path: string) => boolean = () => true): Promise<ArchiveContent> {
  return readArchive(Readable.from([archive]), { limits: LIMITS, subject: 'chart web', wants });
}

/** A name longer than a plain header holds, as pax and GNU tar write it. */
function longNamed(type: 'x' | 'L', name: string, content: string): Buffer {
  const rest = ` path=${name}\n`;
  const digits = Buffer.byteLength(rest) < 97 ? 2 : Buffer.byteLength(rest) < 996 ? 3 : 4;
  const body = type === 'x' ? `${String(Buffer.byteLength(rest) + digits)}${rest}` : `${name}\0`;
  const meta = { path: 'meta', content: body };
  const tar = tarOf([meta, { path: 'short', content }]);
  tar.write(type, 156);
  fixChecksum(tar);
  return gzipSync(tar);
}

describe('an archive is read', () => {
  it('with wanted contents, all paths, and executable bits', async () => {
    const archive = tgzOf([
      { path: './web/', type: 'Directory' },
      { path: './web/a.txt', content: 'a' },
      { path: 'web//run.sh', content: 'b', mode: 0o755 },
      { path: 'web/empty', content: '' },
    ]);
    const content = await read(archive, (path) => path !== 'web/a.txt');
    expect(content.paths).toEqual(['web/a.txt', 'web/run.sh', 'web/empty']);
    expect([...content.files.values()].map((file) => [file.path, file.executable, file.content.toString()])).toEqual([
      ['web/run.sh', true, 'b'],
      ['web/empty', false, ''],
    ]);
  });

  it.each(['x', 'L'] as const)('with long names, written as %s', async (type) => {
    const name = `web/${'n'.repeat(250)}`;
    const content = await read(longNamed(type, name, 'content'));
    expect(content.files.get(name)?.content.toString()).toBe('content');
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
    'with a long name that is cut between two chunks, shifted by %i bytes',
    async (shift) => {
      const name = `web/${'x'.repeat(shift)}${'é€😀'.repeat(100)}`;
      // Unpacked chunks have 16 KiB; the name begins 512 bytes before the end of the first one.
      const filler = tarOf([{ path: 'web/filler', content: 'x'.repeat(16_384 - 4 * 512) }]).subarray(
        0,
        16_384 - 2 * 512,
      );
      const archive = gzipSync(Buffer.concat([filler, gunzipSync(longNamed('x', name, 'content'))]));
      const content = await read(archive);
      expect(content.paths).toEqual(['web/filler', name]);
    },
  );

  it('whatever the sizes of its files and of the chunks it arrives in', async () => {
    const sizes = fc.array(fc.nat(3000), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 5000 }), async (lengths, step) => {
        const entries = lengths.map((size, index) => ({ path: `f${String(index)}`, content: 'x'.repeat(size) }));
        const archive = tgzOf(entries);
        const chunks = Array.from({ length: Math.ceil(archive.length / step) }, (_, index) =>
          archive.subarray(index * step, (index + 1) * step),
        );
        const options = { limits: LIMITS, subject: 'chart', wants: () => true };
        const content = await readArchive(Readable.from(chunks), options);
        expect([...content.files.values()].map((file) => file.content.length)).toEqual(lengths);
      }),
      { numRuns: 50 },
    );
  });
});

describe('an archive is refused', () => {
  const UNSAFE: readonly (readonly [string, Entry])[] = [
    ['a path that climbs out', { path: '../evil' }],
    ['a path that climbs out in the middle', { path: 'web/../../evil' }],
    ['an absolute path', { path: '/etc/passwd' }],
    ['a path with a drive letter', { path: 'C:/evil' }],
    ['a path with backslashes', { path: 'web\\..\\evil' }],
    ['a path with a line break', { path: 'web/a\nb' }],
    ['a folder that climbs out', { path: '../evil/', type: 'Directory' }],
    ['a symbolic link', { path: 'web/link', type: 'SymbolicLink', linkpath: 'values.yaml' }],
    ['a symbolic link outside', { path: 'web/link', type: 'SymbolicLink', linkpath: '/etc/passwd' }],
    ['a hard link', { path: 'web/link', type: 'Link', linkpath: 'web/values.yaml' }],
    ['a character device', { path: 'web/null', type: 'CharacterDevice' }],
    ['a block device', { path: 'web/disk', type: 'BlockDevice' }],
    ['a pipe', { path: 'web/pipe', type: 'FIFO' }],
  ];
  it.each(UNSAFE)('for %s, wanted or not', async (_, entry) => {
    const archive = tgzOf([{ path: 'web/Chart.yaml', content: 'a' }, entry]);
    await expect(read(archive)).rejects.toMatchObject({ code: 'ArchiveUnsafe' });
    await expect(read(archive, () => false)).rejects.toMatchObject({ code: 'ArchiveUnsafe' });
  });

  it.each(['x', 'L'] as const)('for a NUL in a long name, written as %s', async (type) => {
    await expect(read(longNamed(type, 'web/a\0b', 'c'))).rejects.toMatchObject({ code: 'ArchiveUnsafe' });
  });

  it('for a long name that readers would understand differently', async () => {
    await expect(read(longNamed('x', 'web/a\nb', 'c'))).rejects.toMatchObject({ code: 'ArchiveInvalid' });
  });

  const INVALID: readonly (readonly [string, readonly Entry[]])[] = [
    ['holds a file twice', [{ path: 'web/a' }, { path: './web/a' }]],
    ['holds a file and a folder of one name', [{ path: 'web/a' }, { path: 'web/a/', type: 'Directory' }]],
    ['holds a file below a file', [{ path: 'web/a' }, { path: 'web/a/b' }]],
    ['holds a file above another', [{ path: 'web/a/b' }, { path: 'web/a' }]],
    ['holds folders only', [{ path: 'web/', type: 'Directory' }]],
    ['holds nothing', []],
  ];
  it.each(INVALID)('when it %s', async (_, entries) => {
    await expect(read(tgzOf(entries))).rejects.toMatchObject({ code: 'ArchiveInvalid' });
  });

  const tar = tarOf([{ path: 'web/a', content: 'x'.repeat(2000) }]);
  const archive = gzipSync(tar);
  const negative = Buffer.from(tar);
  negative.fill(0xff, 124, 136);
  fixChecksum(negative);
  const unknown = Buffer.from(tar);
  unknown.write('Q', 156);
  fixChecksum(unknown);
  const BROKEN: readonly (readonly [string, Buffer])[] = [
    ['that is empty', Buffer.alloc(0)],
    ['that is no gzip', Buffer.from('<html>not found</html>')],
    ['that is gzip of something else', gzipSync(Buffer.alloc(2048, 'text'))],
    ['whose gzip is cut off', archive.subarray(0, archive.length - 12)],
    ['whose gzip has a wrong checksum', Buffer.concat([archive.subarray(0, -8), Buffer.alloc(8)])],
    ['whose tar is cut off in a file', gzipSync(tar.subarray(0, 1024))],
    [
      'whose tar is cut off in a header',
      gzipSync(Buffer.concat([tar.subarray(0, tar.length - 1024), tar.subarray(0, 300)])),
    ],
    ['whose header has a wrong checksum', gzipSync(Buffer.concat([Buffer.from('X'), tar.subarray(1)]))],
    ['that is packed twice', gzipSync(Buffer.concat([archive, Buffer.alloc(512 - (archive.length % 512))]))],
    ['with a negative size', gzipSync(negative)],
    ['with an entry of unknown kind', gzipSync(unknown)],
  ];
  it.each(BROKEN)('%s', async (_, broken) => {
    await expect(read(broken)).rejects.toMatchObject({ code: 'ArchiveInvalid' });
  });

  const many = Array.from({ length: 101 }, (_, index) => ({ path: `web/${String(index)}` }));
  const LARGE: readonly (readonly [string, Buffer])[] = [
    ['a bomb of zeros in a file', tgzOf([{ path: 'web/a', content: Buffer.alloc(2 * 1024 * 1024) }])],
    ['a bomb of zeros behind the end', gzipSync(Buffer.concat([tar, Buffer.alloc(2 * 1024 * 1024)]))],
    ['too many entries', tgzOf(many)],
    ['too much that would be kept in memory', tgzOf([{ path: 'web/a', content: Buffer.alloc(65 * 1024) }])],
  ];
  it.each(LARGE)('for %s', async (_, large) => {
    await expect(read(large)).rejects.toMatchObject({ code: 'ArchiveTooLarge' });
  });

  it('never for what lies behind its end, which costs nothing either', async () => {
    const padded = gzipSync(Buffer.concat([tar, Buffer.alloc(64 * 1024 * 1024)]));
    const limits = { ...LIMITS, unpackedBytes: 100 * 1024 * 1024 };
    const content = await readArchive(Readable.from([padded]), { limits, subject: 'chart', wants: () => false });
    expect(content.paths).toEqual(['web/a']);
  });

  it('never crashes and never hangs on damaged bytes', async () => {
    const damage = fc.array(fc.record({ at: fc.nat(tar.length - 1), byte: fc.nat(255) }), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(damage, async (changes) => {
        const damaged = Buffer.from(tar);
        for (const { at, byte } of changes) damaged[at] = byte;
        const outcome = await read(gzipSync(damaged)).catch((error: unknown) => error);
        expect(outcome).toSatisfy((value: object) => 'files' in value || 'code' in value);
      }),
      { numRuns: 300 },
    );
  });
});

function fixChecksum(tar: Buffer): void {
  tar.fill(0x20, 148, 156);
  const sum = tar.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
}
