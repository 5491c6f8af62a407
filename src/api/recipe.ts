import * as z from 'zod';
import { SERVED_VERSIONS } from './crd-kinds.ts';
import { KubepkgError } from './errors.ts';
import type { ObjectMeta } from './kube.ts';
import { GROUP } from './names.ts';
import { packageSourceSpec } from './package-source.ts';
import { problemOf } from './parse-problems.ts';
import { anyObject, int32, sha256Digest } from './schema.ts';
import { type Problem, unknownFields } from './unknown-fields.ts';

/** The file of a recipe in its folder. */
export const RECIPE_FILE = 'recipe.yaml';

const publishedChart = z.object({
  repository: z
    .string()
    .regex(/^(https?|oci):\/\/.+$/, 'must be a URL that starts with https://, http:// or oci://')
    .describe('URL of the chart repository.'),
  name: z.string().min(1).describe('Name of the chart.'),
  version: z.string().min(1).describe('Exact version of the chart.'),
  digest: sha256Digest.describe('Digest of the chart archive.'),
});

const KINDS_OF_SOURCE = ['url', 'chart', 'dir', 'plugin'] as const;

const source = z
  .object({
    url: z
      .string()
      .regex(/^https?:\/\/.+$/, 'must be a URL that starts with https:// or http://')
      .refine((text) => URL.canParse(text), { error: 'is no URL' })
      .optional()
      .describe('A file of manifests, or a .tar.gz or .tgz archive.'),
    sha256: z
      .string()
      .regex(/^[a-f0-9]{64}$/, 'must be 64 hexadecimal digits')
      .optional()
      .describe('Checksum of what the URL names.'),
    path: z.string().min(1).optional().describe('File or folder inside of the archive.'),
    chart: publishedChart.optional().describe('A published chart.'),
    dir: z.string().min(1).optional().describe('Folder beside the recipe.'),
    plugin: z.string().min(1).optional().describe('Program that makes the source.'),
    with: anyObject.optional().describe('What the program is told.'),
  })
  .refine((value) => KINDS_OF_SOURCE.filter((kind) => value[kind] !== undefined).length === 1, {
    error: `exactly one of ${KINDS_OF_SOURCE.join(', ')} is needed`,
  })
  .refine(({ url, sha256 }) => (url === undefined) === (sha256 === undefined), {
    error: 'url and sha256 go together',
  })
  .refine(({ url, path }) => path === undefined || url !== undefined, { error: 'path goes with url only' })
  .refine(({ plugin, with: words }) => words === undefined || plugin !== undefined, {
    error: 'with goes with plugin only',
  });

const selector = {
  kind: z.string().optional().describe('Kind of the objects; empty: any.'),
  name: z.string().optional().describe('Name of the objects; empty: any.'),
};

function namesSomething({ kind = '', name = '' }: { kind?: string | undefined; name?: string | undefined }): boolean {
  return kind !== '' || name !== '';
}

const SELECTS_ALL = { error: 'kind or name is needed' };

const chart = z.object({
  from: z.array(z.string().min(1)).min(1).describe('One source that is a chart, or sources of manifests.'),
  values: anyObject.optional().describe("Merged over the chart's values.yaml."),
  overlay: z.string().min(1).optional().describe('Folder beside the recipe, whose files replace those of the chart.'),
  exclude: z.array(z.object(selector).refine(namesSomething, SELECTS_ALL)).optional().describe('Objects left out.'),
  patches: z
    .array(
      z
        .object({ ...selector, merge: anyObject.describe('JSON merge patch, RFC 7386.') })
        .refine(namesSomething, SELECTS_ALL),
    )
    .optional()
    .describe('Changes of objects.'),
  crdsDir: z.boolean().optional().describe("Puts the CRDs of manifests into the chart's crds folder."),
  steps: z
    .array(z.object({ plugin: z.string().min(1), with: anyObject.optional() }))
    .optional()
    .describe('Programs that change the chart.'),
});

