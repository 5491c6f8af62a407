import type { KubeObject } from '../../api/kube.ts';
import { buildTag, sourceOfRecipe } from '../../domain/resolve/recipe/recipe-source.ts';
import { buildTree, type RecipeInput } from '../author-charts.ts';
import { packTree, type PackedTree } from '../author-package.ts';
import type { Workshop } from '../author-workshop.ts';

/** A package at one version: its PackageSource, and the trees that it names which are nowhere but here. */
export interface Edition {
  readonly source: KubeObject;
  /** By `spec.sourceRef.url`. */
  readonly trees: ReadonlyMap<string, PackedTree>;
}

/** Names a registry that nobody can ask: the charts are taken from this machine. */
const NOWHERE = 'oci://rehearsal.invalid';

/** As `build` and `push` would make it, without leaving anything behind. */
export async function editionOfRecipe(input: RecipeInput, workshop: Workshop): Promise<Edition> {
  const { recipe, written } = input;
  const files = await buildTree(input, workshop);
  if (files.length === 0) return { source: sourceOfRecipe(recipe, written, { kind: 'none' }), trees: new Map() };
  const tree = await packTree(files, workshop);
  const url = `${NOWHERE}/${recipe.metadata.name}:${buildTag(recipe.spec)}@${tree.digest}`;
  return { source: sourceOfRecipe(recipe, written, { kind: 'tree', url }), trees: new Map([[url, tree]]) };
}
