import type { JsonMap, ManagedFieldsEntry } from '../model/object.ts';
import { sameJson } from '../model/same-json.ts';
import { managedFieldsOf, withoutManagedFields } from './update.ts';

/**
 * The managed fields for an object that is to be written: those of before when nothing but times is new, so that
 * writing the same again changes nothing. Compare whole objects, as they would be stored.
 */
export function keepTimes(before: JsonMap, after: JsonMap): readonly ManagedFieldsEntry[] {
  const older = entriesOf(before);
  const newer = entriesOf(after);
  const isSame =
    older.length === newer.length &&
    newer.every((entry, index) => sameJson({ ...entry, time: '' }, { ...older[index], time: '' })) &&
    sameJson(withoutManagedFields(before), withoutManagedFields(after));
  return isSame ? older : newer;
}

function entriesOf(object: JsonMap): readonly ManagedFieldsEntry[] {
  return (managedFieldsOf(object) ?? []) as readonly ManagedFieldsEntry[];
}
