import { at, isRecord } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';
import { compare } from './compare.ts';
import { difference, hasPath } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import type { Path } from './path-element.ts';
import type { Typed } from './versions.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/** Which fields client-side apply set last, as far as they still are so. Undefined: the annotation says nothing. */
export function allowedByLastApplied(live: Typed): ((path: Path) => boolean) | undefined {
  const applied = readLastApplied(live.value);
  if (applied?.apiVersion !== live.apiVersion) return undefined;
  const { added, modified, removed } = compare(live.type, applied, live.value);
  const fields = [modified, added, removed].reduce(difference, fieldsOf(live.type, applied));
  return (path) => hasPath(fields, path);
}

function readLastApplied(object: JsonMap): JsonMap | undefined {
  const text = at(object, 'metadata', 'annotations', LAST_APPLIED);
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    const applied: unknown = JSON.parse(text);
    return isRecord(applied) ? applied : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The annotation of client-side apply, where there is one, says what is applied on the server, too. */
export function syncLastApplied(object: JsonMap, config: JsonMap): JsonMap {
  const annotations = at(object, 'metadata', 'annotations');
  if (!isRecord(annotations) || typeof annotations[LAST_APPLIED] !== 'string') return object;
  const { [LAST_APPLIED]: _last, ...others } = annotations;
  const synced = { ...others, [LAST_APPLIED]: `${JSON.stringify(sorted(withoutLastApplied(config)))}\n` };
  const size = Object.entries(synced).reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  const kept = size > MAX_ANNOTATIONS_BYTES ? others : synced;
  return { ...object, metadata: { ...(object.metadata as JsonMap), annotations: kept } };
}

function byteLength(value: unknown): number {
  return typeof value === 'string' ? new TextEncoder().encode(value).length : 0;
}

function withoutLastApplied(config: JsonMap): JsonMap {
  const annotations = at(config, 'metadata', 'annotations');
  if (!isRecord(annotations)) return config;
  const { [LAST_APPLIED]: _last, ...others } = annotations;
  const { annotations: _annotations, ...metadata } = config.metadata as JsonMap;
  const isEmpty = Object.keys(others).length === 0;
  return { ...config, metadata: isEmpty ? metadata : { ...metadata, annotations: others } };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}
