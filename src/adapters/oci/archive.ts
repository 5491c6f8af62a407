import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { KubepkgError } from '../../api/errors.ts';
import { safePath } from './archive-path.ts';

export interface ArchiveFile {
  /** Relative, with `/`, without `.` or `..`. */
  readonly path: string;
  readonly executable: boolean;
  readonly content: Buffer;
}

export interface ReadLimits {
  readonly unpackedBytes: number;
  readonly entries: number;
  /** Of all wanted files together, which are held in memory. */
  readonly wantedBytes: number;
}

export interface ReadOptions {
  readonly limits: ReadLimits;
  /** What the archive is, in words for messages. */
  readonly subject: string;
  /** Whether the content of a file is needed; that of others is checked and dropped. */
  readonly wants: (path: string) => boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface ArchiveContent {
  /** Wanted files, by path. */
  readonly files: ReadonlyMap<string, ArchiveFile>;
  /** Paths of all files, in the order of the archive. */
  readonly paths: readonly string[];
  readonly unpackedBytes: number;
}

/** Reads a .tar.gz without unpacking it to the disk; refuses whatever is unsafe, broken or too large, wanted or not. */
export async function readArchive(source: Readable, options: ReadOptions): Promise<ArchiveContent> {
  const reading = new ArchiveReading(options);
  try {
    await reading.consume(wholeCharacters(unpacked(source)));
    return reading.finish();
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof KubepkgError) throw error;
    throw invalid(options.subject, error instanceof Error ? error.message : String(error), error);
  }
}

async function* unpacked(source: Readable): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  source.once('error', (error) => gunzip.destroy(error));
  try {
    yield* source.pipe(gunzip) as AsyncIterable<Buffer>;
  } finally {
    source.destroy();
  }
}

/** The parser reads names chunk by chunk as text, so no character may be cut in two. */
async function* wholeCharacters(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const joined = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const cut = joined.length - incompleteBytes(joined);
    held = joined.subarray(cut);
    if (cut > 0) yield joined.subarray(0, cut);
  }
  if (held.length > 0) yield held;
}

/** How many bytes at the end are the beginning of an UTF-8 character. */
function incompleteBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes.readUInt8(bytes.length - back);
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

const FILE_TYPES: readonly string[] = ['File', 'OldFile', 'ContiguousFile'];
const LINK_TYPES: readonly string[] = ['SymbolicLink', 'Link'];
/** First byte of a gzip header, and of no path: the parser would silently unpack what was packed twice. */
const GZIP_BYTE = 0x1f;

class ArchiveReading {
  readonly #options: ReadOptions;
  readonly #parser = new Parser({ strict: true, zstd: false });
  readonly #files = new Map<string, ArchiveFile>();
  readonly #kinds = new Map<string, 'file' | 'directory'>();
  #unpackedBytes = 0;
  #wantedBytes = 0;
  #entries = 0;
  #ended = false;
  #failure: Error | undefined;

