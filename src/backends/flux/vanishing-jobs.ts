import { type ObjectRef, refKey } from '../../api/kube.ts';
import { manifestDocuments, mayVanish } from '../../helm/manifest.ts';
import { asArray, asString, at } from '../../lib/json.ts';
import type { InventoryItem } from '../../ports/backend.ts';

/**
 * The Jobs of a manifest that remove themselves, for an annotation of the HelmRelease: they are followed from its first
 * write on, as one may have ended and be gone before the release record has been read (F49).
 */
export function writeVanishing(manifest: string): string {
  const refs = manifestDocuments(manifest).flatMap(({ ref, text }) => (mayVanish(ref, text) ? [ref] : []));
  return JSON.stringify(refs.map(({ apiVersion, namespace, name }) => [apiVersion, namespace ?? '', name]));
}

/** Anybody may have edited it: what cannot be read is not known. */
export function readVanishing(annotation: string | undefined, releaseNamespace: string): readonly InventoryItem[] {
  return asArray(parsed(annotation)).flatMap((entry) => {
    const [apiVersion = '', namespace = '', name = ''] = asArray(entry).map((part) => asString(part));
    if (!apiVersion.startsWith('batch/') || name === '') return [];
    return [
      { apiVersion, kind: 'Job', namespace: namespace === '' ? releaseNamespace : namespace, name, mayVanish: true },
    ];
  });
}

/** What a record lists, and what was noted that it does not list. */
export function withVanishing(
  recorded: readonly InventoryItem[],
  noted: readonly InventoryItem[],
): readonly InventoryItem[] {
  const known = new Set(recorded.map((item: ObjectRef) => refKey(item)));
  return [...recorded, ...noted.filter((item) => !known.has(refKey(item)))];
}

function parsed(annotation: string | undefined): unknown {
  try {
    return at({ value: JSON.parse(annotation ?? '[]') as unknown }, 'value');
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
