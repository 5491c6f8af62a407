import * as z from 'zod';
import type { ObjectMeta } from './kube.ts';
import { healthCheckExpr, readinessOptions, readyWhen } from './readiness.ts';
import { conditions } from './schema.ts';

/** The exact chart: fetching it again gives the same bytes or fails. */
const chartRecord = z.object({
  kind: z.enum(['chart', 'tree']),
  repository: z.string().optional(),
  name: z.string().optional(),
  version: z.string().optional(),
  url: z.string().optional(),
  root: z.string().optional(),
  path: z.string().optional(),
  libraries: z.array(z.object({ name: z.string(), path: z.string() })).optional(),
  valuesFiles: z.array(z.string()).optional(),
  treeDigest: z.string().optional(),
});

export const revisionComponent = z.object({
  name: z.string(),
  releaseName: z.string(),
  namespace: z.string(),
  dependsOn: z.array(z.string()).optional(),
  chartDigest: z.string(),
  valuesDigest: z.string(),
  /** Over all that has an effect on this component's release; stamped on it. */
  digest: z.string().optional(),
  chart: chartRecord.optional(),
  /** Key of this component in the revision's values Secret; absent: no values. */
  valuesRef: z.object({ namespace: z.string(), name: z.string(), key: z.string() }).optional(),
  privileged: z.boolean().optional(),
  upgradeCRDs: z.enum(['Skip', 'Create', 'CreateReplace']).optional(),
  readyWhen: z.array(readyWhen).optional(),
  healthCheckExprs: z.array(healthCheckExpr).optional(),
  readiness: readinessOptions.optional(),
  recreate: z.enum(['FinishedJobs', 'Never']).optional(),
  skipSchemaValidation: z.boolean().optional(),
});

export const packageRevisionSpec = z.object({
  package: z.string(),
  revision: z.int(),
  version: z.string(),
  build: z.int().optional(),
  variant: z.string(),
  rollbackSafe: z.boolean().optional(),
  restoredFrom: z.int().optional(),
  /** Backend that delivers it; absent: helm. */
  backend: z.string().optional(),
  adopt: z.boolean().optional(),
  components: z.array(revisionComponent).optional(),
});

const progress = z.object({
  name: z.string(),
  state: z.enum(['Pending', 'Submitted', 'Ready', 'Failed']).optional(),
  /** Counts the submissions of this component at this revision; 0: its release was right already. */
  attempt: z.int().optional(),
  startedAt: z.string().meta({ format: 'date-time' }).optional(),
  readyAt: z.string().meta({ format: 'date-time' }).optional(),
  /** The backend's number of the release once delivered. */
  backendRevision: z.int().optional(),
  /** How often a component that was ready had to be waited for again. */
  rewaits: z.int().optional(),
  message: z.string().optional(),
});

export const REVISION_PHASES = ['Pending', 'Applying', 'Applied', 'Failed', 'RolledBack', 'Superseded'] as const;

export const packageRevisionStatus = z.object({
  phase: z.enum(REVISION_PHASES).optional(),
  message: z.string().optional(),
  /** Set once, when every component was ready: only then is it a rollback target. */
  appliedAt: z.string().meta({ format: 'date-time' }).optional(),
  components: z.array(progress).optional(),
  hooks: z.array(progress).optional(),
  conditions: conditions.optional(),
});

export type RevisionPhase = (typeof REVISION_PHASES)[number];
export type ChartRecord = z.output<typeof chartRecord>;
export type RevisionComponent = z.output<typeof revisionComponent>;
export type PackageRevisionSpec = z.output<typeof packageRevisionSpec>;
export type PackageRevisionStatus = z.output<typeof packageRevisionStatus>;
export type ComponentProgress = z.output<typeof progress>;

export interface PackageRevision {
  readonly apiVersion: string;
  readonly kind: 'PackageRevision';
  readonly metadata: ObjectMeta;
  readonly spec: PackageRevisionSpec;
  readonly status?: PackageRevisionStatus;
}
