import { at, isRecord } from '../../lib/json.ts';
import type { JsonMap, ManagedFieldsEntry } from '../model/object.ts';
import { setOf } from './field-collector.ts';
import { difference, hasPath, isEmptySet } from './field-set.ts';
import { type Ownership, printOwnerships } from './managers.ts';
import { fieldElement } from './path-element.ts';
import { managersOf, trackUpdate, type TrackUpdate } from './update.ts';

/**
 * The managed fields after an update through the scale. What is not owned by anybody is not tracked there. The scale
 * speaks of its objects in a version of its own: whoever owned the replicas by an update of the object is taken for
 * somebody else, and listed again, for them alone and without a time. So the object is written anew even when its
 * replicas are as before.
 */
export function trackScale(update: TrackUpdate, replicas: readonly string[]): readonly ManagedFieldsEntry[] {
  const path = replicas.map(fieldElement);
  const ofReplicas = setOf(path);
  const before = [...(managersOf(update.before)?.values() ?? [])];
  if (!before.some(({ fields }) => hasPath(fields, path))) return printOwnerships(before);
  const split = (owner: Ownership): readonly Ownership[] => {
    if (owner.operation !== 'Update' || !hasPath(owner.fields, path)) return [owner];
    const fields = difference(owner.fields, ofReplicas);
    const scaler = { ...owner, time: undefined, fields: ofReplicas };
    return isEmptySet(fields) ? [scaler] : [{ ...owner, fields }, scaler];
  };
  const { before: live, after: next } = update;
  const seen = { ...update, before: live && withoutZero(live, replicas), after: withoutZero(next, replicas) };
  const after = managersOf({ metadata: { managedFields: trackUpdate(seen) } });
  return printOwnerships([...(after?.values() ?? [])].flatMap(split));
}

/** A scale of none leaves its replicas out, so that nobody owns them. */
function withoutZero<T extends JsonMap>(object: T, path: readonly string[]): T {
  return at(object, ...path) === 0 ? (without(object, path) as T) : object;
}

function without(map: JsonMap, [head = '', ...rest]: readonly string[]): JsonMap {
  const { [head]: inner, ...others } = map;
  return rest.length === 0 || !isRecord(inner) ? others : { ...others, [head]: without(inner, rest) };
}
