import * as z from 'zod';
import { celRules, duration } from './schema.ts';

/** One thing that has to be true before a component counts as ready. */
export const readyWhen = z
  .object({
    apiVersion: z.string().min(1),
    kind: z.string().min(1),
    name: z.string().min(1),
    /** Default: the component's namespace; ignored for cluster-scoped kinds. */
    namespace: z.string().optional(),
    /** `status.conditions[type=…]`. */
    condition: z.string().optional(),
    status: z.string().default('True'),
    /** CEL on the object, for one that has no conditions. */
    expression: z.string().max(4096).optional(),
    /** How long it must have held without a break. */
    stableFor: duration.optional(),
    /** Opts out of the generation guard for this object. */
    observedGeneration: z.enum(['Ignore']).optional(),
  })
  .meta(
    celRules({
      rule: 'has(self.condition) != has(self.expression)',
      message: 'exactly one of condition and expression is needed',
    }),
  );

/** Flux's format of CEL health checks. */
export const healthCheckExpr = z.object({
  apiVersion: z.string().min(1),
  kind: z.string(),
  current: z.string().max(4096),
  inProgress: z.string().max(4096).optional(),
  failed: z.string().max(4096).optional(),
});

/** Switches of the readiness rules; the first value is the default. */
export const readinessOptions = z.object({
  loadBalancer: z.enum(['ClusterIP', 'Address']).optional(),
  notReadyNodes: z.enum(['Wait', 'Tolerate']).optional(),
  jobs: z.enum(['Complete', 'Started']).optional(),
});

export type ReadyWhen = z.output<typeof readyWhen>;
export type HealthCheckExpr = z.output<typeof healthCheckExpr>;
export type ReadinessSwitches = z.output<typeof readinessOptions>;
