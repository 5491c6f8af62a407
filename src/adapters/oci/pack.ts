import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { KubepkgError } from '../../api/errors.ts';
import type { ArchiveFile } from './archive.ts';
import { onDisk } from './disk.ts';
import { gzip } from './gzip.ts';
import type { ArchiveLimits } from './limits.ts';
import { tar } from './tar-writer.ts';

export interface Packed {
  /** `sha256:…` of the .tar.gz. */
  readonly digest: string;
  /** `sha256:…` of the tar inside. */
  readonly tarDigest: string;
  readonly sizeBytes: number;
  readonly files: number;
}

export interface PackTarget {
  readonly path: string;
  readonly limits: ArchiveLimits;
  /** What is packed, in words for messages. */
  readonly subject: string;
}

/** Writes files, which come sorted by path, as a .tar.gz: the same files give the same bytes everywhere and always. */
export async function pack(
  files: AsyncIterable<ArchiveFile> | Iterable<ArchiveFile>,
  target: PackTarget,
): Promise<Packed> {
  const packed = createHash('sha256');
  const unpacked = createHash('sha256');
  const count = { files: 0, packedBytes: 0, unpackedBytes: 0 };
  const file = await onDisk(target.path, () => open(target.path, 'w'));
  try {
    for await (const chunk of gzip(watched(tar(counted(files))))) {
      packed.update(chunk);
      count.packedBytes += chunk.length;
      checkLimits(count, target);
      await onDisk(target.path, () => file.writeFile(chunk));
    }
  } finally {
    await file.close();
  }
  const digest = `sha256:${packed.digest('hex')}`;
  return { digest, tarDigest: `sha256:${unpacked.digest('hex')}`, sizeBytes: count.packedBytes, files: count.files };

  async function* counted(source: typeof files): AsyncGenerator<ArchiveFile> {
    for await (const one of source) {
      count.files += 1;
      yield one;
    }
  }

  async function* watched(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      unpacked.update(chunk);
      count.unpackedBytes += chunk.length;
      checkLimits(count, target);
      yield chunk;
    }
  }
}

function checkLimits(count: { files: number; packedBytes: number; unpackedBytes: number }, target: PackTarget): void {
  const { compressedBytes, unpackedBytes, entries } = target.limits;
  if (count.files <= entries && count.packedBytes <= compressedBytes && count.unpackedBytes <= unpackedBytes) return;
  const mebibytes = Math.min(compressedBytes, unpackedBytes) / 1024 / 1024;
  const most = `${String(entries)} files, ${String(mebibytes)} MiB`;
  throw new KubepkgError('ArchiveTooLarge', `${target.subject} is larger than the limit of ${most}`, {
    hint: 'leave large files out: they do not belong into charts',
  });
}
