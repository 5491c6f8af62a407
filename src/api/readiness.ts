import * as z from 'zod';
import { duration, exactlyOne, withRules } from './schema.ts';

/** One thing that has to be true before a component counts as ready. */
export const readyWhen = withRules(
  z.object({
    apiVersion: z.string().min(1).describe('API version of the object, such as kubevirt.io/v1.'),
    kind: z.string().min(1).describe('Kind of the object.'),
    name: z.string().min(1).describe('Name of the object.'),
    namespace: z
      .string()
      .optional()
      .describe("Namespace of the object; default: the component's. Ignored for cluster-scoped kinds."),
    condition: z.string().min(1).optional().describe('Type of the condition in status.conditions.'),
    status: z.string().default('True').describe('Status that the condition must have.'),
    expression: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe('CEL on the object, instead of condition, for one that has no conditions.'),
    stableFor: duration.optional().describe('How long it must have held without a break.'),
    observedGeneration: z
      .enum(['Ignore'])
      .optional()
      .describe('Ignore opts out of the guard against evidence that is older than the change.'),
  }),
  exactlyOne('condition', 'expression'),
);

/** Flux's format of CEL health checks. */
export const healthCheckExpr = z.object({
  apiVersion: z.string().min(1).describe('API version of the objects that it is about; only the group counts.'),
  kind: z.string().describe('Kind of the objects; empty: every kind of the group.'),
  current: z.string().describe('CEL that is true when the object is ready.'),
  inProgress: z.string().optional().describe('CEL that is true while the object is not ready yet.'),
  failed: z.string().optional().describe('CEL that is true when the object has failed.'),
});

/** Switches of the readiness rules; the first value is the default. */
export const readinessOptions = z.object({
  loadBalancer: z
    .enum(['ClusterIP', 'Address'])
    .optional()
    .describe('What a Service of type LoadBalancer needs: a cluster IP (default), or an external address.'),
  notReadyNodes: z
    .enum(['Wait', 'Tolerate'])
    .optional()
    .describe('Whether DaemonSet pods on nodes that are not ready are waited for (default) or left out.'),
  jobs: z
    .enum(['Complete', 'Started'])
    .optional()
    .describe('When a Job is ready: completed (default), or merely started.'),
});

export type ReadyWhen = z.output<typeof readyWhen>;
export type HealthCheckExpr = z.output<typeof healthCheckExpr>;
export type ReadinessSwitches = z.output<typeof readinessOptions>;
