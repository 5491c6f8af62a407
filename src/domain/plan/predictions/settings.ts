import { at, isRecord } from '../../../lib/json.ts';
import { align } from '../diff/align.ts';
import { fieldPath, itemPath } from '../diff/field-path.ts';
import { type ListMatch, matchItems } from '../diff/list-keys.ts';

/** A field, as names and as people read it. */
export interface FieldAt {
  readonly names: readonly string[];
  readonly path: string;
}

/**
 * The fields of a live object that writing this over it would set otherwise. What only the live one has is a default
 * or somebody else's; an empty value is the same as none.
 */
export function fieldsSet(live: unknown, wanted: unknown, place: FieldAt): readonly string[] {
  if (wanted === undefined || wanted === null) return [];
  if (isRecord(wanted)) return fieldsSetInMap(live, wanted, place);
  if (Array.isArray(wanted)) return fieldsSetInList(live, wanted, place);
  return isSame(live, wanted, place.names) ? [] : [place.path];
}

/** The fields that were written before, are written no more, and are still there. */
export function fieldsDropped({ before, after, live }: Sides, place: FieldAt): readonly string[] {
  if (Array.isArray(before)) return fieldsDroppedInList(before, { before, after, live }, place);
  if (!isRecord(before) || !isRecord(live)) return [];
  return Object.entries(before).flatMap(([key, value]) => {
    if (isEmpty(value) || isEmpty(live[key])) return [];
    const next = fieldBelow(place, key);
    if (isEmpty(at(after, key))) return [next.path];
    return fieldsDropped({ before: value, after: at(after, key), live: live[key] }, next);
  });
}

/** One object: as it was written, as it will be, and as it is. */
interface Sides {
  readonly before: unknown;
  readonly after: unknown;
  readonly live: unknown;
}

function fieldsDroppedInList(before: readonly unknown[], { after, live }: Sides, place: FieldAt): readonly string[] {
  const [wanted, present] = [after, live].map((list): readonly unknown[] => (Array.isArray(list) ? list : []));
  const [match, now] = [wanted, present].map((list) => matchAt(place, before, list ?? []));
  if (match === undefined || now === undefined) {
    const isLess = before.some(
      (item, index) =>
        fieldsDropped({ before: item, after: wanted?.[index], live: present?.[index] }, place).length > 0,
    );
    return isLess ? [place.path] : [];
  }
  return [...match.before].flatMap(([id, item]) => {
    const next = { ...place, path: itemPath(place.path, JSON.parse(id)) };
    if (!match.after.has(id)) return now.after.has(id) ? [next.path] : [];
    return fieldsDropped({ before: item, after: match.after.get(id), live: now.after.get(id) }, next);
  });
}

function matchAt({ names }: FieldAt, before: readonly unknown[], after: readonly unknown[]): ListMatch | undefined {
  return matchItems(before, after, { field: names.at(-1) ?? '', schema: undefined, custom: false });
}

export function fieldNamed(...names: readonly string[]): FieldAt {
  return { names, path: names.reduce((path, name) => fieldPath(path, name), '') };
}

function fieldsSetInMap(live: unknown, wanted: Readonly<Record<string, unknown>>, place: FieldAt): readonly string[] {
  if (!isRecord(live) && !isEmpty(live)) return [place.path];
  return Object.entries(wanted).flatMap(([key, value]) => fieldsSet(at(live, key), value, fieldBelow(place, key)));
}

function fieldsSetInList(live: unknown, wanted: readonly unknown[], place: FieldAt): readonly string[] {
  const present: readonly unknown[] = Array.isArray(live) ? live : [];
  const match = matchAt(place, present, wanted);
  if (match !== undefined) return fieldsSetInItems(match, place);
  const isSameList =
    present.length === wanted.length &&
    wanted.every((item, index) => fieldsSet(present[index], item, place).length === 0);
  return isSameList ? [] : [place.path];
}

function fieldsSetInItems({ before, after }: ListMatch, place: FieldAt): readonly string[] {
  return [...after].flatMap(([id, item]) => {
    const path = itemPath(place.path, JSON.parse(id));
    return before.has(id) ? fieldsSet(before.get(id), item, { ...place, path }) : [path];
  });
}

function isSame(live: unknown, wanted: unknown, names: readonly string[]): boolean {
  return (isEmpty(live) && isEmpty(wanted)) || align(live, wanted, { fields: names, custom: false }).kind === 'same';
}

/** What the API server leaves out, or fills in with the same. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true;
  return (Array.isArray(value) && value.length === 0) || (isRecord(value) && Object.keys(value).length === 0);
}

function fieldBelow({ names, path }: FieldAt, key: string): FieldAt {
  return { names: [...names, key], path: fieldPath(path, key) };
}
