import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { RECIPE_FILE } from '../../api/recipe.ts';
import type { Edition } from '../../compose/rehearsal/edition.ts';
import type { Rehearsals } from '../../compose/rehearsal/rehearsals.ts';
import { asArray, asString, at, isRecord } from '../../lib/json.ts';
import { readRecipe, soundRecipe } from '../author/recipe-file.ts';
import { type GlobalFlags, withCluster } from '../commands/context.ts';
import type { CliHost } from '../host.ts';
import { parseManifests } from '../install/manifest-files.ts';
import { PACKAGE_SOURCES } from '../objects.ts';

export interface EditionPlace {
  readonly host: CliHost;
  readonly flags: GlobalFlags;
  readonly rehearsals: Rehearsals;
}

const PACKAGE_NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** What a word names: the folder of a recipe, the file of a PackageSource, or one in the cluster. */
export async function readEdition(word: string, place: EditionPlace): Promise<Edition> {
  const authoring = await place.host.authoring();
  const recipe = await authoring.readText(word.endsWith(RECIPE_FILE) ? word : `${word}/${RECIPE_FILE}`);
  if (recipe !== undefined) return editionOfRecipe(word, place);
  const text = await authoring.readText(word);
  if (text !== undefined) return { source: sourceIn(text, word), trees: new Map() };
  if (PACKAGE_NAME.test(word)) return editionInCluster(word, place);
  throw new KubepkgError('InvalidInput', `${word} is neither a recipe's folder nor a file`, {
    hint: `name the folder of a ${RECIPE_FILE}, the file of a PackageSource, or a package of your cluster`,
  });
}

async function editionOfRecipe(word: string, { host, rehearsals }: EditionPlace): Promise<Edition> {
  return rehearsals.edition(soundRecipe(await readRecipe(await host.authoring(), word)));
}

function sourceIn(text: string, file: string): KubeObject {
  const [source, ...more] = parseManifests(text, file).filter(({ kind }) => kind === 'PackageSource');
  if (source !== undefined && more.length === 0) return reachable(source, file);
  const found = source === undefined ? 'no PackageSource' : 'several PackageSources';
  throw new KubepkgError('InvalidInput', `${file} holds ${found}`, { hint: 'name a file with one PackageSource' });
}

/** One that was built and not pushed names charts that are nowhere but beside it. */
function reachable(source: KubeObject, file: string): KubeObject {
  const variants = asArray(at(source, 'spec', 'variants'));
  const components = variants.flatMap((variant) => asArray(at(variant, 'components')));
  const isLocal =
    at(source, 'spec', 'sourceRef') === undefined && components.some((each) => at(each, 'path') !== undefined);
  if (!isLocal) return source;
  throw new KubepkgError('InvalidInput', `${file} was built without --registry: nobody knows where its charts are`, {
    hint: `name the folder of its ${RECIPE_FILE}, or build it with --registry`,
  });
}

function editionInCluster(name: string, { host, flags }: EditionPlace): Promise<Edition> {
  return withCluster(host, flags, async ({ cluster }) => {
    const source = await cluster.read({ ...PACKAGE_SOURCES, name });
    if (source !== undefined) return { source: asWritten(source), trees: new Map() };
    throw new KubepkgError(
      'NotFound',
      `there is no recipe or file ${name}, and no PackageSource ${name} in the cluster`,
      {
        hint: `name the folder of a ${RECIPE_FILE}, or see what there is: kubectl get packagesources`,
      },
    );
  });
}

function asWritten({ apiVersion, kind, metadata, spec }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: { name: metadata.name }, spec };
}

/** The same charts under a version that is just below: the upgrade changes nothing but what rests on the version. */
export function editionBefore({ source, trees }: Edition): Edition {
  const version = asString(at(source, 'spec', 'version')) ?? '0.0.0';
  const [release = version, build] = version.split('+');
  const before = `${release.includes('-') ? release.replace(/-.*/, '') : release}-0`;
  const spec = isRecord(source['spec']) ? source['spec'] : {};
  return {
    source: { ...source, spec: { ...spec, version: build === undefined ? before : `${before}+${build}` } },
    trees,
  };
}
