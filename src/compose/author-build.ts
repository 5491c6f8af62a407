import { join } from 'node:path';
import type { ArchiveFile } from '../adapters/oci/archive.ts';
import { formatOciReference, parseOciReference } from '../adapters/oci/reference.ts';
import { type PushedTree, pushTree } from '../adapters/oci/push-tree.ts';
import { createCommandRunner } from '../adapters/process/command-runner.ts';
import { isCode, KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import { buildName, buildTag, sourceOfRecipe } from '../domain/resolve/recipe/recipe-source.ts';
import { writeYaml } from '../lib/yaml.ts';
import { buildTree, type RecipeInput } from './author-charts.ts';
import { writeFolder, writeWhole } from './author-files.ts';
import { chartOfTree, packTree, type PackedTree } from './author-package.ts';
import { type AuthorPlace, type AuthorSettings, withWorkshop, type Workshop } from './author-workshop.ts';

export interface BuildTarget {
  /** Folder that everything is written into. */
  readonly out: string;
  /** `oci://host/path`, below which the tree is pushed; absent: it is not pushed. */
  readonly registry?: string | undefined;
}

export interface BuiltChart {
  readonly name: string;
  readonly digest: string;
  readonly file: string;
}

export interface BuiltPackage {
  readonly source: KubeObject;
  /** File of the PackageSource. */
  readonly file: string;
  /** Folder of the package tree; absent: the package has no charts. */
  readonly tree?: string | undefined;
  readonly charts: readonly BuiltChart[];
  /** As pushed, with the digest. */
  readonly reference?: string | undefined;
}

/** Makes charts, tree and PackageSource of a recipe. Nothing is written here before it is pushed, and the PackageSource last. */
export async function buildPackage(
  input: RecipeInput,
  target: BuildTarget,
  { place, settings }: { readonly place: AuthorPlace; readonly settings: AuthorSettings },
): Promise<BuiltPackage> {
  return withWorkshop(place, settings, async (workshop) => {
    const { recipe, written } = input;
    const name = buildName(recipe);
    const files = await buildTree(input, workshop);
    const folder = join(target.out, name);
    const file = join(target.out, `${name}.yaml`);
    if (files.length === 0) {
      const source = sourceOfRecipe(recipe, written, undefined);
      await writeWhole(file, writeYaml(source));
      return { source, file, charts: [] };
    }
    const packed = await packTree(files, workshop);
    const charts = await packCharts(input, packed, workshop);
    const copies = Object.fromEntries(charts.map((chart) => [`charts/${chart.archive}`, chart.path]));
    const tree = files.map((each) => ({ ...each, path: `tree/${each.path}` }));
    const pushed =
      target.registry === undefined
        ? undefined
        : await push(input, target.registry, { files, packed, workshop, place, settings });
    await writeFolder(folder, { files: tree, copies });
    const source = sourceOfRecipe(recipe, written, pushed?.reference);
    await writeWhole(file, writeYaml(source));
    return {
      source,
      file,
      tree: join(folder, 'tree'),
      charts: charts.map(({ name: chart, digest, archive }) => {
        return { name: chart, digest, file: join(folder, 'charts', archive) };
      }),
      ...(pushed === undefined ? {} : { reference: pushed.reference }),
    };
  });
}

async function packCharts(
  { recipe }: RecipeInput,
  packed: PackedTree,
  workshop: Workshop,
): Promise<
  readonly { readonly name: string; readonly digest: string; readonly archive: string; readonly path: string }[]
> {
  const names = Object.keys(recipe.spec.charts ?? {});
  const charts = [];
  for (const name of names) {
    const ref = { kind: 'tree', url: 'recipe', root: '', path: name, libraries: [], valuesFiles: [] } as const;
    const chart = await chartOfTree(packed, ref, workshop);
    charts.push({ name, digest: chart.digest, archive: `${chart.name}-${chart.version}.tgz`, path: chart.path });
  }
  return charts;
}

interface Pushing {
  readonly files: readonly ArchiveFile[];
  readonly packed: PackedTree;
  readonly workshop: Workshop;
  readonly place: AuthorPlace;
  readonly settings: AuthorSettings;
}

async function push({ recipe }: RecipeInput, registry: string, pushing: Pushing): Promise<PushedTree> {
  const { workshop, packed, place, settings, files } = pushing;
  const base = registry.replace(/\/+$/, '');
  const reference = parseOciReference(`${base}/${recipe.metadata.name}:${buildTag(recipe.spec)}`);
  const url = formatOciReference(reference);
  const layers = await publishedLayers(url, workshop);
  if (layers !== undefined && !layers.includes(packed.digest)) {
    throw new KubepkgError('DigestMismatch', `${url} is published already, with other content`, {
      hint: 'raise spec.build of the recipe: what was published stays as it is',
    });
  }
  const { registryConfig, registryCaFile: caFile, plainHttp } = settings;
  const commands = createCommandRunner({ clock: place.clock });
  const folder = join(workshop.scratch, 'pushed');
  await writeFolder(folder, { files });
  return pushTree(folder, url, { registryConfig, caFile, plainHttp, commands, env: place.env });
}

/** Undefined: nothing has that tag. */
async function publishedLayers(url: string, { client }: Workshop): Promise<readonly string[] | undefined> {
  try {
    const { layers } = await client.registry.fetchManifest(parseOciReference(url));
    return layers.map(({ digest }) => digest);
  } catch (error) {
    if (isCode(error, 'ArtifactNotFound')) return undefined;
    throw error;
  }
}
