import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../api/kube.ts';
import { asArray, asString, at, isRecord } from '../../lib/json.ts';

/**
 * The part of an object that a manager has applied before. Server-side apply takes away what a manager leaves out, so
 * who means to set one field more has to apply this together with it.
 */
export function ownedFields(object: KubeObject, manager: string): Readonly<Record<string, unknown>> {
  const fields = at(appliedBy(manager, object)[0], 'fieldsV1');
  const owned = isRecord(fields) ? pick(object, fields) : {};
  return isRecord(owned) ? owned : {};
}

/**
 * Whether a manager has applied just this before, and all of it is as it was applied: to apply it once more would
 * neither set a field nor take one away.
 */
export function isAppliedAlready(object: KubeObject, wanted: KubeObject, manager: string): boolean {
  const [entry, ...others] = appliedBy(manager, object);
  if (entry === undefined || others.length > 0 || at(entry, 'apiVersion') !== wanted.apiVersion) return false;
  return isDeepStrictEqual(contentOf(ownedFields(object, manager)), contentOf(wanted));
}

function contentOf(fields: Readonly<Record<string, unknown>>): unknown {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...content } = fields;
  const { name: _name, ...rest } = isRecord(metadata) ? metadata : {};
  return { ...content, metadata: rest };
}

function appliedBy(manager: string, object: KubeObject): readonly unknown[] {
  return asArray(at(object.metadata, 'managedFields')).filter(
    (one) =>
      at(one, 'manager') === manager &&
      at(one, 'operation') === 'Apply' &&
      asString(at(one, 'subresource')) === undefined,
  );
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
