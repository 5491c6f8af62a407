import { basename, dirname, join } from 'node:path';
import { KubepkgError } from '../../api/errors.ts';
import { parseRecipe, type Recipe, RECIPE_FILE } from '../../api/recipe.ts';
import type { Problem } from '../../api/unknown-fields.ts';
import { checkRecipe, findPlugins } from '../../domain/resolve/recipe/check-recipe.ts';
import { at, isJsonObject, type JsonValue } from '../../lib/json.ts';
import { parseYaml, YamlError } from '../../lib/yaml.ts';
import type { Authoring, RecipeInput } from '../../compose/authoring.ts';
import { fieldLines, lineOf } from './yaml-lines.ts';

/** A problem of a recipe, and where it is. */
export interface PlacedProblem extends Problem {
  /** `FILE:LINE`. */
  readonly place: string;
}

export interface RecipeFile {
  readonly file: string;
  /** Absent: it cannot be read as a recipe. */
  readonly input?: RecipeInput | undefined;
  readonly problems: readonly PlacedProblem[];
  /** Where a field is. */
  readonly placeOf: (path: string) => string;
}

/** The recipe of a folder, or what is wrong with it. */
export async function readRecipe(authoring: Authoring, word: string): Promise<RecipeFile> {
  const isFile = basename(word) === RECIPE_FILE;
  const file = isFile ? word : join(word, RECIPE_FILE);
  const text = await authoring.readText(file);
  if (text === undefined) {
    throw new KubepkgError('NotFound', `there is no recipe ${file}`, {
      hint: `name the folder of a ${RECIPE_FILE}, or start one with kubepkg init`,
    });
  }
  return parseRecipeText(text, { file, directory: dirname(file) });
}

export function parseRecipeText(
  text: string,
  { file, directory }: { readonly file: string; readonly directory: string },
): RecipeFile {
  const value = parsedText(text, file);
  if (value instanceof YamlError) return unreadable(value);
  const lines = value === null ? new Map<string, number>() : fieldLines(text, file);
  const placeOf = (path: string): string => `${file}:${String(lineOf(lines, path))}`;
  const parsed = parseRecipe(value ?? {});
  if (!parsed.ok) {
    const problems = parsed.problems.map((problem) => ({ ...problem, place: placeOf(problem.path) }));
    return { file, placeOf, problems };
  }
  return { file, placeOf, problems: [], input: inputOf(parsed.value, value, directory) };
}

function inputOf(recipe: Recipe, value: JsonValue, directory: string): RecipeInput {
  const written = at(value, 'spec', 'package') as JsonValue | undefined;
  return { recipe, directory, written: isJsonObject(written) ? written : {} };
}

function parsedText(text: string, file: string): JsonValue | YamlError {
  try {
    return parseYaml(text, file);
  } catch (error) {
    if (error instanceof YamlError) return error;
    throw error;
  }
}

function unreadable({ file, line, reason }: YamlError): RecipeFile {
  const place = `${file}:${String(line)}`;
  const remedy = 'correct the YAML at that place';
  return { file, placeOf: () => place, problems: [{ path: '', message: reason, remedy, place }] };
}

/** For commands that make something of a recipe: fails at the first fault that shows before anything is fetched. */
export function soundRecipe(file: RecipeFile): RecipeInput {
  const { input, placeOf } = file;
  const found = input === undefined ? [] : [...checkRecipe(input.recipe), ...findPlugins(input.recipe)];
  return requireSound(
    file,
    found.map((problem) => ({ ...problem, place: placeOf(problem.path) })),
  );
}

/** For commands that do nothing with a recipe that is at fault. */
export function requireSound(file: RecipeFile, problems: readonly PlacedProblem[]): RecipeInput {
  const all = [...file.problems, ...problems];
  const [first] = all;
  if (first === undefined && file.input !== undefined) return file.input;
  const more = all.length > 1 ? `, and ${String(all.length - 1)} more; kubepkg validate lists them` : '';
  throw new KubepkgError('InvalidInput', `${first?.place ?? file.file}: ${describe(first)}${more}`, {
    hint: first?.remedy ?? 'correct the recipe',
  });
}

function describe(problem: Problem | undefined): string {
  if (problem === undefined) return 'no recipe';
  return problem.path === '' ? problem.message : `${problem.path}: ${problem.message}`;
}
