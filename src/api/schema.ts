import * as z from 'zod';
import { escapeName } from '../lib/cel/field-name.ts';
import { isRecord, type JsonObject } from '../lib/json.ts';

/** Kubernetes keywords that zod's JSON schema output takes over verbatim from `.meta()`. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
  readonly reason?: string;
}

export function celRules(...rules: readonly CelRule[]): Record<string, unknown> {
  return { 'x-kubernetes-validations': rules };
}

/** A rule on the fields that are set, kept by the API server (CEL) and by the parser alike. */
export interface FieldRule extends CelRule {
  readonly holds: (value: Readonly<Record<string, unknown>>) => boolean;
}

export function exactlyOne(first: string, second: string): FieldRule {
  return {
    rule: `${isSet(first)} != ${isSet(second)}`,
    message: `exactly one of ${first} and ${second} is needed`,
    holds: (value) => (value[first] === undefined) !== (value[second] === undefined),
  };
}

/** In a rule: that a field is set. API servers before 1.32 know `namespace` and other words of CEL only in its own form. */
export function isSet(field: string): string {
  return `has(self.${escapeName(field)})`;
}

export function withRules<T extends z.ZodObject>(schema: T, ...rules: readonly FieldRule[]): T {
  const checked = rules.reduce((all, { holds, message }) => all.refine(holds, { error: message }), schema);
  return checked.meta(celRules(...rules.map(({ rule, message }) => ({ rule, message }))));
}

const INT32_MAX = 2147483647;

export const int32 = z
  .int()
  .min(-INT32_MAX - 1)
  .max(INT32_MAX);

/** A Go duration such as `10m`; the API server checks the form, the operator the value. */
export const duration = z
  .string()
  .regex(/^(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$/, 'must be a duration such as 30s, 10m or 1h30m')
  .max(64);

export const sha256Digest = z
  .string()
  .regex(/^sha256:[a-f0-9]{64}$/, 'must be a digest: sha256: and 64 hexadecimal digits');

export const timestamp = z.string().meta({ format: 'date-time' });

/** Any JSON object, kept whole by the API server, and replaced whole by who applies another: never merged. */
export const anyObject = z.custom<JsonObject>(isRecord, 'must be an object').meta({
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
  'x-kubernetes-map-type': 'atomic',
});

export const condition = z.object({
  type: z.string().describe('Aspect that the condition is about.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether it holds.'),
  observedGeneration: z.int().min(0).optional().describe('Generation of the object that it was judged on.'),
  lastTransitionTime: timestamp.describe('When the status last changed.'),
  reason: z.string().describe('Why, in one word for machines.'),
  message: z.string().describe('Why, in one sentence for people.'),
});

/** List-map keyed by type, as Kubernetes' own conditions are. */
export const conditions = z
  .array(condition)
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] })
  .describe('What is known about the object at this moment.');
