import type { GoFields, WhenEmpty } from './go-types.ts';

export interface OpenApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, OpenApiSchema>> };
}

interface OpenApiSchema {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema;
  readonly items?: OpenApiSchema;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

/** As `src/embedded/kinds/load.ts` reads it. */
interface CompactSchema {
  readonly ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, CompactSchema>>;
  readonly values?: CompactSchema;
  readonly items?: CompactSchema;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly list?: string;
  readonly keys?: readonly string[];
  readonly map?: string;
  readonly strategy?: string;
  readonly mergeKey?: string;
  readonly empty?: WhenEmpty;
}

const PREFIX = '#/components/schemas/';

/** The definitions of all documents, once each and without what only people read. */
export function compactDefinitions(
  documents: readonly OpenApiDocument[],
  fields: GoFields,
): Readonly<Record<string, CompactSchema>> {
  const schemas = new Map(documents.flatMap(({ components }) => Object.entries(components?.schemas ?? {})));
  return Object.fromEntries(
    [...schemas]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, schema]) => [name, compact(schema, fields.get(name))]),
  );
}

function compact(schema: OpenApiSchema, fields: ReadonlyMap<string, WhenEmpty> | undefined): CompactSchema {
  const ref = refOf(schema);
  const format = schema.oneOf === undefined ? schema.format : (schema.format ?? 'quantity');
  const compacted = {
    ref,
    type: schema.type,
    format,
    properties: schema.properties && compactProperties(schema.properties, fields),
    values: schema.additionalProperties && compact(schema.additionalProperties, undefined),
    items: schema.items && compact(schema.items, undefined),
    required: schema.required,
    default: isZero(schema.default) ? undefined : schema.default,
    enum: schema.enum,
    ...extensionsOf(schema),
  };
  return Object.fromEntries(Object.entries(compacted).filter(([, value]) => value !== undefined));
}

function refOf({ $ref, allOf }: OpenApiSchema): string | undefined {
  return ($ref ?? allOf?.[0]?.$ref)?.slice(PREFIX.length);
}

function extensionsOf(schema: OpenApiSchema): CompactSchema {
  const extensions = {
    list: schema['x-kubernetes-list-type'],
    keys: schema['x-kubernetes-list-map-keys'],
    map: schema['x-kubernetes-map-type'],
    strategy: schema['x-kubernetes-patch-strategy'],
    mergeKey: schema['x-kubernetes-patch-merge-key'],
  };
  return Object.fromEntries(Object.entries(extensions).filter(([, value]) => value !== undefined));
}

function compactProperties(
  properties: Readonly<Record<string, OpenApiSchema>>,
  fields: ReadonlyMap<string, WhenEmpty> | undefined,
): Readonly<Record<string, CompactSchema>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const empty = fields?.get(name);
      return [name, { ...compact(property, undefined), ...(empty === undefined ? {} : { empty }) }];
    }),
  );
}

/** The document generator gives a default to every field that Go always writes; only real ones say something. */
function isZero(value: unknown): boolean {
  return value === undefined || JSON.stringify(value) === '{}' || value === '' || value === 0 || value === false;
}
