import * as z from 'zod';
import type { ObjectMeta } from './kube.ts';
import { conditions, duration } from './schema.ts';

export const repositorySpec = z.object({
  url: z.string().min(1),
  /** The highest that carries a package at all shadows the rest; ties by name. */
  priority: z.int().min(-2147483648).max(2147483647).default(0),
  interval: duration.default('10m'),
  publicKeys: z.array(z.string()).optional(),
  trust: z
    .object({ rootKeys: z.array(z.string()).min(1), rootThreshold: z.int().min(1).max(2147483647).default(1) })
    .optional(),
  allowUnsigned: z.boolean().default(false),
});

export const repositoryStatus = z.object({
  conditions: conditions.optional(),
  packages: z.int().optional(),
  indexDigest: z.string().optional(),
  lastFetched: z.string().meta({ format: 'date-time' }).optional(),
  indexGenerated: z.string().meta({ format: 'date-time' }).optional(),
  rootVersion: z.int().optional(),
  rootDigest: z.string().optional(),
});

export type RepositorySpec = z.output<typeof repositorySpec>;
export type RepositoryStatus = z.output<typeof repositoryStatus>;

export interface Repository {
  readonly apiVersion: string;
  readonly kind: 'Repository';
  readonly metadata: ObjectMeta;
  readonly spec: RepositorySpec;
  readonly status?: RepositoryStatus;
}
