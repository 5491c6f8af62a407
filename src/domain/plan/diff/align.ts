import { at, isRecord } from '../../../lib/json.ts';
import { itemId, type ListKeys, matchItems } from './list-keys.ts';
import { compareQuantities } from './quantity.ts';

/** Two values, laid side by side; what is undefined is not there. */
export type Aligned =
  | { readonly kind: 'same'; readonly value: unknown }
  | { readonly kind: 'value'; readonly before: unknown; readonly after: unknown }
  | { readonly kind: 'map'; readonly fields: readonly AlignedField[] }
  | { readonly kind: 'list'; readonly keys: ListKeys; readonly items: readonly AlignedItem[] };

interface AlignedField {
  readonly key: string;
  readonly node: Aligned;
}

interface AlignedItem {
  readonly id: unknown;
  readonly node: Aligned;
}

export interface Place {
  /** Names of the fields that lead here; lists add none. */
  readonly fields: readonly string[];
  /** OpenAPI schema of what stands here. */
  readonly schema?: unknown;
  readonly custom: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

export function align(before: unknown, after: unknown, place: Place): Aligned {
  if (isRecord(before) && isRecord(after)) return alignMaps(before, after, place);
  if (Array.isArray(before) && Array.isArray(after)) return alignLists(before, after, place);
  return before === after || isSameQuantity(before, after, place.fields)
    ? { kind: 'same', value: before }
    : { kind: 'value', before, after };
}

function alignMaps(before: Fields, after: Fields, place: Place): Aligned {
  const keys = Object.keys({ ...before, ...after }).sort(byImportance);
  const fields = keys.map((key) => ({ key, node: align(own(before, key), own(after, key), below(place, key)) }));
  if (fields.every(({ node }) => node.kind === 'same')) return { kind: 'same', value: before };
  const isOneEmpty = Object.keys(before).length === 0 || Object.keys(after).length === 0;
  return isOneEmpty ? { kind: 'value', before, after } : { kind: 'map', fields };
}

function alignLists(before: readonly unknown[], after: readonly unknown[], place: Place): Aligned {
  const field = place.fields.at(-1) ?? '';
  const match = matchItems(before, after, { field, schema: place.schema, custom: place.custom });
  const inside = { ...place, schema: at(place.schema, 'items') };
  if (match === undefined) return alignByPosition(before, after, inside);
  const ids = [...new Set([...match.before.keys(), ...match.after.keys()])];
  const items = ids.map((id) => {
    const [left, right] = [match.before.get(id), match.after.get(id)];
    return { id: itemId(left ?? right, match.keys), node: align(left, right, inside) };
  });
  if (items.every(({ node }) => node.kind === 'same')) return { kind: 'same', value: before };
  const isOneEmpty = before.length === 0 || after.length === 0;
  return isOneEmpty ? { kind: 'value', before, after } : { kind: 'list', keys: match.keys, items };
}

function alignByPosition(before: readonly unknown[], after: readonly unknown[], place: Place): Aligned {
  const isSame =
    before.length === after.length && before.every((item, index) => align(item, after[index], place).kind === 'same');
  return isSame ? { kind: 'same', value: before } : { kind: 'value', before, after };
}

function below(place: Place, key: string): Place {
  const declared = at(place.schema, 'properties', key) ?? at(place.schema, 'additionalProperties');
  return { ...place, fields: [...place.fields, key], schema: declared };
}

/** As people write objects: what names them first. */
export function byImportance(a: string, b: string): number {
  const [left, right] = [rankOf(a), rankOf(b)];
  if (left !== right) return left - right;
  return a < b ? -1 : Number(a > b);
}

function rankOf(key: string): number {
  const rank = ['apiVersion', 'kind', 'name', 'metadata'].indexOf(key);
  return rank < 0 ? 4 : rank;
}

function own(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

const QUANTITY_MAPS: readonly string[] = ['limits', 'requests', 'hard', 'capacity', 'overhead', 'podFixed'];
const QUANTITY_FIELDS: readonly string[] = ['sizeLimit', 'divisor', 'averageValue'];
const LIMIT_RANGE: readonly string[] = ['default', 'defaultRequest', 'max', 'maxLimitRequestRatio', 'min'];

/** By where they stand: elsewhere `1` and `1000m` are just texts. */
function isSameQuantity(before: unknown, after: unknown, fields: readonly string[]): boolean {
  const [parent = '', field = ''] = fields.slice(-2);
  const isLimit = LIMIT_RANGE.includes(parent) && fields.at(-3) === 'limits';
  const isQuantity = isLimit || QUANTITY_MAPS.includes(parent) || QUANTITY_FIELDS.includes(field);
  return isQuantity && compareQuantities(before, after) === 0;
}
