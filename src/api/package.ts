import * as z from 'zod';
import type { ObjectMeta } from './kube.ts';
import { anyObject, conditions, duration } from './schema.ts';

export const DEFAULT_VARIANT = 'default';
export const DEFAULT_TIMEOUT = '10m';
export const DEFAULT_HISTORY_LIMIT = 10;

const componentOverride = z.object({
  enabled: z.boolean().optional(),
  values: anyObject.optional(),
  releaseName: z.string().max(53).optional(),
  namespace: z.string().max(63).optional(),
});

export const packageSpec = z.object({
  variant: z.string().default(DEFAULT_VARIANT),
  /** Masterminds semver constraint; empty: any. */
  version: z.string().optional(),
  repository: z.string().optional(),
  ignoreDependencies: z.array(z.string()).optional(),
  /** By component name. */
  components: z.record(z.string(), componentOverride).optional(),
  upgrade: z
    .object({
      atomic: z.boolean().default(true),
      timeout: duration.default(DEFAULT_TIMEOUT),
    })
    .optional(),
  revisionHistoryLimit: z.int().min(1).max(2147483647).default(DEFAULT_HISTORY_LIMIT),
  crdPolicy: z.enum(['Retain', 'Delete']).optional(),
  suspend: z.boolean().optional(),
  /** Overrides the installation's default backend; set before the first install. */
  backend: z.string().optional(),
});

export const packageStatus = z.object({
  conditions: conditions.optional(),
  dependencies: z.record(z.string(), z.object({ ready: z.boolean() })).optional(),
  version: z.string().optional(),
  currentRevision: z.int().optional(),
  history: z.array(z.object({ revision: z.int(), version: z.string(), phase: z.string() })).optional(),
  observedGeneration: z.int().optional(),
});

export type WrittenPackageSpec = z.input<typeof packageSpec>;
export type PackageSpec = z.output<typeof packageSpec>;
export type PackageStatus = z.output<typeof packageStatus>;

export interface Package {
  readonly apiVersion: string;
  readonly kind: 'Package';
  readonly metadata: ObjectMeta;
  readonly spec: PackageSpec;
  readonly status?: PackageStatus;
}
