import { badRequest } from './bad-patch.ts';

export const PATCH = '$patch';
export const RETAIN_KEYS = '$retainKeys';
export const DELETE_FROM_PRIMITIVE_LIST = '$deleteFromPrimitiveList';
export const SET_ELEMENT_ORDER = '$setElementOrder';

/** The field that a directive like `$setElementOrder/containers` is about; undefined for keys that are none. */
export function directiveOf(key: string, directive: string, what: string): string | undefined {
  if (!key.startsWith(directive)) return undefined;
  const slash = key.indexOf('/');
  if (slash === -1 || key.slice(0, slash) !== directive) throw badRequest(`invalid patch format of ${what}`);
  return key.slice(slash + 1);
}
