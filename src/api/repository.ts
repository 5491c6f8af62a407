import * as z from 'zod';
import type { ObjectMeta } from './kube.ts';
import { conditions, duration, int32, timestamp } from './schema.ts';

const trust = z.object({
  rootKeys: z.array(z.string()).min(1).describe('Public keys (PEM, ed25519) that the first root is verified with.'),
  rootThreshold: int32.min(1).default(1).describe('How many of them must have signed it.'),
});

export const repositorySpec = z.object({
  url: z.string().min(1).describe('URL of the repository; its scheme picks how it is fetched.'),
  priority: int32
    .default(0)
    .describe(
      'The repository with the highest priority that carries a package at all shadows the rest; ties go by name.',
    ),
  interval: duration.default('10m').describe('How often the index is fetched.'),
  publicKeys: z
    .array(z.string())
    .optional()
    .describe('Public keys (PEM, ed25519); the signature of any one of them suffices.'),
  trust: trust.optional().describe('Trust through a signed root instead of fixed keys.'),
  allowUnsigned: z.boolean().default(false).describe('Accept an index without keys and without trust.'),
});

export const repositoryStatus = z.object({
  conditions: conditions.optional(),
  packages: z.int().optional().describe('How many packages the index lists.'),
  indexDigest: z.string().optional().describe('Digest of the index in use.'),
  lastFetched: timestamp.optional().describe('When the index was last fetched.'),
  indexGenerated: timestamp.optional().describe('When the index in use was made; an older one is refused.'),
  rootVersion: z.int().optional().describe('Version of the root in use; an older one is refused.'),
  rootDigest: z.string().optional().describe('Digest of the root in use.'),
});

export type WrittenRepositorySpec = z.input<typeof repositorySpec>;
export type RepositorySpec = z.output<typeof repositorySpec>;
export type RepositoryStatus = z.output<typeof repositoryStatus>;

export interface Repository {
  readonly apiVersion: string;
  readonly kind: 'Repository';
  readonly metadata: ObjectMeta;
  readonly spec: RepositorySpec;
  readonly status?: RepositoryStatus | undefined;
}
