import { asKubepkgError, KubepkgError } from '../../api/errors.ts';
import type { AuthorSettings, Authoring } from '../../compose/authoring.ts';
import { examinationFindings, inOrder, recipeFindings } from '../author/findings.ts';
import { readRecipe } from '../author/recipe-file.ts';
import { type ChartFlags, settingsOf } from '../author/settings.ts';
import { type ValidatedRecipe, validateReport } from '../author/validate-report.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { formatData } from '../output-format.ts';
import { writeLines } from '../write-lines.ts';
import { type GlobalFlags, paintFor } from './context.ts';

export interface ValidateFlags extends GlobalFlags, ChartFlags {
  readonly output: 'table' | 'json' | 'yaml';
  readonly failOn: 'error' | 'warning' | 'never';
}

/** Says of recipes everything that can be known without a cluster. Writes nothing. */
export async function runValidate(
  host: CliHost,
  directories: readonly string[],
  flags: ValidateFlags,
): Promise<ExitCode> {
  const authoring = await host.authoring();
  const recipes: ValidatedRecipe[] = [];
  for (const directory of directories) recipes.push(await validate(authoring, directory, settingsOf(flags)));
  if (flags.output === 'table') {
    const width = host.stdout.isTerminal ? host.stdout.size().columns : Infinity;
    writeLines(host.stdout, validateReport(recipes, { paint: paintFor(host, flags, 'stdout'), width }));
  } else host.stdout.write(formatData({ recipes }, flags.output));
  const counted: readonly string[] = flags.failOn === 'warning' ? ['error', 'warning'] : ['error'];
  const isBad = recipes.some(({ findings }) => findings.some(({ severity }) => counted.includes(severity)));
  return isBad && flags.failOn !== 'never' ? EXIT.configuration : EXIT.ok;
}

async function validate(authoring: Authoring, directory: string, settings: AuthorSettings): Promise<ValidatedRecipe> {
  const recipe = await readRecipe(authoring, directory);
  const own = recipeFindings(recipe);
  const { file, input } = recipe;
  if (input === undefined) return { file, findings: own };
  const { name } = input.recipe.metadata;
  if (own.some(({ severity }) => severity === 'error')) return { file, package: name, findings: inOrder(own) };
  try {
    const examined = examinationFindings(await authoring.examine(input, settings));
    return { file, package: name, findings: inOrder([...own, ...examined]) };
  } catch (thrown) {
    const error = asKubepkgError(thrown);
    if (error.class === 'bug') throw thrown;
    const hint = error.hint === undefined ? {} : { hint: error.hint };
    throw new KubepkgError(error.code, `${file}: ${error.message}`, { ...hint, cause: thrown });
  }
}
