import type { JsonMap } from '../model/object.ts';
import { failure } from './bad-patch.ts';
import { goValue } from './go-text.ts';

export function keyOf(item: JsonMap, mergeKey: string): unknown {
  if (Object.hasOwn(item, mergeKey)) return item[mergeKey];
  throw failure(`map: ${goValue(item)} does not contain declared merge key: ${mergeKey}`);
}