  constructor(options: ReadOptions) {
    this.#options = options;
    this.#parser.on('entry', (entry: ReadEntry) => {
      this.#take(entry);
    });
    this.#parser.on('ignoredEntry', (entry: ReadEntry) => {
      throw invalid(options.subject, `${JSON.stringify(entry.path)} is of a kind that is not supported`);
    });
    this.#parser.on('meta', (meta: string) => {
      checkMeta(meta, options.subject);
    });
    this.#parser.on('eof', () => {
      this.#ended = true;
    });
    this.#parser.on('error', (error: Error) => {
      this.#failure ??= error;
    });
  }

  async consume(chunks: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of chunks) {
      this.#options.signal?.throwIfAborted();
      if (this.#unpackedBytes === 0 && chunk[0] === GZIP_BYTE)
        throw invalid(this.#options.subject, 'it is packed twice');
      this.#unpackedBytes += chunk.length;
      this.#checkLimit('unpackedBytes', this.#unpackedBytes);
      // Behind the end the parser would only pile up what is left.
      if (!this.#ended) this.#parser.write(chunk);
      if (this.#failure !== undefined) throw this.#failure;
    }
    this.#parser.end();
    if (this.#failure !== undefined) throw this.#failure;
  }

  finish(): ArchiveContent {
    const paths = [...this.#kinds].filter(([, kind]) => kind === 'file').map(([path]) => path);
    if (this.#unpackedBytes % 512 !== 0) throw invalid(this.#options.subject, 'it is truncated');
    if (paths.length === 0) throw invalid(this.#options.subject, 'it holds no files');
    return { files: this.#files, paths, unpackedBytes: this.#unpackedBytes };
  }

  #take(entry: ReadEntry): void {
    const { subject, wants } = this.#options;
    this.#entries += 1;
    this.#checkLimit('entries', this.#entries);
    const path = safePath(entry.path, subject);
    this.#note(path, this.#kindOf(entry, path));
    if (entry.type === 'Directory' || !wants(path)) {
      entry.resume();
      return;
    }
    this.#wantedBytes += entry.size;
    this.#checkLimit('wantedBytes', this.#wantedBytes);
    const chunks: Buffer[] = [];
    entry.on('data', (chunk: Buffer) => chunks.push(chunk));
    entry.on('end', () => {
      const executable = ((entry.mode ?? 0) & 0o100) !== 0;
      this.#files.set(path, { path, executable, content: Buffer.concat(chunks) });
    });
  }

  #kindOf(entry: ReadEntry, path: string): 'file' | 'directory' {
    const { subject } = this.#options;
    if (entry.type === 'Directory') return 'directory';
    if (FILE_TYPES.includes(entry.type) && path !== '') return 'file';
    const what = LINK_TYPES.includes(entry.type) ? `a link to ${JSON.stringify(entry.linkpath ?? '')}` : entry.type;
    throw new KubepkgError('ArchiveUnsafe', `${subject}: ${JSON.stringify(path)} is ${what}`, {
      hint: 'pack it again with plain files only: links, devices and pipes are not followed',
    });
  }

  /** A path may come once, and nothing may lie below a file. */
  #note(path: string, kind: 'file' | 'directory'): void {
    const { subject } = this.#options;
    const known = this.#kinds.get(path);
    if (known !== undefined && (known === 'file' || kind === 'file')) throw invalid(subject, `${path} is in it twice`);
    this.#kinds.set(path, kind);
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const parent = path.slice(0, slash);
      if (this.#kinds.get(parent) === 'file') throw invalid(subject, `${parent} is both a file and a folder`);
      this.#kinds.set(parent, 'directory');
    }
  }

  #checkLimit(limit: keyof ReadLimits, value: number): void {
    const most = this.#options.limits[limit];
    if (value <= most) return;
    const what = limit === 'entries' ? `${String(most)} entries` : `${String(most / 1024 / 1024)} MiB unpacked`;
    throw new KubepkgError('ArchiveTooLarge', `${this.#options.subject}: it holds more than ${what}`, {
      hint: 'make the artifact smaller: large files do not belong into charts',
    });
  }
}

const PAX_RECORD = /^(\d+) [^=]+=/;

/** Names and attributes beside a header: what the parser would skip or cut, another one may take for the name. */
function checkMeta(meta: string, subject: string): void {
  const text = meta.replace(/\0+$/, '');
  if (text.includes('\0')) {
    throw new KubepkgError('ArchiveUnsafe', `${subject}: a path in it has a NUL`, { hint: 'do not use this archive' });
  }
  if (!PAX_RECORD.test(text)) return;
  const records = text.replace(/\n$/, '').split('\n');
  const isWhole = (record: string): boolean => Number(PAX_RECORD.exec(record)?.[1]) === Buffer.byteLength(record) + 1;
  if (!records.every(isWhole)) throw invalid(subject, 'it has attributes that are malformed');
}

function invalid(subject: string, problem: string, cause?: unknown): KubepkgError {
  return new KubepkgError('ArchiveInvalid', `${subject}: the archive cannot be used: ${problem}`, {
    hint: 'pack and publish it again',
    cause,
  });
}
