import { FAILSAFE_SCHEMA, load } from 'js-yaml';
import type { ObjectRef } from '../../api/kube.ts';
import { asArray, asString, at, isRecord } from '../../lib/json.ts';

/** One document of a manifest and the object that it names. */
export interface ManifestDocument {
  readonly text: string;
  readonly ref: ObjectRef;
  /** Every scalar is text here: enough to name and to annotate. */
  readonly object: Readonly<Record<string, unknown>>;
}

const SEPARATOR = /(?:^|\s*\n)---\s*/;

/** The documents of a stored manifest, in order; empty ones and ones without a name (`generateName`) are left out. */
export function manifestDocuments(manifest: string): readonly ManifestDocument[] {
  return manifest
    .split(SEPARATOR)
    .filter((text) => text.trim() !== '')
    .flatMap((text) => documentsOf(text));
}

export function manifestOf(documents: readonly ManifestDocument[]): string {
  return documents.map(({ text }) => `---\n${text.trim()}\n`).join('');
}

/** The document with an annotation set, as JSON, which is YAML too. */
export function annotate(document: ManifestDocument, key: string, value: string): ManifestDocument {
  const metadata = isRecord(document.object['metadata']) ? document.object['metadata'] : {};
  const annotations = isRecord(metadata['annotations']) ? metadata['annotations'] : {};
  return withObject({ ...document.object, metadata: { ...metadata, annotations: { ...annotations, [key]: value } } });
}

/** Only names are wanted, so scalars stay text: no number is too large and no date is special. */
function documentsOf(text: string): readonly ManifestDocument[] {
  const object: unknown = load(text, { schema: FAILSAFE_SCHEMA });
  if (!isRecord(object)) return [];
  if (asString(object['kind'])?.endsWith('List') === true && Array.isArray(object['items'])) {
    return asArray(object['items']).flatMap((item) => (isRecord(item) ? named(withObject(item)) : []));
  }
  return named({ text, ref: refIn(object), object });
}

function withObject(object: Readonly<Record<string, unknown>>): ManifestDocument {
  return { text: JSON.stringify(object), ref: refIn(object), object };
}

function named(document: ManifestDocument): readonly ManifestDocument[] {
  return document.ref.kind === '' || document.ref.name === '' ? [] : [document];
}

function refIn(object: Readonly<Record<string, unknown>>): ObjectRef {
  const namespace = asString(at(object, 'metadata', 'namespace'));
  return {
    apiVersion: asString(object['apiVersion']) ?? '',
    kind: asString(object['kind']) ?? '',
    name: asString(at(object, 'metadata', 'name')) ?? '',
    ...(namespace === undefined || namespace === '' ? {} : { namespace }),
  };
}
