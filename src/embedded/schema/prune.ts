import { isRecord } from '../../lib/json.ts';
import type { Schema } from '../model/schema.ts';

/** Told of each field that the schema does not know, with its path from the root: `spec.ports[0].foo`. */
type OnUnknown = (path: string) => void;

/** The value without the fields that its schema does not know; the same value when it has none. */
export function pruneUnknown(value: unknown, schema: Schema): unknown {
  return prune(value, { schema, path: undefined, onUnknown: () => undefined });
}

/** The paths of the fields that the schema does not know, as the API server names them in `unknown field "…"`. */
export function unknownFields(value: unknown, schema: Schema): readonly string[] {
  const paths: string[] = [];
  prune(value, { schema, path: '', onUnknown: (path) => paths.push(path) });
  return schema.definition === undefined ? paths.sort() : paths;
}

interface Place {
  readonly schema: Schema;
  /** Absent: nobody wants to know it. */
  readonly path: string | undefined;
  readonly onUnknown: OnUnknown;
}

function prune(value: unknown, place: Place): unknown {
  if (Array.isArray(value)) return pruneList(value, place);
  return isRecord(value) ? pruneMap(value, place) : value;
}

function pruneList(list: readonly unknown[], { schema, path, onUnknown }: Place): unknown {
  if (schema.items === undefined && schema.preserveUnknownFields === true) return list;
  const pruned = list.map((item, index) => {
    const itemPath = path === undefined ? undefined : `${path}[${String(index)}]`;
    return prune(item, { schema: schema.items ?? {}, path: itemPath, onUnknown });
  });
  return pruned.every((item, index) => item === list[index]) ? list : pruned;
}

function pruneMap(map: Readonly<Record<string, unknown>>, { schema, path, onUnknown }: Place): unknown {
  const pruned: Record<string, unknown> = {};
  let changed = false;
  for (const [key, value] of Object.entries(map)) {
    const child = schema.properties?.get(key) ?? schema.additionalProperties;
    const childPath = pathBelow(path, key);
    if (child !== undefined) {
      pruned[key] = prune(value, { schema: child, path: childPath, onUnknown });
      changed ||= pruned[key] !== value;
    } else if (schema.preserveUnknownFields === true) {
      pruned[key] = value;
    } else {
      onUnknown(childPath ?? key);
      changed = true;
    }
  }
  return changed ? pruned : map;
}

function pathBelow(path: string | undefined, key: string): string | undefined {
  if (path === undefined) return undefined;
  return path === '' ? key : `${path}.${key}`;
}
