import type { ObjectMeta } from '../api/kube.ts';
import { writeYaml } from '../lib/yaml.ts';

export type DataFormat = 'json' | 'yaml';

interface Named {
  readonly metadata: ObjectMeta;
}

export function formatData(value: unknown, format: DataFormat): string {
  return format === 'json' ? `${JSON.stringify(value, null, 2)}\n` : writeYaml(value);
}

/** A List as kubectl prints it. */
export function formatList(objects: readonly Named[], format: DataFormat): string {
  return formatData({ apiVersion: 'v1', kind: 'List', metadata: {}, items: objects.map(withoutManagedFields) }, format);
}

/** One object by itself, several as a List. */
export function formatObjects(objects: readonly Named[], format: DataFormat): string {
  const [first, ...rest] = objects;
  if (first === undefined || rest.length > 0) return formatList(objects, format);
  return formatData(withoutManagedFields(first), format);
}

function withoutManagedFields(object: Named): unknown {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
