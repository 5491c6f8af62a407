import { asKubepkgError, type KubepkgError } from '../api/errors.ts';
import { parsePackageSource } from '../api/parse.ts';
import type { PackageSource } from '../api/package-source.ts';
import type { PlanFacts } from '../domain/plan/predictions/facts.ts';
import { removedApi } from '../domain/plan/predictions/removed-apis.ts';
import { withVersions } from '../domain/release/snapshot.ts';
import type { DesiredPackage } from '../domain/resolve/desired.ts';
import { resolveAlone } from '../domain/resolve/resolve-alone.ts';
import { sourceOfRecipe } from '../domain/resolve/recipe/recipe-source.ts';
import { buildTree, type RecipeInput } from './author-charts.ts';
import { chartOfTree, packTree, type PackedTree } from './author-package.ts';
import { firstRelease, tryRelease } from './author-render.ts';
import type { Workshop } from './author-workshop.ts';
import { DEFAULT_BACKEND } from './backend-names.ts';
import { crdsOf, recordFacts } from './plan-facts.ts';

/** What was found out about one variant; nothing of a cluster. */
export type ExaminedVariant =
  | { readonly variant: string; readonly facts: PlanFacts }
  | { readonly variant: string; readonly problem: string };

export interface Examination {
  readonly variants: readonly ExaminedVariant[];
  /** Why the charts cannot be built; the variants are looked at as far as that goes without them. */
  readonly failure?: KubepkgError | undefined;
}

/** Stands for the tree that is not pushed yet. */
const UNPUSHED = { kind: 'tree', url: `oci://recipe.invalid/tree@sha256:${'0'.repeat(64)}` } as const;
const TIMEOUT_MS = 600_000;

/** Builds a recipe, renders every variant with the default values, and writes nothing. */
export async function examineRecipe(input: RecipeInput, workshop: Workshop): Promise<Examination> {
  const { recipe, written } = input;
  const parsed = parsePackageSource(sourceOfRecipe(recipe, written, UNPUSHED), { strict: true });
  if (!parsed.ok) return { variants: [], failure: parsed.error };
  const { tree, failure } = await tryTree(input, workshop);
  const variants: ExaminedVariant[] = [];
  for (const { name } of parsed.value.spec.variants ?? []) {
    variants.push(await examineVariant(parsed.value, name, { tree, workshop }));
  }
  return { variants, ...(failure === undefined ? {} : { failure }) };
}

interface BuiltTree {
  readonly tree?: PackedTree | undefined;
  readonly failure?: KubepkgError | undefined;
}

async function tryTree(input: RecipeInput, workshop: Workshop): Promise<BuiltTree> {
  try {
    const files = await buildTree(input, workshop);
    return files.length === 0 ? {} : { tree: await packTree(files, workshop) };
  } catch (thrown) {
    const error = asKubepkgError(thrown);
    if (error.class === 'bug') throw thrown;
    return { failure: error };
  }
}

interface Sight {
  readonly tree: PackedTree | undefined;
  readonly workshop: Workshop;
}

async function examineVariant(source: PackageSource, variant: string, sight: Sight): Promise<ExaminedVariant> {
  const resolution = resolveAlone(source, { variant, defaultBackend: DEFAULT_BACKEND });
  if (resolution.kind === 'unresolvable') return { variant, problem: resolution.message };
  return { variant, facts: await factsOf(resolution.desired, source, sight) };
}

async function factsOf(desired: DesiredPackage, source: PackageSource, sight: Sight): Promise<PlanFacts> {
  // What a hook is told by the first upgrade to this version.
  const hooks = withVersions(desired.hooks, { from: desired.version, to: desired.version });
  const components = [];
  for (const component of [...hooks, ...desired.components]) {
    components.push(await componentFacts(desired.package, component, sight));
  }
  const kinds = components.flatMap(({ objects }) =>
    objects.map(({ after: { apiVersion, kind } }) => ({ apiVersion, kind })),
  );
  const { images = [], crds = [] } = source.spec;
  return {
    package: { name: desired.package, rollbackSafe: desired.rollbackSafe, crds, images, adopts: false },
    components,
    cluster: { unserved: kinds.filter((each) => removedApi(each) !== undefined), crds: [], autoscalers: [] },
    releases: { packages: {}, leaving: [] },
    managers: [],
    forcesConflicts: true,
  };
}

async function componentFacts(
  pkg: string,
  component: DesiredPackage['components'][number],
  { tree, workshop }: Sight,
): Promise<PlanFacts['components'][number]> {
  const bare = { component, objects: [], crds: [], recorded: [] };
  if (tree === undefined || component.chart.kind !== 'tree') return bare;
  try {
    const chart = await chartOfTree(tree, component.chart, workshop);
    const release = firstRelease(pkg, component, { chart, timeoutMs: TIMEOUT_MS });
    const { objects: rendered, refusal } = await tryRelease(release, workshop);
    const objects = rendered.map((after) => ({ after }));
    const { values } = component;
    return {
      ...bare,
      objects,
      crds: (await crdsOf(chart)).map((wanted) => ({ wanted })),
      record: await recordFacts(chart, { component, chart, values, objects, former: [], refusal }),
      ...(chart.valuesKeys === undefined ? {} : { valuesKeys: chart.valuesKeys }),
      ...(refusal === undefined ? {} : { refusal: { code: refusal.code, message: refusal.message } }),
    };
  } catch (thrown) {
    const error = asKubepkgError(thrown);
    if (error.class !== 'configuration' || error.code === 'HelmNotFound') throw thrown;
    return { ...bare, refusal: { code: error.code, message: error.message } };
  }
}
