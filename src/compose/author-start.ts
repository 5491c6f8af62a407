import { lstat, readFile, realpath } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { createReadStream } from 'node:fs';
import { type ArchiveFile, readArchive } from '../adapters/oci/archive.ts';
import { parseChartFile } from '../adapters/oci/chart-inspection.ts';
import { CHART_LIMITS } from '../adapters/oci/limits.ts';
import { filesOf } from '../adapters/oci/tree-files.ts';
import { asKubepkgError, KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import { parseRecipe, RECIPE_FILE } from '../api/recipe.ts';
import { broughtCrds } from '../domain/plan/predictions/crds.ts';
import { type DraftPart, type DraftWords, draftRecipe } from '../domain/resolve/recipe/draft-recipe.ts';
import { asString, at, isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { writeYaml } from '../lib/yaml.ts';
import { examineRecipe } from './author-examine.ts';
import { exists, writeFolder, writeWhole } from './author-files.ts';
import { objectsIn } from './author-objects.ts';
import { download } from './author-sources.ts';
import type { Workshop } from './author-workshop.ts';

export interface StartWords {
  readonly directory: string;
  /** `oci://…/NAME@VERSION`, `https://…/NAME@VERSION`, or a folder. */
  readonly charts: readonly string[];
  /** Files or addresses. */
  readonly manifests: readonly string[];
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly version?: string | undefined;
  readonly description?: string | undefined;
  readonly force: boolean;
}

export interface StartedRecipe {
  readonly file: string;
  readonly recipe: JsonObject;
  /** What could not be found out. */
  readonly notes: readonly string[];
}

interface Part extends DraftPart {
  /** What lies beside the recipe, by its path there. */
  readonly files: readonly ArchiveFile[];
  /** It has to be put there first. */
  readonly isCopied: boolean;
  readonly about: { readonly version?: string; readonly description?: string; readonly home?: string };
  readonly namespace?: string | undefined;
}

/** Writes a recipe to start from. What is there already stays, unless it is to be replaced. */
export async function startRecipe(words: StartWords, workshop: Workshop): Promise<StartedRecipe> {
  const file = join(words.directory, RECIPE_FILE);
  if (!words.force && (await exists(file))) throw isThere(file);
  const parts = await partsOf(words, workshop);
  for (const [index, { name }] of parts.entries()) {
    if (parts.findIndex((each) => each.name === name) !== index) throw twoOfOneName(name);
  }
  const draft = wordsOf(words, parts);
  const found = await findCrds(draftRecipe(draft, parts), parts, workshop);
  const recipe = draftRecipe({ ...draft, crds: found.crds }, parts);
  await writeParts(words, parts);
  await writeWhole(file, writeYaml(recipe));
  const hooks = parts.flatMap(({ name, isHook }) => (isHook ? [hookNote(name)] : []));
  return { file, recipe, notes: [...hooks, ...found.notes] };
}

function hookNote(name: string): string {
  return `${name} is taken for a hook that runs before an upgrade (install.phase: PreUpgrade), as it reads kubepkg.fromVersion or toVersion`;
}

function isThere(path: string): KubepkgError {
  return new KubepkgError('InvalidInput', `${path} is there already`, {
    hint: 'name another folder, or replace it with --force',
  });
}

function twoOfOneName(name: string): KubepkgError {
  return new KubepkgError('InvalidInput', `two of the charts and manifests are called ${name}`, {
    hint: 'start the recipe with one of them, and add the other by hand under a name of its own',
  });
}

async function partsOf({ charts, manifests, directory }: StartWords, workshop: Workshop): Promise<readonly Part[]> {
  if (charts.length + manifests.length === 0) {
    throw new KubepkgError('InvalidInput', 'there is nothing to make a package of', {
      hint: 'name what it is made from: --chart oci://HOST/NAME@VERSION, --chart DIR or --manifest FILE',
    });
  }
  const parts: Part[] = [];
  for (const word of charts) parts.push(await chartPart(word, directory, workshop));
  for (const word of manifests) parts.push(await manifestPart(word, workshop));
  return parts;
}

async function chartPart(word: string, directory: string, workshop: Workshop): Promise<Part> {
  const isRemote = /^[a-z]+:\/\//.test(word);
  if (!isRemote) return localChart(word, directory);
  const published = publishedChart(word);
  const { digest, path, name } = await workshop.artifacts.fetch({ kind: 'chart', ...published });
  const wants = (one: string): boolean => /^[^/]+\/(Chart\.yaml$|(charts\/[^/]+\/)*(crds|templates)\/)/.test(one);
  const { files } = await readArchive(createReadStream(path), { limits: CHART_LIMITS, subject: word, wants });
  const inside = [...files.values()].map((one) => ({ ...one, path: one.path.slice(one.path.indexOf('/') + 1) }));
  return { ...partOfChart(name, inside), source: { chart: { ...published, digest } }, files: [], isCopied: false };
}

function publishedChart(word: string): {
  readonly repository: string;
  readonly name: string;
  readonly version: string;
} {
  const [, repository, name, version] = /^((?:oci|https?):\/\/.+)\/([^/@:]+)@([^@/]+)$/.exec(word) ?? [];
  if (repository !== undefined && name !== undefined && version !== undefined && !version.startsWith('sha256:')) {
    return { repository, name, version };
  }
  throw new KubepkgError('InvalidInput', `--chart ${word} names no chart with its version`, {
    hint: 'write oci://HOST/PATH/NAME@VERSION, https://HOST/PATH/NAME@VERSION, or a folder',
  });
}

async function localChart(folder: string, directory: string): Promise<Part> {
  if (!(await exists(join(folder, 'Chart.yaml')))) {
    throw new KubepkgError('InvalidInput', `--chart ${folder}: there is no Chart.yaml in it`, {
      hint: 'name the folder of a chart, or a published one as oci://HOST/PATH/NAME@VERSION',
    });
  }
  const files: ArchiveFile[] = [];
  for await (const file of filesOf(folder)) files.push(file);
  const part = partOfChart(asString(at(metadataOf(files), 'name')) ?? basename(folder), files);
  const way = relative(await realpath(directory).catch(() => directory), await realpath(folder));
  const isInside = way !== '' && !way.startsWith('..') && !way.startsWith(sep);
  const dir = isInside ? way : `charts/${part.name}`;
  const placed = files.map((file) => ({ ...file, path: `${dir}/${file.path}` }));
  return { ...part, source: { dir }, files: placed, isCopied: !isInside };
}

function partOfChart(name: string, files: readonly ArchiveFile[]): Omit<Part, 'source' | 'files' | 'isCopied'> {
  const metadata = metadataOf(files);
  const { version, description, home } = Object.fromEntries(
    ['version', 'description', 'home'].map((key) => [key, asString(at(metadata, key))]),
  );
  return {
    name: usableName(name),
    isManifests: false,
    hasNamespaces: false,
    hasCrdFolder: files.some(({ path }) => /^(charts\/[^/]+\/)*crds\/.+\.(ya?ml|json)$/.test(path)),
    isHook: files.some(({ path, content }) => path.startsWith('templates/') && TOLD_TO_HOOKS.test(content.toString())),
    about: {
      ...(version === undefined ? {} : { version: version.replace(/^v(?=\d)/, '') }),
      ...(description === undefined ? {} : { description: description.trim() }),
      ...(home === undefined ? {} : { home }),
    },
  };
}

/** Of all components, only hooks are told from which version to which. */
const TOLD_TO_HOOKS = /\.Values\.kubepkg\.(from|to)Version\b/;

function metadataOf(files: readonly ArchiveFile[]): JsonValue | undefined {
  const file = files.find(({ path }) => path === 'Chart.yaml');
  return file === undefined ? undefined : parseChartFile(file.content, 'Chart.yaml');
}

async function manifestPart(word: string, workshop: Workshop): Promise<Part> {
  const isRemote = /^https?:\/\//.test(word);
  const file = isRemote ? basename(new URL(word).pathname) : basename(word);
  const name = usableName(file.replace(/\.[^.]*$/, ''));
  if (isRemote) {
    const { path, digest } = await download(word, undefined, workshop);
    const objects = objectsIn(await readFile(path, 'utf8'), word);
    const source = { url: word, sha256: digest.slice('sha256:'.length) };
    return { ...partOfManifests(name, objects), source, files: [], isCopied: false };
  }
  const content = await readManifest(word);
  const objects = objectsIn(content.toString('utf8'), word);
  const dir = `manifests/${name}`;
  const copy = { path: `${dir}/${/\.(ya?ml|json)$/.test(file) ? file : `${file}.yaml`}`, executable: false, content };
  return { ...partOfManifests(name, objects), source: { dir }, files: [copy], isCopied: true };
}

async function readManifest(path: string): Promise<Buffer> {
  try {
    if ((await lstat(path)).isFile()) return await readFile(path);
  } catch (cause) {
    throw new KubepkgError('InvalidInput', `--manifest ${path} cannot be read`, {
      hint: 'name a file, or an address that starts with https://',
      cause,
    });
  }
  throw new KubepkgError('InvalidInput', `--manifest ${path} is no file`, { hint: 'name each file by itself' });
}

function partOfManifests(name: string, objects: readonly KubeObject[]): Omit<Part, 'source' | 'files' | 'isCopied'> {
  if (objects.length === 0) {
    throw new KubepkgError('InvalidInput', `manifest ${name} holds no objects`, { hint: 'name a file with objects' });
  }
  const namespaces = objects.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Namespace');
  const hasCrdFolder = objects.some(({ kind }) => kind === 'CustomResourceDefinition');
  const hasNamespaces = namespaces.length > 0;
  const namespace = namespaces[0]?.metadata.name;
  return { name, isManifests: true, hasNamespaces, hasCrdFolder, isHook: false, about: {}, namespace };
}

function usableName(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 53);
  return name === '' ? 'package' : name;
}

function wordsOf(words: StartWords, parts: readonly Part[]): DraftWords {
  const { name = usableName(basename(words.directory)), description, namespace } = words;
  const about = mainPart(parts)?.about ?? {};
  const version = words.version ?? about.version;
  if (version === undefined) {
    throw new KubepkgError('InvalidInput', 'manifests do not say which version they are', {
      hint: 'give the version that you package with --version',
    });
  }
  return {
    name,
    version,
    namespace: namespace ?? parts.find((part) => part.namespace !== undefined)?.namespace ?? name,
    description: description ?? about.description,
    home: about.home,
    crds: [],
  };
}

/** What a package is called after: a hook only helps it along. */
function mainPart(parts: readonly Part[]): Part | undefined {
  return parts.find(({ isHook }) => !isHook) ?? parts[0];
}

interface FoundCrds {
  readonly crds: readonly string[];
  readonly notes: readonly string[];
}

/** By rendering what was begun; a recipe is worth having even where that does not work yet. */
async function findCrds(draft: JsonObject, parts: readonly Part[], workshop: Workshop): Promise<FoundCrds> {
  const parsed = parseRecipe(draft);
  if (!parsed.ok) throw parsed.error;
  const written = at(draft, 'spec', 'package') as JsonValue | undefined;
  const directory = join(workshop.scratch, 'recipe');
  await writeFolder(directory, { files: parts.flatMap(({ files }) => files) });
  try {
    const input = { directory, recipe: parsed.value, written: isJsonObject(written) ? written : {} };
    const { variants, failure } = await examineRecipe(input, workshop);
    if (failure !== undefined) throw failure;
    const components = variants.flatMap((each) => ('facts' in each ? each.facts.components : []));
    const names = components.flatMap((owner) => broughtCrds(owner).map(({ metadata }) => metadata.name));
    const notes = components.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal.message]));
    return { crds: [...new Set(names)].sort(), notes };
  } catch (thrown) {
    const error = asKubepkgError(thrown);
    if (error.class === 'bug') throw thrown;
    return { crds: [], notes: [`the CRDs could not be looked for: ${error.message}`] };
  }
}

async function writeParts({ directory, force }: StartWords, parts: readonly Part[]): Promise<void> {
  const copied = parts.filter(({ isCopied }) => isCopied);
  const folders = copied.map(({ source, files }) => ({ dir: asString(source['dir']) ?? '', files }));
  for (const { dir } of folders) {
    if (!force && (await exists(join(directory, dir)))) throw isThere(join(directory, dir));
  }
  for (const { dir, files } of folders) {
    const inside = files.map((file) => ({ ...file, path: file.path.slice(dir.length + 1) }));
    await writeFolder(join(directory, dir), { files: inside });
  }
}
