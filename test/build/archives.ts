import { gzipSync } from 'node:zlib';
import { Header } from 'tar';

export interface Entry {
  readonly path: string;
  readonly content?: string | Buffer;
  readonly type?: 'File' | 'Directory' | 'SymbolicLink' | 'Link' | 'CharacterDevice' | 'BlockDevice' | 'FIFO';
  readonly linkpath?: string;
  readonly mode?: number;
}

/** A tar of entries exactly as they are given, however hostile. */
export function tarOf(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(({ path, content = '', type = 'File', linkpath = '', mode = 0o644 }) => {
    const bytes = Buffer.from(content);
    const block = Buffer.alloc(512);
    const header = new Header({ path, mode, type, linkpath, size: bytes.length, uid: 0, gid: 0, mtime: new Date(0) });
    if (header.encode(block, 0)) throw new Error(`${path} does not fit into a plain header`);
    return [block, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

export function tgzOf(entries: readonly Entry[]): Buffer {
  return gzipSync(tarOf(entries));
}

/** Files by path, as entries. */
export function entriesOf(files: Readonly<Record<string, string>>): readonly Entry[] {
  return Object.entries(files).map(([path, content]) => ({ path, content }));
}

export interface ChartShape {
  readonly name?: string;
  readonly version?: string;
  /** Further files by their path in the chart. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Files of a chart by their path in its folder. */
export function chartFiles(shape: ChartShape = {}): Readonly<Record<string, string>> {
  const { name = 'web', version = '1.2.3', files = {} } = shape;
  return {
    'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: ${version}\n`,
    'values.yaml': 'replicas: 1\n',
    'templates/config.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n',
    ...files,
  };
}

/** The archive of a chart, as `helm package` would make it. */
export function chartArchive(shape: ChartShape = {}): Buffer {
  const { name = 'web' } = shape;
  return tgzOf(Object.entries(chartFiles(shape)).map(([path, content]) => ({ path: `${name}/${path}`, content })));
}
