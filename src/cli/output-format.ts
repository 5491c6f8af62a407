import type { KubeObject, ObjectMeta } from '../api/kube.ts';
import { writeYaml } from '../lib/yaml.ts';
import type { Output } from './host.ts';
import { writeLines } from './write-lines.ts';

export type DataFormat = 'json' | 'yaml';
export type OutputFormat = 'table' | 'wide' | 'name' | DataFormat;

interface Named {
  readonly metadata: ObjectMeta;
}

export function formatData(value: unknown, format: DataFormat): string {
  return format === 'json' ? `${JSON.stringify(value, null, 2)}\n` : writeYaml(value);
}

/** A List as kubectl prints it; `facts` stand beside its items. */
export function formatList(objects: readonly Named[], format: DataFormat, facts: ListFacts = {}): string {
  const items = objects.map(withoutManagedFields);
  return formatData({ apiVersion: 'v1', kind: 'List', metadata: {}, ...facts, items }, format);
}

/** What is to be said of all objects together; undefined is left out. */
export type ListFacts = Readonly<Record<string, unknown>>;

/** One object by itself, several as a List. */
export function formatObjects(objects: readonly Named[], format: DataFormat): string {
  const [first, ...rest] = objects;
  if (first === undefined || rest.length > 0) return formatList(objects, format);
  return formatData(withoutManagedFields(first), format);
}

/** `package.kubepkg.dev/shop`, as kubectl prints it. */
export function objectName({ apiVersion, kind, metadata }: KubeObject): string {
  const group = apiVersion.includes('/') ? `.${apiVersion.slice(0, apiVersion.indexOf('/'))}` : '';
  return `${kind.toLowerCase()}${group}/${metadata.name}`;
}

export interface ObjectPrinter {
  readonly output: OutputFormat;
  /** Lines for a person. */
  readonly table: (wide: boolean) => readonly string[];
  /** Printed with a List. */
  readonly facts?: ListFacts;
}

/** Objects in the form that was asked for; one by itself is no List where `single` says that only one was asked for. */
export function printObjects(
  output: Output,
  objects: readonly KubeObject[],
  { output: format, table, facts, single = false }: ObjectPrinter & { readonly single?: boolean },
): void {
  if (format === 'name') writeLines(output, objects.map(objectName));
  else if (format === 'table' || format === 'wide') writeLines(output, table(format === 'wide'));
  else output.write(single ? formatObjects(objects, format) : formatList(objects, format, facts));
}

function withoutManagedFields(object: Named): unknown {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
