import { inflateRawSync } from 'node:zlib';

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;

export interface ZipEntry {
  readonly name: string;
  readonly read: () => Buffer;
}

/** Lists the files of a zip archive. Enough for ordinary archives below 4 GB, which is all that is needed here. */
export function readZip(archive: Buffer): readonly ZipEntry[] {
  const end = findEnd(archive);
  const count = archive.readUInt16LE(end + 10);
  const entries: ZipEntry[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    if (archive.readUInt32LE(at) !== DIRECTORY_ENTRY) throw new Error('The zip archive has a damaged directory.');
    entries.push(entryAt(archive, at));
    at += 46 + archive.readUInt16LE(at + 28) + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return entries;
}

function findEnd(archive: Buffer): number {
  // The record is last, but a comment of up to 64 KiB may follow it.
  const lowest = Math.max(0, archive.length - 22 - 0xffff);
  for (let at = archive.length - 22; at >= lowest; at -= 1) {
    if (archive.readUInt32LE(at) === END_OF_DIRECTORY) return at;
  }
  throw new Error('This is not a zip archive, or it is cut short.');
}

function entryAt(archive: Buffer, at: number): ZipEntry {
  const method = archive.readUInt16LE(at + 10);
  const packedSize = archive.readUInt32LE(at + 20);
  const size = archive.readUInt32LE(at + 24);
  const header = archive.readUInt32LE(at + 42);
  const name = archive.toString('utf8', at + 46, at + 46 + archive.readUInt16LE(at + 28));
  return { name, read: () => unpack(packedAt(archive, header, packedSize), { name, method, size }) };
}

function packedAt(archive: Buffer, header: number, packedSize: number): Buffer {
  if (archive.readUInt32LE(header) !== LOCAL_HEADER) throw new Error('The zip archive has a damaged file header.');
  // Lengths here may differ from those in the directory, so they are read again.
  const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  return archive.subarray(start, start + packedSize);
}

function unpack(packed: Buffer, entry: { name: string; method: number; size: number }): Buffer {
  if (entry.method !== STORED && entry.method !== DEFLATED) {
    throw new Error(`${entry.name} in the zip archive is packed in an unknown way (${String(entry.method)}).`);
  }
  const content = entry.method === STORED ? packed : inflateRawSync(packed, { maxOutputLength: entry.size });
  if (content.length !== entry.size) throw new Error(`${entry.name} in the zip archive is cut short.`);
  return content;
}
