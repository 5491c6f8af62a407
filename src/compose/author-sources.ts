import { createReadStream } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type ArchiveFile, readArchive } from '../adapters/oci/archive.ts';
import { downloadBody, readSmallBody } from '../adapters/oci/body.ts';
import type { CachedFile } from '../adapters/oci/disk-cache.ts';
import { CHART_LIMITS, MANIFEST_LIMIT, TREE_LIMITS } from '../adapters/oci/limits.ts';
import { refuseStatus } from '../adapters/oci/status.ts';
import type { HttpRequest } from '../adapters/oci/transport.ts';
import { filesOf } from '../adapters/oci/tree-files.ts';
import { KubepkgError } from '../api/errors.ts';
import type { RecipeSource } from '../api/recipe.ts';
import type { Workshop } from './author-workshop.ts';

/** Files by their path. */
export type Files = ReadonlyMap<string, ArchiveFile>;

/** What a source of a recipe turned out to be. */
export type Material =
  | { readonly kind: 'chart'; readonly files: Files }
  | { readonly kind: 'manifests'; readonly files: Files };

const ARCHIVE = /\.(tar\.gz|tgz)$/;
const MANIFEST = /\.(ya?ml|json)$/;

/** Reads one source; everything that comes from outside is checked against its digest. */
export async function readSource(
  name: string,
  source: RecipeSource,
  { directory, workshop }: { readonly directory: string; readonly workshop: Workshop },
): Promise<Material> {
  const field = `spec.sources.${name}`;
  const { chart, dir, url, sha256 } = source;
  if (chart !== undefined) {
    const { path } = await workshop.artifacts.fetch({ kind: 'chart', ...chart });
    return { kind: 'chart', files: below(await readPacked(path, `source ${name}`), '') };
  }
  if (dir !== undefined) return materialOf(await readFolder(directory, dir, `${field}.dir`), field);
  if (url === undefined || sha256 === undefined) {
    throw new KubepkgError('Unsupported', `${field}: kubepkg runs no programs of others`, {
      hint: 'keep what the program makes beside the recipe, and name it by dir',
    });
  }
  const { path } = await download(url, `sha256:${sha256}`, workshop);
  const file = basename(new URL(url).pathname);
  if (ARCHIVE.test(file)) return materialOf(select(await readPacked(path, url), source.path, field), field);
  if (source.path !== undefined) {
    throw new KubepkgError('InvalidInput', `${field}.path is for archives, and ${url} is none`, {
      hint: 'leave path out',
    });
  }
  const content = await readFile(path);
  return { kind: 'manifests', files: new Map([[file, { path: file, executable: false, content }]]) };
}

/** The files of a folder beside the recipe. What leads out of the recipe's own folder is refused, by links too. */
export async function readFolder(directory: string, dir: string, field: string): Promise<Files> {
  const folder = await folderInside(directory, dir, field);
  const files = new Map<string, ArchiveFile>();
  for await (const file of filesOf(folder)) files.set(file.path, file);
  return files;
}

async function folderInside(directory: string, dir: string, field: string): Promise<string> {
  const root = await realpath(directory);
  if (isAbsolute(dir) || isOutside(root, resolve(root, dir))) throw leadsOutside(field, dir);
  const folder = await realpath(join(root, dir)).catch(() => undefined);
  if (folder === undefined) {
    throw new KubepkgError('InvalidInput', `${field}: there is no folder ${dir} beside the recipe`, {
      hint: 'name a folder below that of recipe.yaml',
    });
  }
  if (isOutside(root, folder)) throw leadsOutside(field, dir);
  return folder;
}

function isOutside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}

function leadsOutside(field: string, dir: string): KubepkgError {
  return new KubepkgError('InvalidInput', `${field}: ${dir} leads out of the folder of the recipe`, {
    hint: 'copy what is needed into the folder of the recipe',
  });
}

async function readPacked(path: string, subject: string): Promise<Files> {
  const limits = { ...TREE_LIMITS, wantedBytes: CHART_LIMITS.wantedBytes };
  return (await readArchive(createReadStream(path), { limits, subject, wants: () => true })).files;
}

/** What is in the one folder that an archive holds; everything, where it holds more. */
function below(files: Files, folder: string): Files {
  const start = folder === '' ? commonRoot(files) : `${folder}/`;
  const inside = [...files.values()].filter(({ path }) => path.startsWith(start));
  return new Map(
    inside.map((file) => [file.path.slice(start.length), { ...file, path: file.path.slice(start.length) }]),
  );
}

function commonRoot(files: Files): string {
  const roots = new Set([...files.keys()].map((path) => path.slice(0, path.indexOf('/') + 1)));
  const [root = ''] = roots;
  return roots.size === 1 ? root : '';
}

function select(files: Files, path: string | undefined, field: string): Files {
  if (path === undefined) return files.has('Chart.yaml') ? files : below(files, '');
  const wanted = path.replace(/^\.\/|\/$/g, '');
  const file = files.get(wanted);
  if (file !== undefined) return new Map([[basename(wanted), { ...file, path: basename(wanted) }]]);
  const inside = below(files, wanted);
  if (inside.size > 0) return inside;
  throw new KubepkgError('InvalidInput', `${field}.path: there is no ${path} in the archive`, {
    hint: `it holds ${[...files.keys()].slice(0, 5).join(', ')}`,
  });
}

function materialOf(files: Files, field: string): Material {
  if (files.has('Chart.yaml')) return { kind: 'chart', files };
  const manifests = [...files].filter(([path]) => MANIFEST.test(path));
  if (manifests.length > 0) return { kind: 'manifests', files: new Map(manifests.toSorted(byPath)) };
  throw new KubepkgError('InvalidInput', `${field}: it holds neither a Chart.yaml nor manifests (.yaml, .yml, .json)`, {
    hint: 'name the folder of a chart, or one with manifests',
  });
}

export function byPath([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** By the digest of what it is expected to be; undefined: whatever it is. */
export async function download(url: string, digest: string | undefined, workshop: Workshop): Promise<CachedFile> {
  const known = digest === undefined ? undefined : await workshop.cache.find('trees', digest);
  if (known !== undefined) return known;
  const address = new URL(url);
  if (address.username !== '' || address.password !== '') {
    throw new KubepkgError('ReferenceInvalid', 'the address of a source has credentials in it', {
      hint: 'put them into the registry credentials file, under the host name',
    });
  }
  const subject = `${address.origin}${address.pathname}`;
  const request: HttpRequest = { method: 'GET', url: address, subject };
  return workshop.cache.store('trees', async (path) => {
    const access = { host: address.host, repository: '', actions: 'pull' } as const;
    const response = await workshop.client.authorizer.send(request, access);
    if (response.status !== 200) {
      throw refuseStatus(response, request, await readSmallBody(response, request, MANIFEST_LIMIT));
    }
    const got = await downloadBody(response, request, { path, limit: TREE_LIMITS.compressedBytes });
    if (digest === undefined || got.digest === digest) return got;
    throw new KubepkgError('DigestMismatch', `${subject}: it is ${got.digest}, not ${digest}`, {
      hint: 'what was published was replaced: look at what changed, then change sha256 in the recipe',
    });
  });
}
