import { asArray, at, isRecord } from '../../lib/json.ts';
import { forbidden, invalidValue, notSupported, required } from '../model/causes.ts';
import type { JsonMap } from '../model/object.ts';
import type { StatusCause } from '../model/status-error.ts';

type Causes = readonly StatusCause[];

/** What is wrong with how a schema says that its lists and maps merge. */
export function listTypeProblems(schema: JsonMap, path: string): Causes {
  return [
    ...mapTypeProblems(schema, path),
    ...ownTypeProblems(schema, path),
    ...keyProblems(schema, path),
    ...nullableItems(schema, path),
  ];
}

function mapTypeProblems(schema: JsonMap, path: string): Causes {
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === undefined) return [];
  return [
    ...needType(schema, path, ['object', 'x-kubernetes-map-type']),
    ...(mapType === 'atomic' || mapType === 'granular'
      ? []
      : [notSupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular'])]),
  ];
}

function ownTypeProblems(schema: JsonMap, path: string): Causes {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === undefined) return [];
  const place = `${path}.x-kubernetes-list-type`;
  const misplaced = needType(schema, path, ['array', 'x-kubernetes-list-type']);
  const isKnown = listType === 'atomic' || listType === 'set' || listType === 'map';
  return [
    ...misplaced,
    ...(misplaced.length === 0 && listType === 'set' ? setProblems(schema['items'], `${path}.items`) : []),
    ...(isKnown ? [] : [notSupported(place, listType, ['atomic', 'set', 'map'])]),
  ];
}

function needType({ type = '' }: JsonMap, path: string, [wanted, field]: readonly [string, string]): Causes {
  if (type === wanted) return [];
  const detail = `must be ${wanted} if ${field} is specified`;
  return [type === '' ? required(`${path}.type`, detail) : invalidValue(`${path}.type`, type, detail)];
}

function nullableItems(schema: JsonMap, path: string): Causes {
  const listType = schema['x-kubernetes-list-type'];
  if (listType !== 'set' && listType !== 'map') return [];
  if (at(schema['items'], 'nullable') !== true) return [];
  return [forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`)];
}

/** Items of a set are compared as wholes. */
function setProblems(items: unknown, path: string): Causes {
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = at(items, 'x-kubernetes-list-type');
  switch (at(items, 'type')) {
    case 'array':
      if (listType === undefined || listType === 'atomic') return [];
      return [invalidValue(`${path}.x-kubernetes-list-type`, listType, detail)];
    case 'object':
      if (at(items, 'x-kubernetes-map-type') === 'atomic') return [];
      return [invalidValue(`${path}.x-kubernetes-map-type`, listType, detail)];
    default:
      return [];
  }
}

function keyProblems(schema: JsonMap, path: string): Causes {
  const keys = asArray(schema['x-kubernetes-list-map-keys']);
  const listType = schema['x-kubernetes-list-type'];
  if (listType !== 'map') {
    const place = `${path}.x-kubernetes-list-type`;
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    if (keys.length === 0) return [];
    return [listType === undefined ? required(place, detail) : invalidValue(place, listType, detail)];
  }
  const { items } = schema;
  return [
    ...(keys.length > 0
      ? []
      : [required(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map')]),
    ...(items === undefined
      ? [required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map')]
      : mapItemProblems(items, keys, path)),
  ];
}

function mapItemProblems(items: unknown, keys: readonly unknown[], path: string): Causes {
  const type = at(items, 'type') ?? '';
  if (type !== 'object') {
    return [invalidValue(`${path}.items.type`, type, "must be object if parent array's x-kubernetes-list-type is map")];
  }
  return [
    ...keys.flatMap((key) => entryProblems(at(items, 'properties', String(key)), { key: String(key), keys, path })),
    ...keys
      .filter((key, index) => keys.indexOf(key) < index)
      .map(() => {
        return invalidValue(`${path}.x-kubernetes-list-map-keys`, keys, 'must not contain duplicate entries');
      }),
    ...unsettledKeys(items, keys, path),
  ];
}

interface Entry {
  readonly key: string;
  readonly keys: readonly unknown[];
  readonly path: string;
}

function entryProblems(property: unknown, { key, keys, path }: Entry): Causes {
  if (!isRecord(property)) {
    return [invalidValue(`${path}.x-kubernetes-list-map-keys`, keys, 'entries must all be names of item properties')];
  }
  const isScalar = property['type'] !== 'array' && property['type'] !== 'object';
  const place = `${path}.items.properties[${key}].type`;
  const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
  return isScalar ? [] : [invalidValue(place, 'object', detail)];
}

/** Each item has to have a value of each key. */
function unsettledKeys(items: unknown, keys: readonly unknown[], path: string): Causes {
  const needed = asArray(at(items, 'required'));
  return keys
    .filter((key) => at(items, 'properties', String(key)) !== undefined)
    .filter((key) => at(items, 'properties', String(key), 'default') === undefined && !needed.includes(key))
    .map((key) =>
      required(
        `${path}.items.properties[${String(key)}].default`,
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      ),
    );
}
