import { pathsOf } from '../../src/embedded/fields/field-set.ts';
import { parseFieldsV1 } from '../../src/embedded/fields/fields-v1.ts';
import { type Convert, serverSideApply, trackUpdate } from '../../src/embedded/fields/index.ts';
import { pathText } from '../../src/embedded/fields/path-element.ts';
import type { JsonMap, ManagedFieldsEntry, StoredObject } from '../../src/embedded/model/object.ts';
import type { Resource } from '../../src/embedded/model/resource.ts';
import type { Schema } from '../../src/embedded/model/schema.ts';

const STRING: Schema = { type: 'string' };
const NUMBER: Schema = { type: 'integer' };

function fields(properties: Readonly<Record<string, Schema>>, more: Partial<Schema> = {}): Schema {
  return { type: 'object', properties: new Map(Object.entries(properties)), ...more };
}

const ITEM = fields({ name: STRING, value: NUMBER, inner: fields({ a: STRING, b: STRING }) });
const PORT = fields({ port: NUMBER, protocol: { ...STRING, default: 'TCP' }, name: STRING });

/** One field of each form. */
export const EXAMPLE_SCHEMA: Schema = fields({
  apiVersion: STRING,
  kind: STRING,
  spec: fields({
    name: STRING,
    replicas: NUMBER,
    nested: fields({ a: STRING, b: STRING, deep: fields({ c: STRING }) }),
    labels: { type: 'object', additionalProperties: STRING },
    whole: fields({ a: STRING, b: STRING }, { mapType: 'atomic' }),
    list: { type: 'array', items: ITEM, listType: 'map', listMapKeys: ['name'] },
    ports: { type: 'array', items: PORT, listType: 'map', listMapKeys: ['port', 'protocol'] },
    set: { type: 'array', items: STRING, listType: 'set' },
    args: { type: 'array', items: STRING },
    free: { type: 'object', preserveUnknownFields: true },
    either: { intOrString: true },
  }),
  status: fields({ ready: NUMBER, phase: STRING }),
});

export const EXAMPLE_RESOURCE: Pick<Resource, 'group' | 'plural' | 'kind' | 'custom' | 'subresources'> = {
  group: 'example.org',
  plural: 'things',
  kind: 'Thing',
  custom: true,
  subresources: ['status'],
};

export interface Step {
  readonly by: string;
  /** Absent: an update. */
  readonly apply?: true;
  readonly force?: true;
  readonly spec?: JsonMap;
  readonly status?: JsonMap;
  readonly labels?: JsonMap;
  readonly annotations?: JsonMap;
  readonly version?: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly managedFields?: readonly unknown[];
  readonly kind?: string;
  readonly schema?: Schema;
  readonly resource?: typeof EXAMPLE_RESOURCE;
  readonly convert?: Convert;
}

export const TIME = '2026-01-01T00:00:00Z';

/** One object through requests of several managers. */
export function ownedBy(...steps: readonly Step[]): StoredObject {
  const object = steps.reduce<StoredObject | undefined>(take, undefined);
  if (object === undefined) throw new Error('no step was told');
  return object;
}

export function take(before: StoredObject | undefined, step: Step): StoredObject {
  const { by, version = 'v1', time = TIME, subresource, schema = EXAMPLE_SCHEMA, convert } = step;
  const apiVersion = `example.org/${version}`;
  const { resource = EXAMPLE_RESOURCE } = step;
  const writer = { manager: by, apiVersion, time, subresource, schema, resource, convert };
  const live = before === undefined ? undefined : ({ ...before, apiVersion } as StoredObject);
  if (step.apply === true) {
    const config = bodyOf(step, apiVersion, {});
    const { object, managedFields } = serverSideApply({ ...writer, live, config, force: step.force === true });
    return stored(withoutNulls(object), managedFields);
  }
  const after = bodyOf(step, apiVersion, live ?? {});
  return stored(after, trackUpdate({ ...writer, before: live, after }));
}

function bodyOf(step: Step, apiVersion: string, live: JsonMap): JsonMap {
  const { spec = live.spec, status = live.status, labels, annotations, managedFields } = step;
  return {
    apiVersion,
    kind: step.kind ?? 'Thing',
    metadata: {
      name: 'thing',
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(managedFields === undefined ? {} : { managedFields }),
    },
    ...(spec === undefined ? {} : { spec }),
    ...(status === undefined ? {} : { status }),
  };
}

/** As the API server does with what may not be null. */
function withoutNulls(object: JsonMap): JsonMap {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

function stored(object: JsonMap, managedFields: readonly ManagedFieldsEntry[]): StoredObject {
  const metadata = { ...(object.metadata as JsonMap), uid: '1', managedFields };
  return { ...object, metadata } as unknown as StoredObject;
}

/** `alice Apply v1: .spec.name .spec.replicas`, a line for each entry. */
export function owners(object: StoredObject): readonly string[] {
  return (object.metadata.managedFields ?? []).map((entry) => {
    const paths = pathsOf(parseFieldsV1(entry.fieldsV1)).map(pathText);
    const place = entry.subresource === undefined ? '' : ` ${entry.subresource}`;
    const version = entry.apiVersion.replace('example.org/', '');
    return `${entry.manager} ${entry.operation} ${version}${place}: ${paths.join(' ')}`;
  });
}
