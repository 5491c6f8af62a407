import { API_VERSION } from '../../../api/names.ts';
import type { KubeObject } from '../../../api/kube.ts';
import type { Recipe } from '../../../api/recipe.ts';
import { asArray, isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';

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

/** A chart of a recipe, as a registry has it by itself. */
export interface PublishedChart {
  readonly repository: string;
  readonly name: string;
  readonly version: string;
  /** Of its archive. */
  readonly digest: string;
}

/** How the charts of a recipe can be had; a folder is what a component says of the disk that they were built on. */
export type Publication =
  | { readonly kind: 'none' }
  | { readonly kind: 'tree'; readonly url: string }
  | { readonly kind: 'charts'; readonly charts: ReadonlyMap<string, PublishedChart> };

/** The name of the chart that a component means by its path. */
export function chartNameOf(path: string): string {
  return path.replace(/^\.\/|\/$/g, '');
}

/** kubepkg puts libraries and values files into charts when it takes them out of a tree; nobody else does. */
export function needsTree({ variants = [] }: Recipe['spec']['package']): boolean {
  return variants.some(
    ({ libraries = [], components = [] }) =>
      libraries.length > 0 ||
      components.some((component) => [...(component.libraries ?? []), ...(component.valuesFiles ?? [])].length > 0),
  );
}

/** The PackageSource that installs what is built, as written. */
export function sourceOfRecipe({ metadata, spec }: Recipe, written: JsonObject, publication: Publication): KubeObject {
  const { version, build } = spec;
  const { name, annotations, labels } = metadata;
  const sourceRef = publication.kind === 'tree' ? { sourceRef: { kind: 'OCIArtifact', url: publication.url } } : {};
  return {
    apiVersion: API_VERSION,
    kind: 'PackageSource',
    metadata: {
      name,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: { version, build, ...sourceRef, ...(publication.kind === 'charts' ? pinned(written, publication) : written) },
  };
}

/** Each component with its chart in the place of the path. */
function pinned(written: JsonObject, { charts }: Extract<Publication, { kind: 'charts' }>): JsonObject {
  const pin = (component: JsonObject): JsonObject => {
    const fields = Object.entries(component).map(([field, value]): readonly [string, JsonValue] => {
      const chart = field === 'path' && typeof value === 'string' ? charts.get(chartNameOf(value)) : undefined;
      return chart === undefined ? [field, value] : ['chart', { ...chart }];
    });
    return Object.fromEntries(fields);
  };
  return within(written, 'variants', (variant) => within(variant, 'components', pin));
}

/** An object with each object of one of its lists changed. */
function within(object: JsonObject, field: string, change: (item: JsonObject) => JsonObject): JsonObject {
  if (object[field] === undefined) return object;
  const items = asArray(object[field]) as readonly JsonValue[];
  return { ...object, [field]: items.map((item) => (isJsonObject(item) ? change(item) : item)) };
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
