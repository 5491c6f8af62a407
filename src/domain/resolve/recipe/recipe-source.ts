import { API_VERSION } from '../../../api/names.ts';
import type { KubeObject } from '../../../api/kube.ts';
import type { Recipe } from '../../../api/recipe.ts';
import type { JsonObject } from '../../../lib/json.ts';

/** `shop-1.2.0-3`: names everything that is built of one packaging. */
export function buildName({ metadata, spec }: Recipe): string {
  return `${metadata.name}-${buildVersion(spec)}`;
}

/** The version of every chart of a packaging, as the reference numbers them. */
export function buildVersion({ version, build }: { readonly version: string; readonly build: number }): string {
  const [release = '', ...metadata] = version.split('+');
  return [`${release}-${String(build)}`, ...metadata].join('+');
}

/** A tag cannot have a plus. */
export function buildTag(spec: { readonly version: string; readonly build: number }): string {
  return buildVersion(spec).replaceAll('+', '_');
}

/** The PackageSource that installs what is built, as written; with a tree once there is one. */
export function sourceOfRecipe(
  { metadata, spec }: Recipe,
  written: JsonObject,
  treeUrl: string | undefined,
): KubeObject {
  const { version, build } = spec;
  const { name, annotations, labels } = metadata;
  const sourceRef = treeUrl === undefined ? {} : { sourceRef: { kind: 'OCIArtifact', url: treeUrl } };
  return {
    apiVersion: API_VERSION,
    kind: 'PackageSource',
    metadata: {
      name,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: { version, build, ...sourceRef, ...written },
  };
}

/** Chart.yaml with the name and version that the recipe gives it; what else it says stays. */
export function chartMetadata(
  metadata: JsonObject,
  { name, spec }: { readonly name: string; readonly spec: Recipe['spec'] },
): JsonObject {
  return { apiVersion: 'v2', ...metadata, name, version: buildVersion(spec) };
}

/** Of a chart that is made of manifests. */
export function wrappedMetadata({ metadata, spec }: Recipe, name: string): JsonObject {
  const description = metadata.annotations?.['kubepkg.dev/description'];
  const about = description === undefined ? {} : { description };
  return chartMetadata({ type: 'application', ...about, appVersion: spec.version }, { name, spec });
}
