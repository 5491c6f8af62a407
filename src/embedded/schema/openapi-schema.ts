import type { JsonMap } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { Schema, ValueConstraints } from '../model/schema.ts';

type Draft = Record<string, unknown>;

/** How a version of OpenAPI writes what the two differ in. */
export interface Dialect {
  /** `#/components/schemas/` or `#/definitions/`. */
  readonly prefix: string;
  /** OpenAPI 2 knows no alternatives: such types are strings there. */
  readonly hasAlternatives: boolean;
}

/** Definitions by name, each that one of these kinds refers to once. */
export function definitionsOf(resources: readonly Resource[], dialect: Dialect): JsonMap {
  const definitions: Draft = {};
  const writer = new DefinitionWriter(dialect, definitions);
  for (const resource of resources) {
    if (resource.schema === undefined) continue;
    const { group, version, kind } = resource;
    const gvk = { 'x-kubernetes-group-version-kind': [{ group, kind, version }] };
    definitions[definitionName(resource)] = { ...writer.write(resource.schema), ...gvk };
  }
  return Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** As Go's packages are called; for custom kinds, the group from right to left. */
export function definitionName({ group, version, kind, schema }: Resource): string {
  return schema?.definition ?? [...group.split('.').reverse(), version, kind].join('.');
}

class DefinitionWriter {
  readonly #dialect: Dialect;
  readonly #definitions: Draft;

  constructor(dialect: Dialect, definitions: Draft) {
    this.#dialect = dialect;
    this.#definitions = definitions;
  }

  write(schema: Schema): JsonMap {
    return { ...typeOf(schema, this.#dialect), ...this.#children(schema), ...extensionsOf(schema) };
  }

  #children({ properties, items, additionalProperties, required }: Schema): JsonMap {
    const written: Draft = {};
    if (required !== undefined) written['required'] = required;
    if (items !== undefined) written['items'] = this.#place(items);
    if (additionalProperties !== undefined) written['additionalProperties'] = this.#place(additionalProperties);
    if (properties !== undefined && properties.size > 0) {
      written['properties'] = Object.fromEntries(Array.from(properties, ([name, one]) => [name, this.#place(one)]));
    }
    return written;
  }

  /** A schema inside another one: by its name where it has one. */
  #place(schema: Schema): JsonMap {
    const { definition } = schema;
    if (definition === undefined) return this.write(schema);
    if (!Object.hasOwn(this.#definitions, definition)) {
      // Noted before it is written, because it may contain itself.
      this.#definitions[definition] = {};
      this.#definitions[definition] = this.write(withoutPlace(schema));
    }
    const ref = { $ref: `${this.#dialect.prefix}${definition}` };
    const own = placeOf(schema);
    if (Object.keys(own).length === 0) return ref;
    return this.#dialect.hasAlternatives ? { allOf: [ref], ...own } : { ...ref, ...own };
  }
}

/** What belongs to the field and not to the definition that it refers to. */
function placeOf({ patchStrategy, patchMergeKey, default: byDefault }: Schema): JsonMap {
  return {
    ...(byDefault === undefined ? {} : { default: byDefault }),
    ...(patchStrategy === undefined ? {} : { 'x-kubernetes-patch-strategy': patchStrategy }),
    ...(patchMergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': patchMergeKey }),
  };
}

function withoutPlace(schema: Schema): Schema {
  const { patchStrategy: _strategy, patchMergeKey: _key, default: _default, ...rest } = schema;
  return rest;
}

function typeOf(schema: Schema, { hasAlternatives }: Dialect): JsonMap {
  const { type, format, intOrString } = schema;
  if (format === 'quantity')
    return hasAlternatives ? { oneOf: [{ type: 'string' }, { type: 'number' }] } : { type: 'string' };
  if (intOrString === true && type === undefined) {
    const flag = schema.definition === undefined ? { 'x-kubernetes-int-or-string': true } : { format: 'int-or-string' };
    if (!hasAlternatives) return { type: 'string', format: 'int-or-string' };
    return schema.definition === undefined ? flag : { ...flag, oneOf: [{ type: 'integer' }, { type: 'string' }] };
  }
  return { ...(type === undefined ? {} : { type }), ...(format === undefined ? {} : { format }) };
}

const EXTENSIONS = {
  listType: 'x-kubernetes-list-type',
  listMapKeys: 'x-kubernetes-list-map-keys',
  mapType: 'x-kubernetes-map-type',
  patchStrategy: 'x-kubernetes-patch-strategy',
  patchMergeKey: 'x-kubernetes-patch-merge-key',
  embeddedResource: 'x-kubernetes-embedded-resource',
  description: 'description',
  nullable: 'nullable',
  default: 'default',
} as const;

function extensionsOf(schema: Schema): JsonMap {
  const written: Draft = { ...constraintsOf(schema.constraints) };
  for (const [name, key] of Object.entries(EXTENSIONS)) {
    const value = schema[name as keyof typeof EXTENSIONS];
    if (value !== undefined) written[key] = value;
  }
  if (schema.validations !== undefined) {
    written['x-kubernetes-validations'] = schema.validations.map(({ compiled: _compiled, ...rule }) => rule);
  }
  // Built-in kinds that take anything are objects without properties.
  if (schema.preserveUnknownFields === true && schema.definition === undefined) {
    written['x-kubernetes-preserve-unknown-fields'] = true;
  }
  return written;
}

/** Combinations of schemas say nothing that a client could use; the API server leaves them out of OpenAPI 2, too. */
function constraintsOf(constraints: ValueConstraints = {}): JsonMap {
  const { allOf: _allOf, anyOf: _anyOf, oneOf: _oneOf, not: _not, ...rest } = constraints;
  return rest;
}
