import { createReadStream } from 'node:fs';
import { posix } from 'node:path';
import { KubepkgError } from '../../api/errors.ts';
import { isRecord, type JsonObject, mergeValues } from '../../lib/json.ts';
import type { TreeChartRef } from '../../ports/artifacts.ts';
import { type ArchiveContent, type ArchiveFile, readArchive } from './archive.ts';
import { parseChartFile, readMetadata } from './chart-inspection.ts';
import { helmIgnore } from './helm-ignore.ts';
import { TREE_LIMITS } from './limits.ts';

/** Where the parts of a chart are in its tree. */
interface Layout {
  readonly root: string;
  readonly chart: string;
  readonly libraries: readonly { readonly name: string; readonly folder: string }[];
}

/**
 * The files of the chart that a component names in a tree, by their paths in its archive, sorted.
 *
 * What `.helmignore` names is left out. Libraries take the place of `charts/<name>`. Of `valuesFiles` the first
 * replaces values.yaml and the others are merged over it; each is looked for in the chart's folder, then in the folder
 * of all charts, then in the root of the tree.
 */
export async function chartFromTree(
  treePath: string,
  ref: TreeChartRef,
  signal?: AbortSignal,
): Promise<readonly ArchiveFile[]> {
  const subject = `tree ${ref.url}`;
  const layout = layoutOf(ref, subject);
  const valuesPaths = new Set(ref.valuesFiles.flatMap((file) => candidatesFor(file, layout, subject)));
  const folders = [layout.chart, ...layout.libraries.map((library) => library.folder)];
  const wants = (path: string) => valuesPaths.has(path) || folders.some((folder) => isBelow(path, folder));
  const tree = await readArchive(createReadStream(treePath), { limits: TREE_LIMITS, subject, wants, signal });
  return assemble(tree, layout, { ref, subject });
}

function assemble(
  tree: ArchiveContent,
  layout: Layout,
  context: { ref: TreeChartRef; subject: string },
): readonly ArchiveFile[] {
  const { ref, subject } = context;
  const own = chartFolder(tree, layout.chart, subject);
  const chart = new Map(own);
  for (const library of layout.libraries) {
    const below = `charts/${library.name}`;
    for (const path of chart.keys()) {
      if (isBelow(path, below)) chart.delete(path);
    }
    for (const [path, file] of chartFolder(tree, library.folder, subject)) chart.set(`${below}/${path}`, file);
  }
  const values = bakedValues(tree, layout, context);
  if (values !== undefined) chart.set('values.yaml', { path: 'values.yaml', executable: false, content: values });
  const { name } = readMetadata(chart.get('Chart.yaml')?.content, `${subject}: ${ref.path}`);
  const files = [...chart].map(([path, file]) => ({ ...file, path: `${name}/${path}` }));
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The files below a folder, by their paths in it, without what its .helmignore names. */
function chartFolder(tree: ArchiveContent, folder: string, subject: string): ReadonlyMap<string, ArchiveFile> {
  const offset = folder === '' ? 0 : folder.length + 1;
  const below = [...tree.files].filter(([path]) => isBelow(path, folder));
  if (below.length === 0) {
    throw new KubepkgError('TreeInvalid', `${subject}: there is no folder ${folder} in it`, {
      hint: `its top folders are ${topFolders(tree).slice(0, 20).join(', ')}`,
    });
  }
  const files = new Map(below.map(([path, file]) => [path.slice(offset), file]));
  const ignored = ignoreRuleOf(files.get('.helmignore'), `${subject}: ${folder === '' ? 'its root' : folder}`);
  return new Map([...files].filter(([path]) => !ignored(path)));
}

function ignoreRuleOf(file: ArchiveFile | undefined, subject: string): (path: string) => boolean {
  try {
    return helmIgnore(file?.content.toString('utf8') ?? '');
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new KubepkgError('ChartInvalid', `${subject}: .helmignore: ${error.message}`, {
      hint: 'correct the file',
      cause: error,
    });
  }
}

function bakedValues(
  tree: ArchiveContent,
  layout: Layout,
  context: { ref: TreeChartRef; subject: string },
): Buffer | undefined {
  const { ref, subject } = context;
  const found = ref.valuesFiles.map((file) => {
    const path = candidatesFor(file, layout, subject).find((candidate) => tree.files.has(candidate));
    const content = path === undefined ? undefined : tree.files.get(path)?.content;
    if (content !== undefined) return { name: `${subject}: ${file}`, content };
    throw new KubepkgError('TreeInvalid', `${subject}: there is no values file ${file} in it`, {
      hint: `its path counts from ${ref.path}, or from the root of the tree`,
    });
  });
  if (found.length < 2) return found[0]?.content;
  // JSON is YAML, and unlike a YAML writer's its form never changes.
  const merged = found.map(({ name, content }) => valuesIn(content, name)).reduce(mergeValues);
  return Buffer.from(`${JSON.stringify(merged, null, 2)}\n`);
}

function valuesIn(content: Buffer, name: string): JsonObject {
  const values = parseChartFile(content, name) ?? {};
  if (isRecord(values)) return values;
  throw new KubepkgError('ChartInvalid', `${name}: values are a mapping`, { hint: 'correct the file' });
}

function layoutOf(ref: TreeChartRef, subject: string): Layout {
  const root = inTree('', ref.root, subject);
  const libraries = ref.libraries.map(({ name, path }) => {
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) {
      throw new KubepkgError('ReferenceInvalid', `${subject}: library name ${JSON.stringify(name)} is malformed`, {
        hint: 'use letters, digits, ".", "_" and "-"',
      });
    }
    return { name, folder: inTree(root, path, subject) };
  });
  return { root, chart: inTree(root, ref.path, subject), libraries };
}

function candidatesFor(file: string, layout: Layout, subject: string): readonly string[] {
  return [layout.chart, layout.root, ''].flatMap((folder) => {
    const path = posix.join(folder, file);
    return leavesTree(path) && folder !== layout.chart ? [] : [inTree(folder, file, subject)];
  });
}

/** A path inside the tree, without `.` and `..`; empty for its root. */
function inTree(folder: string, path: string, subject: string): string {
  const joined = posix.join(folder, path);
  if (path.startsWith('/') || leavesTree(joined)) {
    throw new KubepkgError('ReferenceInvalid', `${subject}: the path ${JSON.stringify(path)} leads outside of it`, {
      hint: 'paths are relative to the tree',
    });
  }
  return joined === '.' ? '' : joined.replace(/\/$/, '');
}

function leavesTree(path: string): boolean {
  return path === '..' || path.startsWith('../');
}

function isBelow(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}

function topFolders(tree: ArchiveContent): readonly string[] {
  return [...new Set(tree.paths.map((path) => path.slice(0, Math.max(0, path.indexOf('/')))))].filter(
    (name) => name !== '',
  );
}
