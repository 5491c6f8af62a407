import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
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
  const signal = options.signal === undefined ? {} : { signal: options.signal };
  try {
    await pipeline(source, createGunzip(), (chunks: AsyncIterable<Buffer>) => reading.consume(chunks), signal);
    return reading.finish();
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof KubepkgError) throw error;
    throw invalid(options.subject, error instanceof Error ? error.message : String(error), error);
  }
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
    this.#parser.on('eof', () => {
      this.#ended = true;
    });
    this.#parser.on('error', (error: Error) => {
      this.#failure ??= error;
    });
  }

  async consume(chunks: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of chunks) {
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
    if (!Number.isSafeInteger(entry.size) || entry.size < 0) throw invalid(subject, `${entry.path} has no valid size`);
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

function invalid(subject: string, problem: string, cause?: unknown): KubepkgError {
  return new KubepkgError('ArchiveInvalid', `${subject}: the archive cannot be used: ${problem}`, {
    hint: 'pack and publish it again',
    cause,
  });
}
