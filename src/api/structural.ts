import * as z from 'zod';
import { isRecord } from '../lib/json.ts';

/** A JSON schema in the form that a CustomResourceDefinition takes: every node typed, nothing referenced. */
export interface StructuralSchema {
  readonly type: string;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
  readonly [keyword: string]: unknown;
}

type Node = Record<string, unknown>;

const INT32 = { minimum: -2147483648, maximum: 2147483647 };
/** Converted elsewhere, or without meaning for the API server. */
const NOT_TAKEN_OVER = ['$schema', 'propertyNames', 'properties', 'additionalProperties', 'items'];
const REFUSED = ['$ref', 'anyOf', 'oneOf', 'allOf', 'not', 'patternProperties'];

/** What users write (defaults optional), as the API server takes it. Throws on what it would refuse. */
export function structuralSchema(schema: z.ZodType): StructuralSchema {
  const json = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    reused: 'inline',
    cycles: 'throw',
    unrepresentable: 'any',
  });
  return toStructural(json, []);
}

function toStructural(input: unknown, path: readonly string[]): StructuralSchema {
  if (!isRecord(input)) throw notStructural(path, 'is not a schema');
  const refused = REFUSED.find((keyword) => keyword in input);
  if (refused !== undefined) throw notStructural(path, `has ${refused}`);
  const node = scalarKeywords(input);
  if (typeof node['type'] !== 'string') throw notStructural(path, 'has no type');
  return { ...node, type: node['type'], ...children(input, path) };
}

function scalarKeywords(input: Readonly<Node>): Node {
  const node: Node = Object.fromEntries(Object.entries(input).filter(([keyword]) => !NOT_TAKEN_OVER.includes(keyword)));
  if (input['format'] === 'date-time') delete node['pattern'];
  return input['type'] === 'integer' ? integerKeywords(node) : node;
}

/** Bounds that only say how wide the number is become its format. */
function integerKeywords(node: Node): Node {
  const { minimum, maximum, ...rest } = node;
  const narrow = maximum === INT32.maximum;
  const bounds: Node = { format: narrow ? 'int32' : 'int64' };
  if (minimum !== undefined && !isWidth(minimum)) bounds['minimum'] = minimum;
  if (maximum !== undefined && !isWidth(maximum)) bounds['maximum'] = maximum;
  return { ...rest, ...bounds };
}

function isWidth(bound: unknown): boolean {
  return Math.abs(Number(bound)) === Number.MAX_SAFE_INTEGER || bound === INT32.minimum || bound === INT32.maximum;
}

function children(input: Readonly<Node>, path: readonly string[]): Partial<StructuralSchema> {
  const { properties, additionalProperties, items } = input;
  if (additionalProperties === false)
    throw notStructural(path, 'is a strict object: the API server prunes, it does not refuse');
  if (input['x-kubernetes-preserve-unknown-fields'] === true) return {};
  return {
    ...(isRecord(properties) && { properties: convertAll(properties, path) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: toStructural(additionalProperties, [...path, '*']),
    }),
    ...(items !== undefined && { items: toStructural(items, [...path, '[]']) }),
  };
}

function convertAll(properties: Readonly<Node>, path: readonly string[]): Record<string, StructuralSchema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, toStructural(property, [...path, name])]),
  );
}

function notStructural(path: readonly string[], what: string): Error {
  return new Error(`schema of ${path.length === 0 ? 'the root' : path.join('.')} ${what}`);
}
