import { KubepkgError } from '../api/errors.ts';
import { type KubeObject, nameOf } from '../api/kube.ts';
import { isRecord } from '../lib/json.ts';
import { parseYamlDocuments, YamlError } from '../lib/yaml.ts';
import type { DeliveredDocument } from './release-reader.ts';

/** The object that a document of a manifest describes, in the namespace where it is. */
export function objectOf({ ref, text }: DeliveredDocument): KubeObject {
  const object = parsed({ ref, text }).find(isRecord) ?? {};
  const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
  // How it is named has been read from the same text already.
  const { apiVersion, kind, name, namespace } = ref;
  const placed = namespace === undefined ? {} : { namespace };
  return { ...object, apiVersion, kind, metadata: { ...metadata, name, ...placed } };
}

function parsed({ ref, text }: DeliveredDocument): readonly unknown[] {
  try {
    return parseYamlDocuments(text, 'manifest', { lenient: true });
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    // Only the reason, as the rest may quote a Secret.
    const place = `line ${String(error.line)}, column ${String(error.column)}`;
    throw new KubepkgError('HelmFailed', `${nameOf(ref)} cannot be parsed: ${place}: ${error.reason}`);
  }
}
