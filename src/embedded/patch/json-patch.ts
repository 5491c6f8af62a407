import { isRecord } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';
import { StatusError } from '../model/status-error.ts';
import { badRequest, unprocessable } from './bad-patch.ts';
import { goType } from './go-text.ts';
import { sameJson } from '../model/same-json.ts';

const MAX_OPERATIONS = 10_000;

type Operation = JsonMap;

/** RFC 6902, as the API server reads it: `replace` may set a field that is not there, and indices may count from the end. */
export function applyJsonPatch(object: JsonMap, operations: unknown): JsonMap {
  const patched = checkedOperations(operations).reduce<unknown>(applyOperation, object);
  if (!isRecord(patched)) throw unprocessable();
  return patched;
}

function checkedOperations(operations: unknown): readonly Operation[] {
  if (!Array.isArray(operations)) throw badRequest(wrongType(operations, '[]handlers.jsonPatchOp'));
  const wrong: unknown = operations.find((operation) => operation !== null && !isRecord(operation));
  if (wrong !== undefined) throw badRequest(wrongType(wrong, 'handlers.jsonPatchOp'));
  if (operations.length <= MAX_OPERATIONS) return operations.map((operation) => (isRecord(operation) ? operation : {}));
  const allowed = `The allowed maximum operations in a JSON patch is ${String(MAX_OPERATIONS)}`;
  throw new StatusError('RequestEntityTooLarge', `${allowed}, got ${String(operations.length)}`);
}

function wrongType(value: unknown, wanted: string): string {
  return `error decoding patch: json: cannot unmarshal ${goType(value)} into Go value of type ${wanted}`;
}

function applyOperation(document: unknown, operation: Operation): unknown {
  switch (operation.op) {
    case 'add':
      return change(document, pathOf(operation, 'path'), (place) => add(place, valueOf(operation)));
    case 'remove':
      return change(document, pathOf(operation, 'path'), remove);
    case 'replace':
      return replaceAt(document, operation);
    case 'move':
      return move(document, operation);
    case 'copy':
      return change(document, pathOf(operation, 'path'), (place) =>
        add(place, read(document, pathOf(operation, 'from')) ?? null),
      );
    case 'test':
      return test(document, operation);
    default:
      throw unprocessable();
  }
}

function valueOf(operation: Operation): unknown {
  return operation.value ?? null;
}

function pathOf(operation: Operation, field: 'path' | 'from'): string {
  const path = operation[field];
  if (typeof path !== 'string') throw unprocessable();
  return path;
}

function replaceAt(document: unknown, operation: Operation): unknown {
  const path = pathOf(operation, 'path');
  const value = valueOf(operation);
  if (path !== '') return change(document, path, (place) => replace(place, value));
  if (!isRecord(value) && !Array.isArray(value)) throw unprocessable();
  return value;
}

function move(document: unknown, operation: Operation): unknown {
  const from = pathOf(operation, 'from');
  const value = read(document, from);
  return change(change(document, from, remove), pathOf(operation, 'path'), (place) => add(place, value));
}

function test(document: unknown, operation: Operation): unknown {
  const path = pathOf(operation, 'path');
  const found = path === '' ? document : (read(document, path) ?? null);
  if (!sameJson(found, valueOf(operation))) throw unprocessable();
  return document;
}

/** The last step of a path, and the list or map that it leads into. */
interface Place {
  readonly container: JsonMap | readonly unknown[];
  readonly key: string;
}

function read(document: unknown, path: string): unknown {
  const steps = stepsOf(path);
  const container = steps.slice(0, -1).reduce<unknown>(child, document);
  return child(container, steps.at(-1) ?? '');
}

/** Undefined for a field that is not there; items have to be. */
function child(container: unknown, key: string): unknown {
  if (Array.isArray(container)) return (container as readonly unknown[])[indexIn(container.length, key)];
  if (!isRecord(container)) throw unprocessable();
  return Object.hasOwn(container, key) ? container[key] : undefined;
}

function stepsOf(path: string): readonly string[] {
  const [, ...steps] = path.split('/');
  if (steps.length === 0) throw unprocessable();
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function change(document: unknown, path: string, edit: (place: Place) => unknown): unknown {
  return changeAt(document, stepsOf(path), edit);
}

function changeAt(document: unknown, steps: readonly string[], edit: (place: Place) => unknown): unknown {
  const [key = '', ...rest] = steps;
  if (!isRecord(document) && !Array.isArray(document)) throw unprocessable();
  const container: Place['container'] = document;
  if (rest.length === 0) return edit({ container, key });
  const changed = changeAt(child(container, key), rest, edit);
  return replace({ container, key }, changed);
}

function add({ container, key }: Place, value: unknown): unknown {
  if (!isList(container)) return { ...container, [key]: value };
  if (key === '-') return [...container, value];
  const index = indexIn(container.length + 1, key);
  return [...container.slice(0, index), value, ...container.slice(index)];
}

function replace({ container, key }: Place, value: unknown): unknown {
  return isList(container) ? container.with(indexIn(container.length, key), value) : { ...container, [key]: value };
}

function remove({ container, key }: Place): unknown {
  if (isList(container)) return container.toSpliced(indexIn(container.length, key), 1);
  if (!Object.hasOwn(container, key)) throw unprocessable();
  const { [key]: _removed, ...rest } = container;
  return rest;
}

function isList(container: Place['container']): container is readonly unknown[] {
  return Array.isArray(container);
}

function indexIn(length: number, key: string): number {
  if (!/^[+-]?\d+$/.test(key)) throw unprocessable();
  const index = Number(key) < 0 ? Number(key) + length : Number(key);
  if (index < 0 || index >= length) throw unprocessable();
  return index;
}
