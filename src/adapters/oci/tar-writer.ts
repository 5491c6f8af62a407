import type { ArchiveFile } from './archive.ts';

const BLOCK = 512;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;

/** A tar whose bytes depend on paths, contents and executable bits only, in the order given. */
export async function* tar(files: AsyncIterable<ArchiveFile> | Iterable<ArchiveFile>): AsyncGenerator<Buffer> {
  for await (const file of files) {
    const mode = file.executable ? 0o755 : 0o644;
    yield* headersOf(file.path, { mode, size: file.content.length });
    yield file.content;
    yield padding(file.content.length);
  }
  yield Buffer.alloc(2 * BLOCK);
}

function* headersOf(path: string, entry: { mode: number; size: number }): Generator<Buffer> {
  const split = splitPath(path);
  if (split === undefined) {
    const record = paxRecord('path', path);
    yield header({ name: 'PaxHeader', prefix: '' }, { mode: 0o644, size: record.length, type: 'x' });
    yield record;
    yield padding(record.length);
  }
  yield header(split ?? { name: 'long-path', prefix: '' }, { ...entry, type: '0' });
}

interface SplitPath {
  readonly name: string;
  readonly prefix: string;
}

/** As ustar holds a path: all in the name, or cut at a slash; undefined when it fits neither way. */
function splitPath(path: string): SplitPath | undefined {
  if (Buffer.byteLength(path) <= NAME_BYTES) return { name: path, prefix: '' };
  for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
    const name = path.slice(slash + 1);
    const prefix = path.slice(0, slash);
    if (Buffer.byteLength(prefix) > PREFIX_BYTES) return undefined;
    if (Buffer.byteLength(name) <= NAME_BYTES) return { name, prefix };
  }
  return undefined;
}

/** `length key=value`, where the length counts its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest);
  while (length !== Buffer.byteLength(rest) + String(length).length) {
    length = Buffer.byteLength(rest) + String(length).length;
  }
  return Buffer.from(`${String(length)}${rest}`);
}

function header(path: SplitPath, entry: { mode: number; size: number; type: string }): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(path.name, 0);
  block.write(octal(entry.mode, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(entry.size, 11), 124);
  block.write(octal(0, 11), 136);
  block.write(' '.repeat(8), 148);
  block.write(entry.type, 156);
  block.write('ustar\x0000', 257, 'latin1');
  block.write(path.prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}
