import { isJsonObject, type JsonObject, type JsonPrimitive, type JsonValue } from '../../../lib/json.ts';
import { goNumber } from './number.ts';
import { goText, type Place } from './scalar.ts';

const INDENT = 2;

/**
 * Values as Flux writes them before it takes their digest: YAML by Go's library, version 2, keys in the order of their
 * bytes. Undefined where the form is not known here, or where Flux itself has none that is the same each time: the
 * keys of a map in a list in a list come in any order there.
 */
export function goYaml(values: JsonObject): string | undefined {
  try {
    return ended(mapping(values, 0));
  } catch (error) {
    if (error instanceof UnknownForm) return undefined;
    throw error;
  }
}

class UnknownForm extends Error {}

function mapping(map: JsonObject, indent: number): string {
  const keys = Object.keys(map).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return joined(
    keys.map((key) => {
      const name = text(key, { column: indent, indent: indent + INDENT, isKey: true });
      return `${name}:${valueOf(map[key] ?? null, { indent, column: indent + Array.from(name).length + 1 })}`;
    }),
    indent,
  );
}

function valueOf(value: JsonValue, { indent, column }: { readonly indent: number; readonly column: number }): string {
  if (isJsonObject(value) && !isEmpty(value))
    return `\n${' '.repeat(indent + INDENT)}${mapping(value, indent + INDENT)}`;
  if (isList(value) && value.length > 0) return `\n${' '.repeat(indent)}${sequence(value, indent)}`;
  return ` ${leaf(value, { column: column + 1, indent: indent + INDENT, isKey: false })}`;
}

function sequence(items: readonly JsonValue[], indent: number): string {
  return joined(
    items.map((item) => `- ${itemOf(item, indent + INDENT)}`),
    indent,
  );
}

function itemOf(item: JsonValue, indent: number): string {
  if (isJsonObject(item) && !isEmpty(item)) return mapping(item, indent);
  if (isList(item) && item.length > 0) {
    if (item.some((inner) => hasUnsorted(inner))) throw new UnknownForm();
    return sequence(item, indent);
  }
  return leaf(item, { column: indent, indent, isKey: false });
}

/** A map below a list in a list is not sorted; with one key there is nothing to sort. */
function hasUnsorted(value: JsonValue): boolean {
  if (isList(value)) return value.some((item) => hasUnsorted(item));
  if (!isJsonObject(value)) return false;
  const inner = Object.values(value);
  return inner.length > 1 || inner.some((each) => hasUnsorted(each));
}

function leaf(value: JsonValue, place: Place): string {
  if (isList(value)) return '[]';
  if (isJsonObject(value)) return '{}';
  return scalar(value, place);
}

function scalar(value: JsonPrimitive, place: Place): string {
  if (typeof value === 'string') return text(value, place);
  return typeof value === 'number' ? goNumber(value) : String(value);
}

function text(value: string, place: Place): string {
  const written = goText(value, place);
  if (written === undefined) throw new UnknownForm();
  return written;
}

/** A text that ends its last line itself begins no further one. */
function joined(parts: readonly string[], indent: number): string {
  return parts.reduce((before, part) => `${ended(before)}${' '.repeat(indent)}${part}`);
}

function ended(part: string): string {
  return part.endsWith('\n') ? part : `${part}\n`;
}

function isEmpty(map: JsonObject): boolean {
  return Object.keys(map).length === 0;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
