import { join } from 'node:path';
import type { KubeObject } from '../api/kube.ts';
import { buildName, type Publication, sourceOfRecipe } from '../domain/resolve/recipe/recipe-source.ts';
import { writeYaml } from '../lib/yaml.ts';
import type { FetchedChart } from '../ports/artifacts.ts';
import { buildTree, type RecipeInput } from './author-charts.ts';
import { writeFolder, writeWhole } from './author-files.ts';
import { chartOfTree, packTree, type PackedTree } from './author-package.ts';
import { publish } from './author-push.ts';
import { type AuthorPlace, type AuthorSettings, withWorkshop, type Workshop } from './author-workshop.ts';

export interface BuildTarget {
  /** Folder that everything is written into. */
  readonly out: string;
  /** `oci://host/path`, below which the charts are pushed; absent: they are not pushed. */
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
  readonly publication: Publication;
}

/** Makes charts, tree and PackageSource of a recipe. Nothing is written here before it is pushed, and the PackageSource last. */
export async function buildPackage(
  input: RecipeInput,
  target: BuildTarget,
  { place, settings }: { readonly place: AuthorPlace; readonly settings: AuthorSettings },
): Promise<BuiltPackage> {
  return withWorkshop(place, settings, async (workshop) => {
    const { recipe } = input;
    const files = await buildTree(input, workshop);
    if (files.length === 0) return writeSource(input, target, { charts: [], publication: { kind: 'none' } });
    const charts = await packCharts(input, await packTree(files, workshop), workshop);
    const { registry } = target;
    const publication: Publication =
      registry === undefined
        ? { kind: 'none' }
        : await publish({ recipe, registry, files, charts, workshop, place, settings });
    const folder = join(target.out, buildName(recipe));
    const archives = [...charts].map(
      ([name, chart]) => [name, chart, `charts/${chart.name}-${chart.version}.tgz`] as const,
    );
    const copies = Object.fromEntries(archives.map(([, { path }, archive]) => [archive, path]));
    const tree = files.map((each) => ({ ...each, path: `tree/${each.path}` }));
    await writeFolder(folder, { files: tree, copies });
    return writeSource(input, target, {
      tree: join(folder, 'tree'),
      charts: archives.map(([name, { digest }, archive]) => ({ name, digest, file: join(folder, archive) })),
      publication,
    });
  });
}

async function packCharts(
  { recipe }: RecipeInput,
  packed: PackedTree,
  workshop: Workshop,
): Promise<ReadonlyMap<string, FetchedChart>> {
  const charts = new Map<string, FetchedChart>();
  for (const name of Object.keys(recipe.spec.charts ?? {})) {
    const ref = { kind: 'tree', url: 'recipe', root: '', path: name, libraries: [], valuesFiles: [] } as const;
    charts.set(name, await chartOfTree(packed, ref, workshop));
  }
  return charts;
}

async function writeSource(
  { recipe, written }: RecipeInput,
  { out }: BuildTarget,
  made: Pick<BuiltPackage, 'tree' | 'charts' | 'publication'>,
): Promise<BuiltPackage> {
  const source = sourceOfRecipe(recipe, written, made.publication);
  const file = join(out, `${buildName(recipe)}.yaml`);
  await writeWhole(file, writeYaml(source));
  return { source, file, ...made };
}
