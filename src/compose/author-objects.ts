import { KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import { asArray, asString, at, isRecord } from '../lib/json.ts';
import { parseYamlDocuments, YamlError } from '../lib/yaml.ts';

/** The objects of a text of manifests, those of lists among them; `file` is for messages. */
export function objectsIn(text: string, file: string): readonly KubeObject[] {
  return documentsIn(text, file).flatMap((document) => flatten(document, file));
}

function documentsIn(text: string, file: string): readonly unknown[] {
  try {
    return parseYamlDocuments(text, file);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new KubepkgError('InvalidInput', error.message, { hint: 'correct the YAML at that place', cause: error });
  }
}

function flatten(document: unknown, file: string): readonly KubeObject[] {
  if (document === null) return [];
  if (asString(at(document, 'kind'))?.endsWith('List') === true && Array.isArray(at(document, 'items'))) {
    return asArray(at(document, 'items')).flatMap((item) => flatten(item, file));
  }
  if (isObject(document)) return [document];
  throw new KubepkgError('InvalidInput', `${file}: a document is no object with apiVersion, kind and metadata.name`, {
    hint: 'leave out what is no manifest, and put names that YAML takes for something else (y, no, 1) in quotes',
  });
}

function isObject(document: unknown): document is KubeObject {
  if (!isRecord(document)) return false;
  return [document['apiVersion'], document['kind'], at(document, 'metadata', 'name')].every(
    (part) => typeof part === 'string' && part !== '',
  );
}
