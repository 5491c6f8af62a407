import type { Program } from '../../lib/cel/cel.ts';

/**
 * The shape of values, as OpenAPI and CustomResourceDefinitions tell it, with references already followed: a graph that
 * may have circles (JSONSchemaProps). Absent lists and flags mean "no". Source: apiextensions/v1 JSONSchemaProps and the
 * `x-kubernetes-*` extensions of the API server's OpenAPI documents.
 */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly intOrString?: boolean;
  readonly preserveUnknownFields?: boolean;
  readonly embeddedResource?: boolean;
  readonly nullable?: boolean;
  readonly properties?: ReadonlyMap<string, Schema>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly default?: unknown;
  /** Of lists; lists of a built-in type without one are atomic. */
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  /** Of maps and objects; granular when absent. */
  readonly mapType?: 'atomic' | 'granular';
  /** For strategic merge patches: `merge`, `replace`, `retainKeys`, or a list of them by comma. */
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  readonly constraints?: ValueConstraints;
  readonly validations?: readonly ValidationRule[];
  readonly description?: string;
  /** The name of its OpenAPI definition, for what has one: `io.k8s.api.core.v1.Container`. */
  readonly definition?: string;
  /** Of fields of built-in kinds: what is written for an empty one. Absent: nothing when it was not given. */
  readonly whenEmpty?: 'omit' | 'zero' | 'null';
}

/** What a value must be beside its shape; read from CRDs only. */
export interface ValueConstraints {
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
}

/** One of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
  /** Ready to run; rules that are read from a definition have it. */
  readonly compiled?: CompiledRule;
}

export interface CompiledRule {
  /** Absent: it is empty or has a mistake; then nothing is checked. */
  readonly program?: Program;
  /** Of a rule with an optional `oldSelf`, when there is none. */
  readonly withoutOldSelf?: Program;
  readonly message?: Program;
  readonly usesOldSelf: boolean;
  /** Why it is no expression. */
  readonly mistake?: string;
  /** Why what should give the message is none. */
  readonly messageMistake?: string;
}
