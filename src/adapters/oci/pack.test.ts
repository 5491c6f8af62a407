import { createReadStream } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ArchiveFile, readArchive } from './archive.ts';
import { gzip } from './gzip.ts';
import { CHART_LIMITS } from './limits.ts';
import { type Packed, pack } from './pack.ts';

function file(path: string, content: string, executable = false): ArchiveFile {
  return { path, executable, content: Buffer.from(content) };
}

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'pack-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function packInto(path: string, files: readonly ArchiveFile[], limits = CHART_LIMITS): Promise<Packed> {
  return pack(files, { path, limits, subject: 'chart web' });
}

async function collect(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* cut(data: Buffer, step: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < data.length; at += step) yield await Promise.resolve(data.subarray(at, at + step));
}

describe('gzip', () => {
  it('is written byte for byte as this, on every machine', async () => {
    const packed = await collect(gzip(cut(Buffer.from('abc'), 1)));
    const [header, block, end, crc, size] = [
      '1f8b08000000000000ff',
      '000300fcff616263',
      '010000ffff',
      'c2412435',
      '03',
    ];
    expect(packed.toString('hex')).toBe(`${header}${block}${end}${crc}${size}000000`);
  });

  it('is undone by gunzip, and does not depend on how the bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5000 }), fc.integer({ min: 1, max: 9000 }), async (data, step) => {
        const input = Buffer.from(data);
        const packed = await collect(gzip(cut(input, step)));
        expect(gunzipSync(packed)).toEqual(input);
        expect(packed).toEqual(await collect(gzip(cut(input, 10_000))));
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    [0, 0],
    [1, 1],
    [65_534, 1],
    [65_535, 1],
    [65_536, 2],
    [131_070, 2],
    [1_048_577, 17],
  ])('of %i bytes stores them in blocks: %i', async (length, blocks) => {
    const data = Buffer.from(Array.from({ length }, (_, index) => Math.imul(index + 1, 0x9e37_79b1) >>> 24));
    const packed = await collect(gzip(cut(data, 7777)));
    expect(gunzipSync(packed).equals(data)).toBe(true);
    expect(packed.equals(await collect(gzip(cut(data, 1_000_000))))).toBe(true);
    expect(packed.length).toBe(10 + blocks * 5 + length + 13);
  });
});

describe('a packed archive', () => {
  const files = [file('web/Chart.yaml', 'name: web\nversion: 1.2.3\n'), file('web/run.sh', '#!/bin/sh\n', true)];

  it('has the digest that it had with every earlier version: changing it would change every recorded digest', async () => {
    await inFolder(async (folder) => {
      const packed = await packInto(join(folder, 'a'), files);
      expect(packed).toEqual({
        digest: 'sha256:3bb98aeba668b86c8fa34c4b4626cab8606a9bb92c433ae4ca9a5e1567457507',
        tarDigest: 'sha256:2241fa788ec4030a3e97357b849bd2fb058115e48e44a7e6ec350e8803d73039',
        sizeBytes: 3100,
        files: 2,
      });
    });
  });

  it('is read back as it was', async () => {
    const name = fc.stringMatching(/^[a-z0-9.é-]{1,120}$/).filter((part) => !/^\.{1,2}$/.test(part));
    const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((parts) => `web/${parts.join('/')}/file`);
    const entry = fc.tuple(path, fc.string({ maxLength: 2000 }), fc.boolean());
    await inFolder(async (folder) => {
      const target = join(folder, 'a');
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(entry, { selector: ([key]) => key, minLength: 1, maxLength: 8 }),
          async (rows) => {
            const written = rows.map(([key, content, executable]) => file(key, content, executable));
            await packInto(target, written);
            const options = { limits: CHART_LIMITS, subject: 'chart', wants: () => true };
            const read = await readArchive(createReadStream(target), options);
            expect([...read.files.values()]).toEqual(written);
          },
        ),
        { numRuns: 60 },
      );
    });
  });

  it('says the size that it has', async () => {
    await inFolder(async (folder) => {
      const target = join(folder, 'a');
      const packed = await packInto(target, files);
      expect((await readFile(target)).length).toBe(packed.sizeBytes);
    });
  });

  it.each([
    ['files', { entries: 1 }],
    ['unpacked bytes', { unpackedBytes: 1000 }],
    ['packed bytes', { compressedBytes: 50 }],
  ] as const)('of too many %s is refused', async (_, limit) => {
    await inFolder(async (folder) => {
      const packing = packInto(join(folder, 'a'), files, { ...CHART_LIMITS, ...limit });
      await expect(packing).rejects.toMatchObject({ code: 'ArchiveTooLarge' });
    });
  });

  it('that finds the disk full says so, and may be tried again', async () => {
    await expect(packInto('/dev/full', files)).rejects.toMatchObject({ code: 'DiskFull', class: 'transient' });
  });

  it('that cannot be written names the path', async () => {
    await inFolder(async (folder) => {
      await chmod(folder, 0o500);
      const target = join(folder, 'missing', 'a');
      await expect(packInto(target, files)).rejects.toMatchObject({ code: 'InvalidConfiguration' });
    });
  });
});
