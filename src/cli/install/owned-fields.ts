import type { KubeObject } from '../../api/kube.ts';
import { asArray, asString, at, isRecord } from '../../lib/json.ts';

/**
 * The part of an object that a manager has applied before. Server-side apply takes away what a manager leaves out, so
 * who means to set one field more has to apply this together with it.
 */
export function ownedFields(object: KubeObject, manager: string): Readonly<Record<string, unknown>> {
  const entry = asArray(at(object.metadata, 'managedFields')).find(
    (one) =>
      at(one, 'manager') === manager &&
      at(one, 'operation') === 'Apply' &&
      asString(at(one, 'subresource')) === undefined,
  );
  const fields = at(entry, 'fieldsV1');
  const owned = isRecord(fields) ? pick(object, fields) : {};
  return isRecord(owned) ? owned : {};
}

/** Lists are taken whole: none of ours is merged by key. */
function pick(value: unknown, fields: Readonly<Record<string, unknown>>): unknown {
  const names = Object.keys(fields).filter((key) => key.startsWith('f:'));
  if (names.length === 0 || !isRecord(value)) return value;
  const picked: Record<string, unknown> = {};
  for (const key of names) {
    const name = key.slice('f:'.length);
    const inner = fields[key];
    if (name in value) picked[name] = isRecord(inner) ? pick(value[name], inner) : value[name];
  }
  return picked;
}