const imageSignature = z.object({
  repositories: z.array(z.string().min(1)).min(1).describe('Repositories of images; * is one part of a path.'),
  key: z.string().optional().describe('File with the public key, beside the recipe.'),
  identity: z.string().optional().describe('Subject of the certificate.'),
  issuer: z.string().optional().describe('Issuer of the identity.'),
  signatureDigest: z.enum(['sha384', 'sha512']).optional().describe('Digest that is signed, where not sha256.'),
  ignoreTransparencyLog: z.boolean().optional().describe('Accepts what is in no transparency log.'),
});

const chartSignature = z.object({
  sources: z.array(z.string().min(1)).min(1).describe('Sources of the recipe that are charts.'),
  keyring: z.string().min(1).describe('File with the keyring, beside the recipe.'),
});

const verify = z.object({
  images: z.array(imageSignature).optional().describe('Signatures of images.'),
  charts: z.array(chartSignature).optional().describe('Provenance of charts.'),
});

export const recipeSpec = z.object({
  version: z.string().min(1).describe('Version that is packaged, an exact one.'),
  build: int32.min(0).default(0).describe('Number of the packaging of that version.'),
  sources: z.record(z.string(), source).optional().describe('What charts are made from, by name.'),
  charts: z.record(z.string(), chart).optional().describe('Charts of the package, by name.'),
  verify: verify.optional().describe('Signatures that what comes from outside must carry.'),
  package: packageSourceSpec.describe('The PackageSource; components name built charts by path.'),
});

const recipe = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({
    name: z
      .string()
      .max(63)
      .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'must be lower case letters, digits, "-" and "."'),
    annotations: z.record(z.string(), z.string()).optional(),
    labels: z.record(z.string(), z.string()).optional(),
  }),
  spec: recipeSpec,
});

export type RecipeSpec = z.output<typeof recipeSpec>;
export type RecipeSource = z.output<typeof source>;
export type RecipeChart = z.output<typeof chart>;
export type RecipePatch = NonNullable<RecipeChart['patches']>[number];
export type RecipeSelector = NonNullable<RecipeChart['exclude']>[number];

/** How a package is made of what others publish: a file, never an object of the cluster. */
export interface Recipe {
  readonly apiVersion: string;
  readonly kind: 'Recipe';
  readonly metadata: ObjectMeta;
  readonly spec: RecipeSpec;
}

export type ParsedRecipe =
  | { readonly ok: true; readonly value: Recipe }
  | { readonly ok: false; readonly error: KubepkgError; readonly problems: readonly Problem[] };

/** Unknown fields are refused: a misspelt one would change the package without a word. */
export function parseRecipe(value: unknown): ParsedRecipe {
  const parsed = recipe.safeParse(value);
  const problems = [
    ...(parsed.error?.issues ?? []).map((issue) => problemOf(issue, value)),
    ...unknownFields(recipe, value),
    ...(parsed.success ? typeProblems(parsed.data) : []),
  ];
  if (!parsed.success || problems.length > 0) return { ok: false, problems, error: recipeError(problems) };
  const { apiVersion, metadata, spec } = parsed.data;
  const { name, annotations, labels } = metadata;
  return {
    ok: true,
    value: {
      apiVersion,
      kind: 'Recipe',
      metadata: {
        name,
        ...(annotations === undefined ? {} : { annotations }),
        ...(labels === undefined ? {} : { labels }),
      },
      spec,
    },
  };
}

function typeProblems({ apiVersion, kind }: { apiVersion: string; kind: string }): readonly Problem[] {
  const isServed = SERVED_VERSIONS.some((version) => apiVersion === `${GROUP}/${version}`);
  return [
    ...(kind === 'Recipe' ? [] : [{ path: 'kind', message: 'must be Recipe' }]),
    ...(isServed
      ? []
      : [{ path: 'apiVersion', message: `must be one of the versions ${SERVED_VERSIONS.join(', ')} of ${GROUP}` }]),
  ];
}

function recipeError(problems: readonly Problem[]): KubepkgError {
  const texts = problems.map(({ path, message, remedy }) => {
    return `${path === '' ? 'the file' : path}: ${message}${remedy === undefined ? '' : ` (${remedy})`}`;
  });
  return new KubepkgError('InvalidInput', `Recipe: ${texts.join('; ')}`, { hint: 'correct the fields that are named' });
}
