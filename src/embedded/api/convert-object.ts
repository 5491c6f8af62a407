import { convertBuiltIn } from '../kinds/index.ts';
import type { JsonMap } from '../model/object.ts';
import { apiVersionOf, type Resource } from '../model/resource.ts';

/** The versions of a custom kind are one but for their name. */
export function convertObject(object: JsonMap, to: Resource): JsonMap {
  const apiVersion = apiVersionOf(to);
  if (object['apiVersion'] === apiVersion) return object;
  return to.custom ? { ...object, apiVersion } : convertBuiltIn(object, to);
}
