import { API_VERSION } from '../../../api/names.ts';
import type { JsonObject, JsonValue } from '../../../lib/json.ts';

/** One chart of a recipe that is begun, and the source that it is made from. */
export interface DraftPart {
  readonly name: string;
  /** As it is written below `spec.sources`. */
  readonly source: JsonObject;
  readonly isManifests: boolean;
  /** Has Namespaces, which kubepkg makes itself. */
  readonly hasNamespaces: boolean;
  /** Has CRDs where Helm does not upgrade them. */
  readonly hasCrdFolder: boolean;
  /** It reads the versions that only hooks are told. */
  readonly isHook: boolean;
}

export interface DraftWords {
  readonly name: string;
  readonly namespace: string;
  readonly version: string;
  readonly description?: string | undefined;
  readonly home?: string | undefined;
  readonly crds: readonly string[];
}

/** A recipe to start from: every source pinned, one component for each chart. */
export function draftRecipe(words: DraftWords, parts: readonly DraftPart[]): JsonObject {
  const { name, version, crds } = words;
  return {
    apiVersion: API_VERSION,
    kind: 'Recipe',
    metadata: { name, ...annotationsOf(words) },
    spec: {
      version,
      build: 1,
      sources: Object.fromEntries(parts.map((part) => [part.name, part.source])),
      charts: Object.fromEntries(parts.map((part) => [part.name, chartOf(part)])),
      package: {
        ...(crds.length === 0 ? {} : { crds }),
        rollback: { safe: false },
        variants: [{ name: 'default', components: parts.map((part) => componentOf(part, words)) }],
      },
    },
  };
}

function annotationsOf({ description, home }: DraftWords): { readonly annotations?: JsonObject } {
  const annotations = {
    ...(description === undefined ? {} : { 'kubepkg.dev/description': description }),
    ...(home === undefined ? {} : { 'kubepkg.dev/home': home }),
  };
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}

function chartOf({ name, isManifests, hasNamespaces, hasCrdFolder }: DraftPart): JsonObject {
  return {
    from: [name],
    ...(isManifests && hasNamespaces ? { exclude: [{ kind: 'Namespace' }] } : {}),
    ...(isManifests && hasCrdFolder ? { crdsDir: true } : {}),
  };
}

function componentOf({ name, hasCrdFolder, isHook }: DraftPart, { namespace }: DraftWords): JsonValue {
  const install = {
    namespace,
    ...(hasCrdFolder ? { upgradeCRDs: 'CreateReplace' } : {}),
    ...(isHook ? { phase: 'PreUpgrade' } : {}),
  };
  return { name, path: name, install };
}
