import type { KubeObject } from '../../../api/kube.ts';
import type { RecipeChart, RecipePatch, RecipeSelector } from '../../../api/recipe.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';

export interface Edited {
  readonly objects: readonly KubeObject[];
  /** Indexes of the patches that an object matched. */
  readonly used: ReadonlySet<number>;
}

/** What a chart of a recipe says of single objects: leaves some out, and changes some. */
export function editObjects(
  objects: readonly KubeObject[],
  { exclude = [], patches = [] }: Pick<RecipeChart, 'exclude' | 'patches'>,
): Edited {
  const used = new Set<number>();
  const kept = objects.filter((object) => !exclude.some((selector) => selects(selector, object)));
  const edited = kept.map((object) =>
    patches.reduce((result, patch, index) => {
      if (!selects(patch, object)) return result;
      used.add(index);
      return mergePatch(result as unknown as JsonObject, patch.merge) as unknown as KubeObject;
    }, object),
  );
  return { objects: edited, used };
}

/** A patch that changes nothing has been overtaken by what it is meant for. */
export function unusedPatches(
  { patches = [] }: Pick<RecipeChart, 'patches'>,
  used: ReadonlySet<number>,
): readonly string[] {
  return patches.flatMap((patch, index) =>
    used.has(index) ? [] : [`patches[${String(index)}] (${describeSelector(patch)})`],
  );
}

function selects({ kind = '', name = '' }: RecipeSelector | RecipePatch, object: KubeObject): boolean {
  return (kind === '' || kind === object.kind) && (name === '' || name === object.metadata.name);
}

function describeSelector({ kind = '', name = '' }: RecipePatch): string {
  return [kind, name].filter((part) => part !== '').join(' ');
}

/** RFC 7386. */
export function mergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;
  const merged = new Map(Object.entries(isJsonObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}
