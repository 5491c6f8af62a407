import { readFile } from 'node:fs/promises';
import { isErrno } from '../lib/errno.ts';
import { buildPackage, type BuildTarget, type BuiltPackage } from './author-build.ts';
import type { RecipeInput } from './author-charts.ts';
import { type Examination, examineRecipe } from './author-examine.ts';
import { type StartedRecipe, startRecipe, type StartWords } from './author-start.ts';
import { type RenderedPackage, renderPackages, type RenderRequest } from './author-translate.ts';
import { type AuthorPlace, type AuthorSettings, withWorkshop } from './author-workshop.ts';

export type { BuildTarget, BuiltPackage } from './author-build.ts';
export type { RecipeInput } from './author-charts.ts';
export type { Examination, ExaminedVariant } from './author-examine.ts';
export type { StartedRecipe, StartWords } from './author-start.ts';
export type { RenderedPackage, RenderRequest } from './author-translate.ts';
export type { AuthorSettings } from './author-workshop.ts';

/** What the commands for authors do outside of this process; no cluster is asked for anything. */
export interface Authoring {
  /** Undefined: there is no such file. */
  readText(path: string): Promise<string | undefined>;
  start(words: StartWords, settings: AuthorSettings): Promise<StartedRecipe>;
  examine(input: RecipeInput, settings: AuthorSettings): Promise<Examination>;
  build(input: RecipeInput, target: BuildTarget, settings: AuthorSettings): Promise<BuiltPackage>;
  render(request: RenderRequest, settings: AuthorSettings): Promise<readonly RenderedPackage[]>;
}

export function createAuthoring(place: AuthorPlace): Authoring {
  return {
    readText: (path) => readFile(path, 'utf8').catch(absent),
    start: (words, settings) => withWorkshop(place, settings, (workshop) => startRecipe(words, workshop)),
    examine: (input, settings) => withWorkshop(place, settings, (workshop) => examineRecipe(input, workshop)),
    build: (input, target, settings) => buildPackage(input, target, { place, settings }),
    render: (request, settings) => renderPackages(request, place, settings),
  };
}

function absent(error: unknown): undefined {
  if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return undefined;
  throw error;
}
