import { sha256 } from '../../../src/lib/digest.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { goYaml } from './go-yaml.ts';

/** sha256 of the values as YAML with sorted keys; of nothing when there are none ("What each field proves": configDigest). */
export function configDigest(values: JsonObject): string {
  const text = Object.keys(values).length === 0 ? '' : goYaml(values);
  return `sha256:${sha256(text)}`;
}
