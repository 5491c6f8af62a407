import * as z from 'zod';

/** Kubernetes keywords that zod's JSON schema output takes over verbatim from `.meta()`. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
  readonly reason?: string;
}

export function celRules(...rules: readonly CelRule[]): Record<string, unknown> {
  return { 'x-kubernetes-validations': rules };
}

/** A Go duration such as `10m`; the API server checks the form, the operator the value. */
export const duration = z
  .string()
  .regex(/^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$/)
  .max(64);

export const sha256Digest = z.string().regex(/^sha256:[a-f0-9]{64}$/);

/** Any JSON object, kept whole by the API server. */
export const anyObject = z
  .record(z.string(), z.json())
  .meta({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });

export const condition = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  observedGeneration: z.int().min(0).optional(),
  lastTransitionTime: z.string().meta({ format: 'date-time' }),
  reason: z.string(),
  message: z.string(),
});

/** List-map keyed by type, as Kubernetes' own conditions are. */
export const conditions = z
  .array(condition)
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] });
