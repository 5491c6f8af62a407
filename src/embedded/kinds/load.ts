import type { PrinterColumn, Resource, SubresourceName, Verb } from '../model/resource.ts';
import type { Schema } from '../model/schema.ts';
import extracted from './data/kinds.json' with { type: 'json' };

/** As `dev/embedded` writes it: what a real API server tells of its kinds. */
export interface CompactSchema {
  readonly ref?: string;
  readonly type?: Schema['type'];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, CompactSchema>>;
  readonly values?: CompactSchema;
  readonly items?: CompactSchema;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly list?: Schema['listType'];
  readonly keys?: readonly string[];
  readonly map?: Schema['mapType'];
  readonly strategy?: string;
  readonly mergeKey?: string;
  readonly empty?: Schema['whenEmpty'];
}

export interface CompactResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly Verb[];
  readonly subresources?: readonly SubresourceName[];
  readonly columns: readonly PrinterColumn[];
}

export interface Kinds {
  readonly version: string;
  readonly resources: readonly CompactResource[];
  readonly definitions: Readonly<Record<string, CompactSchema>>;
}

/** Its type as the compiler reads it would list every field of every kind. */
const KINDS = extracted as unknown as Kinds;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The definitions as one graph: a field and the definition that it refers to share their properties. */
export function loadDefinitions(definitions: Kinds['definitions'] = KINDS.definitions): ReadonlyMap<string, Schema> {
  const loaded = new Map<string, Schema>();
  const properties = new Map<string, Map<string, Schema>>();
  for (const [name, definition] of Object.entries(definitions)) {
    const fields = new Map<string, Schema>();
    properties.set(name, fields);
    loaded.set(name, { ...shapeOf(definition, loaded), ...fieldsOf(definition, fields), definition: name });
  }
  for (const [name, definition] of Object.entries(definitions)) {
    for (const [field, property] of Object.entries(definition.properties ?? {})) {
      properties.get(name)?.set(field, shapeOf(property, loaded));
    }
  }
  return loaded;
}

/** Definitions have no lists or maps of their own beside their properties, so that their order does not matter. */
function fieldsOf(definition: CompactSchema, fields: Map<string, Schema>): Schema {
  if (definition.properties !== undefined) return { properties: fields };
  return definition.type === 'string' || definition.format !== undefined ? {} : { preserveUnknownFields: true };
}

function shapeOf(compact: CompactSchema, loaded: ReadonlyMap<string, Schema>): Schema {
  const referred = compact.ref === undefined ? {} : loaded.get(compact.ref);
  return { ...referred, ...typeOf(compact), ...childrenOf(compact, loaded), ...extensionsOf(compact) };
}

function typeOf({ type, format, required, enum: values, default: byDefault }: CompactSchema): Schema {
  const schema: Mutable<Schema> = {};
  if (type !== undefined) schema.type = type;
  if (format !== undefined) schema.format = format;
  if (format === 'int-or-string') schema.intOrString = true;
  if (required !== undefined) schema.required = required;
  if (byDefault !== undefined) schema.default = byDefault;
  if (values !== undefined) schema.constraints = { enum: values };
  return schema;
}

function childrenOf({ items, values }: CompactSchema, loaded: ReadonlyMap<string, Schema>): Schema {
  return {
    ...(items === undefined ? {} : { items: shapeOf(items, loaded) }),
    ...(values === undefined ? {} : { additionalProperties: shapeOf(values, loaded) }),
  };
}

function extensionsOf(compact: CompactSchema): Schema {
  const schema: Mutable<Schema> = {};
  if (compact.list !== undefined) schema.listType = compact.list;
  if (compact.keys !== undefined) schema.listMapKeys = compact.keys;
  if (compact.map !== undefined) schema.mapType = compact.map;
  if (compact.strategy !== undefined) schema.patchStrategy = compact.strategy;
  if (compact.mergeKey !== undefined) schema.patchMergeKey = compact.mergeKey;
  if (compact.empty !== undefined) schema.whenEmpty = compact.empty;
  return schema;
}

/** Every kind in each of its versions, with its schema. Not cheap: keep what it gives. */
export function loadResources({ resources, definitions }: Kinds = KINDS): readonly Resource[] {
  const schemas = loadDefinitions(definitions);
  return resources.map((resource) => loadResource(resource, schemas));
}

function loadResource(compact: CompactResource, schemas: ReadonlyMap<string, Schema>): Resource {
  const { shortNames = [], categories = [], subresources = [], ...rest } = compact;
  const schema = schemas.get(definitionOf(compact));
  return {
    ...rest,
    listKind: `${compact.kind}List`,
    shortNames,
    categories,
    subresources,
    custom: false,
    ...(schema === undefined ? {} : { schema }),
    ...(subresources.includes('scale') ? { scale: SCALE } : {}),
  };
}

const SCALE = { spec: '.spec.replicas', status: '.status.replicas', selector: '.spec.selector' };

/** Definitions are named after the Go packages of their types. */
function definitionOf({ group, version, kind }: CompactResource): string {
  const own = OWN_PACKAGES[group];
  const folder = own ?? `io.k8s.api.${group === '' ? 'core' : group.replace(/\..*$/, '')}`;
  return `${folder}.${version}.${kind}`;
}

const OWN_PACKAGES: Readonly<Record<string, string>> = {
  'apiextensions.k8s.io': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
  'apiregistration.k8s.io': 'io.k8s.kube-aggregator.pkg.apis.apiregistration',
};
