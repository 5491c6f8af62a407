import * as z from 'zod';
import type { ObjectMeta } from './kube.ts';
import { anyObject, conditions, duration, int32 } from './schema.ts';

export const DEFAULT_VARIANT = 'default';
export const DEFAULT_TIMEOUT = '10m';
export const DEFAULT_HISTORY_LIMIT = 10;

const componentOverride = z.object({
  enabled: z.boolean().optional().describe('false removes the component from what is wanted; default: true.'),
  values: anyObject
    .optional()
    .describe("Values merged over the chart's own; maps merge deeply, anything else is replaced."),
  releaseName: z.string().max(53).optional().describe("Name of the Helm release; default: the source's."),
  namespace: z.string().max(63).optional().describe("Namespace of the release; default: the source's."),
});

const upgrade = z.object({
  atomic: z
    .boolean()
    .default(true)
    .describe('Roll the whole package back when an upgrade fails and going back is safe.'),
  timeout: duration
    .default(DEFAULT_TIMEOUT)
    .describe('What each component has to become ready, counted from its own start.'),
});

export const packageSpec = z.object({
  variant: z.string().default(DEFAULT_VARIANT).describe('Variant of the source that is installed.'),
  version: z.string().optional().describe('Constraint on the version, such as ">=1.2, <2"; empty: any.'),
  repository: z
    .string()
    .optional()
    .describe('Repository that versions are taken from; default: all, by priority. Ignored for hand-written sources.'),
  ignoreDependencies: z
    .array(z.string())
    .optional()
    .describe('Packages and capabilities whose requirement is dropped.'),
  components: z
    .record(z.string(), componentOverride)
    .optional()
    .describe('What differs from the source, by component name.'),
  upgrade: upgrade.optional().describe('How upgrades are carried out.'),
  revisionHistoryLimit: int32.min(1).default(DEFAULT_HISTORY_LIMIT).describe('How many PackageRevisions are kept.'),
  crdPolicy: z
    .enum(['Retain', 'Delete'])
    .optional()
    .describe("What happens to the package's CRDs when it is removed; default: Retain."),
  suspend: z.boolean().optional().describe('Take no further step, and report Suspended.'),
  backend: z
    .string()
    .optional()
    .describe("Backend that delivers the releases; default: the installation's. Set before the first install."),
});

const dependencyStatus = z.object({ ready: z.boolean().describe('Whether the requirement is met.') });

const historyEntry = z.object({
  revision: z.int().describe('Number of the revision.'),
  version: z.string().default('').describe('Version that the revision is of.'),
  phase: z.string().describe('Phase of the revision.'),
});

export const packageStatus = z.object({
  observedGeneration: z.int().optional().describe('Generation of the Package that the status is about.'),
  observedSourceGeneration: z.int().optional().describe('Generation of the PackageSource that this status is about.'),
  conditions: conditions.optional(),
  dependencies: z.record(z.string(), dependencyStatus).optional().describe('Required packages, by name.'),
  version: z.string().optional().describe('Version that is applied.'),
  currentRevision: z.int().optional().describe('Newest revision that was started.'),
  history: z.array(historyEntry).optional().describe('Revisions, newest first.'),
});

export type WrittenPackageSpec = z.input<typeof packageSpec>;
export type PackageSpec = z.output<typeof packageSpec>;
export type PackageStatus = z.output<typeof packageStatus>;

export interface Package {
  readonly apiVersion: string;
  readonly kind: 'Package';
  readonly metadata: ObjectMeta;
  readonly spec: PackageSpec;
  readonly status?: PackageStatus | undefined;
}
