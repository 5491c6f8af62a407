import { readFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { ArchiveFile } from '../adapters/oci/archive.ts';
import { parseChartFile } from '../adapters/oci/chart-inspection.ts';
import { CHART_LIMITS } from '../adapters/oci/limits.ts';
import { pack } from '../adapters/oci/pack.ts';
import { type Nesting, readPackedSubchart } from '../adapters/oci/packed-subchart.ts';
import { KubepkgError } from '../api/errors.ts';
import type { Recipe, RecipeChart } from '../api/recipe.ts';
import { editObjects, unusedPatches } from '../domain/resolve/recipe/edit-objects.ts';
import { chartMetadata, wrappedMetadata } from '../domain/resolve/recipe/recipe-source.ts';
import { documents, type ManifestSource, wrapManifests } from '../domain/resolve/recipe/wrap-manifests.ts';
import { isRecord, type JsonObject, mergeValues } from '../lib/json.ts';
import { writeYaml } from '../lib/yaml.ts';
import { objectsIn } from './author-objects.ts';
import { byPath, type Files, type Material, readFolder, readSource } from './author-sources.ts';
import type { Workshop } from './author-workshop.ts';

/** A recipe, and the folder that its paths count from. */
export interface RecipeInput {
  readonly directory: string;
  readonly recipe: Recipe;
  /** `spec.package` as it is written, without defaults. */
  readonly written: JsonObject;
}

interface Making extends Pick<RecipeInput, 'directory' | 'recipe'> {
  readonly name: string;
  readonly chart: RecipeChart;
  readonly workshop: Workshop;
}

/** All charts of a recipe as one tree, sorted: the same recipe gives the same files. */
export async function buildTree(input: RecipeInput, workshop: Workshop): Promise<readonly ArchiveFile[]> {
  const tree: ArchiveFile[] = [];
  for (const [name, chart] of Object.entries(input.recipe.spec.charts ?? {})) {
    const files = await makeChart({ ...input, name, chart, workshop });
    for (const file of files.values()) tree.push({ ...file, path: `${name}/${file.path}` });
  }
  return tree.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function makeChart(making: Making): Promise<Files> {
  const { name, chart, recipe, directory, workshop } = making;
  const materials: (readonly [string, Material])[] = [];
  for (const from of chart.from) {
    const source = recipe.spec.sources?.[from];
    if (source !== undefined) materials.push([from, await readSource(from, source, { directory, workshop })]);
  }
  const made = await (materials.some(([, { kind }]) => kind === 'chart') ? fromChart : fromManifests)(
    making,
    materials,
  );
  const files = new Map(made);
  if (chart.overlay !== undefined) {
    const over = await readFolder(directory, chart.overlay, `spec.charts.${name}.overlay`);
    for (const [path, file] of over) files.set(path, file);
  }
  const values = chart.values === undefined ? undefined : mergedValues(files, chart.values, name);
  if (values !== undefined) files.set('values.yaml', textFile('values.yaml', writeYaml(values)));
  const metadata = chartMetadata(mappingIn(files, 'Chart.yaml', name), { name, spec: recipe.spec });
  files.set('Chart.yaml', textFile('Chart.yaml', writeYaml(metadata)));
  return files;
}

type Materials = readonly (readonly [string, Material])[];

async function fromChart({ name, chart, workshop }: Making, materials: Materials): Promise<Files> {
  const [only, ...rest] = materials;
  if (only === undefined || rest.length > 0) {
    throw new KubepkgError('InvalidInput', `spec.charts.${name}.from: a source that is a chart is used alone`, {
      hint: 'make a chart of each source',
    });
  }
  const { exclude = [], patches = [] } = chart;
  const [, { files }] = only;
  if (exclude.length === 0 && patches.length === 0) return files;
  const used = new Set<number>();
  const edited = await editCrds(files, { chart, used, workshop, nesting: outermost(files), subject: `chart ${name}` });
  refuseUnused({ name, chart }, used);
  return edited;
}

interface CrdEdit {
  readonly chart: RecipeChart;
  readonly used: Set<number>;
  readonly workshop: Workshop;
  readonly nesting: Nesting;
  readonly subject: string;
}

const CRDS = /^(?:charts\/[^/]+\/)*crds\/.+\.(ya?ml|json)$/;
const PACKED_SUBCHART = /^(?:charts\/[^/]+\/)*charts\/[^/_.][^/]*\.tgz$/;

/** Whoever takes the chart later on refuses one that holds more than this, all in it unpacked. */
function outermost(files: Files): Nesting {
  const unpacked = [...files.values()].reduce((sum, { content }) => sum + content.length, 0);
  return { depth: 0, allowance: { unpackedBytes: Math.max(0, CHART_LIMITS.unpackedBytes - unpacked) } };
}

/** The objects of all `crds/` folders, those of packed subcharts too; a file that is left empty goes. */
async function editCrds(files: Files, edit: CrdEdit): Promise<Files> {
  const result = new Map<string, ArchiveFile>();
  for (const [path, file] of files) {
    if (PACKED_SUBCHART.test(path)) {
      const content = await editPacked(file, { ...edit, subject: `${edit.subject}: ${path}` });
      result.set(path, { ...file, content });
      continue;
    }
    if (!CRDS.test(path)) {
      result.set(path, file);
      continue;
    }
    const before = objectsIn(file.content.toString('utf8'), `${edit.subject}: ${path}`);
    const { objects, used } = editObjects(before, edit.chart);
    for (const index of used) edit.used.add(index);
    if (objects.length === before.length && used.size === 0) result.set(path, file);
    else if (objects.length > 0) result.set(path, { ...file, content: Buffer.from(documents(objects)) });
  }
  return result;
}

async function editPacked(file: ArchiveFile, edit: CrdEdit): Promise<Buffer> {
  const { subject, workshop } = edit;
  const nesting = { ...edit.nesting, depth: edit.nesting.depth + 1 };
  const read = { limits: CHART_LIMITS, subject, wants: () => true };
  const { files } = await readPackedSubchart(file.content, nesting, read);
  const root = [...files.keys()][0]?.split('/')[0] ?? '';
  const inside = new Map([...files].map(([path, one]) => [path.slice(root.length + 1), one]));
  const edited = await editCrds(inside, { ...edit, nesting });
  const isSame = edited.size === inside.size && [...edited].every(([path, one]) => inside.get(path) === one);
  if (isSame) return file.content;
  const packed = [...edited].toSorted(byPath).map(([path, one]) => ({ ...one, path: `${root}/${path}` }));
  const path = join(workshop.scratch, `${randomUUID()}.tgz`);
  await pack(packed, { path, limits: CHART_LIMITS, subject });
  return readFile(path);
}

function fromManifests({ name, chart, recipe }: Making, materials: Materials): Promise<Files> {
  const used = new Set<number>();
  const sources: ManifestSource[] = materials.map(([source, { files }]) => {
    const objects = [...files].flatMap(([path, file]) => objectsIn(file.content.toString('utf8'), `${source}/${path}`));
    const edited = editObjects(objects, chart);
    for (const index of edited.used) used.add(index);
    return { name: source, objects: edited.objects };
  });
  refuseUnused({ name, chart }, used);
  if (sources.every(({ objects }) => objects.length === 0)) {
    throw new KubepkgError('InvalidInput', `spec.charts.${name}: no object is left of its sources`, {
      hint: 'exclude less, or leave the chart out',
    });
  }
  const texts = {
    ...wrapManifests(sources, { crdsDir: chart.crdsDir === true }),
    'Chart.yaml': writeYaml(wrappedMetadata(recipe, name)),
  };
  return Promise.resolve(new Map(Object.entries(texts).map(([path, text]) => [path, textFile(path, text)])));
}

function refuseUnused({ name, chart }: Pick<Making, 'name' | 'chart'>, used: ReadonlySet<number>): void {
  const unused = unusedPatches(chart, used);
  if (unused.length === 0) return;
  throw new KubepkgError('InvalidInput', `spec.charts.${name}.${unused.join(', ')} matches no object`, {
    hint: 'the source has changed: see under which kind and name the object is now, or leave the patch out',
  });
}

function mergedValues(files: Files, values: JsonObject, name: string): JsonObject {
  return mergeValues(files.has('values.yaml') ? mappingIn(files, 'values.yaml', name) : {}, values);
}

function mappingIn(files: Files, path: string, chart: string): JsonObject {
  const content = files.get(path)?.content;
  const value = content === undefined ? undefined : (parseChartFile(content, `chart ${chart}: ${path}`) ?? {});
  if (isRecord(value)) return value;
  throw new KubepkgError('ChartInvalid', `chart ${chart}: ${path} is no mapping`, { hint: 'correct the file' });
}

function textFile(path: string, text: string): ArchiveFile {
  return { path, executable: false, content: Buffer.from(text) };
}
