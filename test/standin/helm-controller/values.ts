import { asString, at, isJsonObject, type JsonObject, mergeValues } from '../../../src/lib/json.ts';
import { parseYaml, YamlError } from '../../../src/lib/yaml.ts';
import type { Cluster } from '../../../src/ports/cluster.ts';
import type { ValuesReference } from './spec.ts';
import type { WorkingCopy } from './working-copy.ts';

/** Values that cannot be had: retried with pauses that grow [17]. */
export class ValuesError extends Error {}

const PLURALS: Readonly<Record<string, string>> = { Secret: 'secrets', ConfigMap: 'configmaps' };

/** The values of a HelmRelease: what it refers to, in order, and its own on top. */
export async function composeValues(copy: WorkingCopy, cluster: Cluster): Promise<JsonObject> {
  let values: JsonObject = {};
  for (const reference of copy.spec.valuesFrom) {
    const text = await read(reference, copy.namespace, cluster);
    if (text !== undefined) values = mergeValues(values, parse(text, reference, copy.namespace));
  }
  return mergeValues(values, copy.spec.values);
}

async function read(reference: ValuesReference, namespace: string, cluster: Cluster): Promise<string | undefined> {
  const { kind, name, valuesKey, optional } = reference;
  if (kind !== 'Secret' && kind !== 'ConfigMap') throw wrong(reference, namespace, 'unsupported values reference kind');
  const object = await cluster.read({ apiVersion: 'v1', kind, namespace, name });
  const found = object === undefined ? undefined : asString(at(object, 'data', valuesKey));
  if (found !== undefined) return kind === 'Secret' ? Buffer.from(found, 'base64').toString('utf8') : found;
  if (optional) return undefined;
  const why = object === undefined ? `${PLURALS[kind] ?? ''} "${name}" not found` : 'key not found';
  throw wrong(reference, namespace, why);
}

function parse(text: string, reference: ValuesReference, namespace: string): JsonObject {
  try {
    const values = parseYaml(text, reference.valuesKey);
    if (values === null) return {};
    if (isJsonObject(values)) return values;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw wrong(reference, namespace, error.message);
  }
  throw wrong(reference, namespace, 'failed to read values data');
}

function wrong({ kind, name, valuesKey }: ValuesReference, namespace: string, why: string): ValuesError {
  return new ValuesError(
    `could not resolve ${kind} chart values reference '${namespace}/${name}' with key '${valuesKey}': ${why}`,
  );
}
