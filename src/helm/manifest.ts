import { FAILSAFE_SCHEMA, load, YAMLException } from 'js-yaml';
import { KubepkgError } from '../api/errors.ts';
import type { ObjectRef } from '../api/kube.ts';
import { asArray, asString, at, isRecord } from '../lib/json.ts';
import { topLevelBlocks } from './yaml-blocks.ts';

/** One document of a manifest and the object that it names. */
export interface ManifestDocument {
  readonly text: string;
  readonly ref: ObjectRef;
}

const SEPARATOR = /(?:^|\s*\n)---\s*/;
const HEAD: readonly string[] = ['apiVersion', 'kind', 'metadata', 'items'];

/** The documents of a stored manifest, in order; empty ones and ones without a name (`generateName`) are left out. */
export function manifestDocuments(manifest: string): readonly ManifestDocument[] {
  return manifest
    .split(SEPARATOR)
    .filter((text) => text.trim() !== '')
    .flatMap((text) => documentsOf(text));
}

/** A Job with a time to live removes itself once it has finished; of its specification nothing else is asked. */
export function mayVanish({ apiVersion, kind }: ObjectRef, text: string): boolean {
  return kind === 'Job' && apiVersion.startsWith('batch/') && /\bttlSecondsAfterFinished"?\s*:\s*\d/.test(text);
}

export function manifestOf(documents: readonly ManifestDocument[]): string {
  return documents.map(({ text }) => `---\n${text.trim()}\n`).join('');
}

/** An annotation as the document sets it. */
export function annotationIn({ text }: ManifestDocument, key: string): string | undefined {
  return asString(at(headOf(text), 'metadata', 'annotations', key));
}

/** The document with an annotation set; all but its metadata stays as it is written. */
export function annotate(document: ManifestDocument, key: string, value: string): ManifestDocument {
  const object = headOf(document.text);
  const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
  const annotations = isRecord(metadata['annotations']) ? metadata['annotations'] : {};
  const annotated = JSON.stringify({ ...metadata, annotations: { ...annotations, [key]: value } });
  const blocks = topLevelBlocks(document.text);
  if (blocks === undefined)
    return { ...document, text: JSON.stringify({ ...object, metadata: JSON.parse(annotated) as unknown }) };
  const text = blocks.map((block) => (block.key === 'metadata' ? `metadata: ${annotated}` : block.text)).join('\n');
  return { ...document, text };
}

function documentsOf(text: string): readonly ManifestDocument[] {
  const object = headOf(text);
  if (asString(object['kind'])?.endsWith('List') === true && Array.isArray(object['items'])) {
    return asArray(object['items']).flatMap((item) => named({ text: JSON.stringify(item), ref: refIn(item) }));
  }
  return named({ text, ref: refIn(object) });
}

/**
 * What names an object. The rest of a document is not even parsed, as it can be megabytes of schema, and every scalar
 * stays text: no number is too large and no date is special. As in helm, of two equal keys the later one counts.
 */
function headOf(text: string): Readonly<Record<string, unknown>> {
  const blocks = topLevelBlocks(text);
  const head = blocks?.filter(({ key }) => HEAD.includes(key)).map((block) => block.text);
  try {
    const object = load(head?.join('\n') ?? text, { schema: FAILSAFE_SCHEMA, json: true });
    return isRecord(object) ? object : {};
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    // Only the reason: the exception itself quotes the document.
    throw new KubepkgError('HelmFailed', `a document of a stored manifest cannot be read: ${error.reason}`);
  }
}

function named(document: ManifestDocument): readonly ManifestDocument[] {
  return document.ref.kind === '' || document.ref.name === '' ? [] : [document];
}

function refIn(object: unknown): ObjectRef {
  const namespace = asString(at(object, 'metadata', 'namespace'));
  return {
    apiVersion: asString(at(object, 'apiVersion')) ?? '',
    kind: asString(at(object, 'kind')) ?? '',
    name: asString(at(object, 'metadata', 'name')) ?? '',
    ...(namespace === undefined || namespace === '' ? {} : { namespace }),
  };
}
