import type { ManagedField } from '../api/kube.ts';
import { FIELD_MANAGER } from '../api/names.ts';
import { at, isRecord } from '../lib/json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Whoever wrote the versions of a CRD wrote its definition; one who injects certificates did not. */
export function ownsVersions(entry: ManagedField): boolean {
  return entry.subresource === undefined && at(entry, 'fieldsV1', 'f:spec', 'f:versions') !== undefined;
}

/**
 * The managed fields with the definition as what kubepkg applied. A server-side apply removes only what the same
 * manager had applied before: as long as the one who created a CRD holds its fields too, a short name or a conversion
 * webhook that the chart has dropped never goes. Undefined when nobody else holds it.
 */
export function withSpecTaken(managedFields: readonly ManagedField[]): readonly ManagedField[] | undefined {
  const donors = managedFields.filter((entry) => !isApplied(entry) && ownsVersions(entry));
  const [first] = donors;
  if (first === undefined) return undefined;
  const own = managedFields.find((entry) => isApplied(entry));
  const base = own ?? { ...first, manager: FIELD_MANAGER, operation: 'Apply', fieldsV1: {} };
  const fields = [base, ...donors].map((entry) => specOf(entry)).reduce((all, more) => union(all, more));
  const others = managedFields
    .filter((entry) => entry !== own)
    .map((entry) => (donors.includes(entry) ? withoutSpec(entry) : entry));
  return [...others, withFields(base, { ...fieldsOf(base), ...fields })];
}

function isApplied({ manager, operation, subresource }: ManagedField): boolean {
  return manager === FIELD_MANAGER && operation === 'Apply' && subresource === undefined;
}

function fieldsOf(entry: ManagedField): Fields {
  const fields = at(entry, 'fieldsV1');
  return isRecord(fields) ? fields : {};
}

function withFields(entry: ManagedField, fieldsV1: Fields): ManagedField {
  return Object.assign({}, entry, { fieldsV1 });
}

function specOf(entry: ManagedField): Fields {
  const spec = fieldsOf(entry)['f:spec'];
  return spec === undefined ? {} : { 'f:spec': spec };
}

function withoutSpec(entry: ManagedField): ManagedField {
  const { 'f:spec': _spec, ...rest } = fieldsOf(entry);
  return withFields(entry, rest);
}

/** Sets of fields are trees of maps. */
function union(a: Fields, b: Fields): Fields {
  const all: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const known = all[key];
    all[key] = isRecord(known) && isRecord(value) ? union(known, value) : value;
  }
  return all;
}
