import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gunzipSync } from 'node:zlib';
import { KubepkgError } from '../api/errors.ts';

const BLOCK = 512;
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;
/** Unzipped in less time than the way to another thread takes. */
const SMALL_BYTES = 512 * 1024;
const inBackground = promisify(gunzip);

export interface ArchivedFile {
  readonly path: string;
  readonly content: Buffer;
}

/** The files of a chart archive. Nothing is written anywhere, so no path of it can do harm. */
export async function readChartArchive(path: string): Promise<readonly ArchivedFile[]> {
  return unpack(await readFile(path), path);
}

/** The files of an archive in memory; `name` is for messages. */
export async function unpack(packed: Buffer, name: string): Promise<readonly ArchivedFile[]> {
  try {
    const limits = { maxOutputLength: MAX_UNPACKED_BYTES };
    return [...tarFiles(packed.length < SMALL_BYTES ? gunzipSync(packed, limits) : await inBackground(packed, limits))];
  } catch (error) {
    throw new KubepkgError('ArchiveInvalid', `${name} is no chart archive that can be read`, { cause: error });
  }
}

export function* tarFiles(archive: Buffer): Generator<ArchivedFile> {
  let longName: string | undefined;
  for (let offset = 0; offset + BLOCK <= archive.length && archive[offset] !== 0; ) {
    const header = archive.subarray(offset, offset + BLOCK);
    const size = Number.parseInt(text(header, 124, 12), 8) || 0;
    const content = archive.subarray(offset + BLOCK, offset + BLOCK + size);
    const type = text(header, 156, 1);
    if (type === '' || type === '0') yield { path: longName ?? nameIn(header), content };
    longName = longNameIn(type, content);
    offset += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
}

function nameIn(header: Buffer): string {
  const prefix = text(header, 345, 155);
  const name = text(header, 0, 100);
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** A name too long for its header comes before it: as a PAX record, or in GNU's form. */
function longNameIn(type: string, content: Buffer): string | undefined {
  if (type === 'L') return text(content, 0, content.length);
  return type === 'x' ? /^\d+ path=(.*)$/m.exec(content.toString('utf8'))?.[1] : undefined;
}

function text(bytes: Buffer, start: number, length: number): string {
  const field = bytes.subarray(start, start + length);
  const end = field.indexOf(0);
  return field
    .subarray(0, end < 0 ? field.length : end)
    .toString('utf8')
    .trim();
}
