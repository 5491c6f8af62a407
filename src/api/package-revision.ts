import * as z from 'zod';
import type { ObjectMeta } from './kube.ts';
import { requirement } from './package-source.ts';
import { healthCheckExpr, readinessOptions, readyWhen } from './readiness.ts';
import { celRules, conditions, timestamp } from './schema.ts';

/** The exact chart: fetching it again gives the same bytes or fails. */
const chartRecord = z.object({
  kind: z
    .enum(['chart', 'tree', 'release'])
    .describe('A chart as published on its own, one from a package tree, or one made of a release record.'),
  repository: z.string().optional().describe('URL of the chart repository.'),
  name: z.string().optional().describe('Name of the chart.'),
  version: z.string().optional().describe('Exact version of the chart.'),
  url: z.string().optional().describe('Reference of the package tree.'),
  root: z.string().optional().describe('Folder of all charts inside the tree.'),
  path: z.string().optional().describe('Folder of the chart below the root.'),
  libraries: z
    .array(
      z.object({
        name: z.string().describe('Name of the library chart.'),
        path: z.string().describe('Folder of the library chart.'),
      }),
    )
    .optional()
    .describe('Library charts that are copied into the chart.'),
  valuesFiles: z.array(z.string()).optional().describe('Values files of the tree that are built into the chart.'),
  treeDigest: z.string().optional().describe('Digest of the package tree.'),
  record: z
    .int()
    .optional()
    .describe('Number of the release record that has what the chart applied; of a revision that was taken over.'),
});

const valuesRef = z.object({
  namespace: z.string().describe('Namespace of the Secret.'),
  name: z.string().describe('Name of the Secret.'),
  key: z.string().describe('Key in the Secret.'),
});

export const revisionComponent = z.object({
  name: z.string().describe('Name of the component.'),
  releaseName: z.string().describe('Name of the Helm release.'),
  namespace: z.string().describe('Namespace of the release.'),
  dependsOn: z.array(z.string()).optional().describe('Components that must be ready first.'),
  chartDigest: z.string().default('').describe('Digest of the chart; empty: not known.'),
  valuesDigest: z.string().default('').describe('Digest of the values; empty: not known.'),
  digest: z.string().optional().describe("Digest of all that has an effect on the component's release; stamped on it."),
  chart: chartRecord.optional().describe('The exact chart, for a later rollback.'),
  valuesRef: valuesRef.optional().describe('Where the values are; absent: there are none.'),
  privileged: z.boolean().optional().describe('The namespace has the privileged level of pod security.'),
  upgradeCRDs: z
    .enum(['Skip', 'Create', 'CreateReplace'])
    .optional()
    .describe("What an upgrade does with the CRDs in the chart's crds folder."),
  readyWhen: z.array(readyWhen).optional().describe('What must hold before the component is ready.'),
  healthCheckExprs: z.array(healthCheckExpr).optional().describe("CEL health checks in Flux's format."),
  waitStrategy: z
    .enum(['poller', 'legacy'])
    .optional()
    .describe('How a controller that waits by itself does so; passed on to it.'),
  readiness: readinessOptions.optional().describe('Switches of the readiness rules.'),
  recreate: z.enum(['FinishedJobs', 'Never']).optional().describe('What happens to finished Jobs that changed.'),
  skipSchemaValidation: z.boolean().optional().describe("The values are not checked against the chart's schema."),
});

export const packageRevisionSpec = z
  .object({
    package: z.string().describe('Package that it is a revision of.'),
    revision: z.int().describe('Number of the revision.'),
    version: z.string().default('').describe('Version of the package; empty: unversioned.'),
    build: z.int().optional().describe('Number of the packaging.'),
    variant: z.string().describe('Variant that is installed.'),
    rollbackSafe: z.boolean().optional().describe('Whether it is safe to go back from this version.'),
    restoredFrom: z.int().optional().describe('Revision that this one restores; 0 or absent: none.'),
    backend: z.string().optional().describe('Backend that delivers it; absent: helm.'),
    adopt: z.boolean().optional().describe('Objects and releases that exist already are taken over.'),
    components: z.array(revisionComponent).optional().describe('What is installed, hooks left out.'),
    fromVersion: z.string().optional().describe('Version that ran before; absent: none did.'),
    hooks: z
      .array(revisionComponent)
      .optional()
      .describe('The hooks that this revision runs first; never restored by a rollback.'),
    crds: z.array(z.string()).optional().describe('Names of the CRDs that the package owns at this version.'),
    requires: z.array(requirement).optional().describe('What the package required when the revision was made.'),
  })
  .meta(celRules({ rule: 'self == oldSelf', message: 'the spec of a revision never changes' }));

/** What a revision of the Go implementation is completed with, as its spec never changes. */
export const revisionAdditions = packageRevisionSpec.pick({
  components: true,
  build: true,
  crds: true,
  requires: true,
});

const progress = z.object({
  name: z.string().describe('Name of the component.'),
  state: z
    .enum(['Pending', 'Submitted', 'Ready', 'Failed'])
    .optional()
    .describe('How far it is; Submitted is recorded before the backend is asked.'),
  attempt: z
    .int()
    .optional()
    .describe('How often it was submitted at this revision; 0: its release was right already.'),
  startedAt: timestamp.optional().describe('When its time began to run.'),
  deadline: timestamp
    .optional()
    .describe('When it has to be ready; a raised timeout extends it, a lowered one does not shorten it.'),
  awaitedSince: timestamp
    .optional()
    .describe(
      'Since when its time counts, where that is not its start: after a suspension, for a hook that a process began and did not live to deliver, or for a rollback that delivered it before its turn.',
    ),
  readyAt: timestamp.optional().describe('When it was ready.'),
  backendRevision: z.int().optional().describe("The backend's number of the release."),
  rewaits: z.int().optional().describe('How often it was ready, degraded, and had to be waited for again.'),
  message: z.string().optional().describe('What is awaited, or why it failed.'),
});

export const REVISION_PHASES = ['Pending', 'Applying', 'Applied', 'Failed', 'RolledBack', 'Superseded'] as const;

const failure = z.object({
  component: z.string().optional().describe('Component that failed; absent when the revision was interrupted.'),
  code: z.string().describe('Error code of the cause.'),
  message: z.string().describe('The cause.'),
});

export const ROLLBACK_STATES = ['Owed', 'Done', 'Failed'] as const;

const evidence = z.object({
  component: z.string().describe('Component or hook that it is about.'),
  findings: z.array(z.string()).describe('What was not ready and why: objects, events, exit codes.'),
  logs: z
    .object({
      namespace: z.string().describe('Namespace of the Secret.'),
      name: z.string().describe('Name of the Secret.'),
    })
    .optional()
    .describe('Secret with the last log lines of failing pods, by pod and container.'),
});

const rollback = z.object({
  to: z.int().describe('Revision that is to run again.'),
  state: z
    .enum(ROLLBACK_STATES)
    .describe('Owed until the restoring revision is applied (Done) or could not be completed (Failed).'),
  revision: z.int().optional().describe('Revision that carries it out, once there is one.'),
  message: z.string().optional().describe('Why it could not be completed.'),
});

export const packageRevisionStatus = z.object({
  phase: z.enum(REVISION_PHASES).optional().describe('How far the revision is.'),
  message: z.string().optional().describe('What is awaited, or why it failed.'),
  failure: failure.optional().describe('Why the revision failed.'),
  appliedAt: timestamp
    .optional()
    .describe('When every component was ready, set once; only then is it a target of rollbacks.'),
  components: z.array(progress).optional().describe('Progress of each component.'),
  hooks: z.array(progress).optional().describe('Progress of each hook.'),
  removals: z.array(progress).optional().describe('Progress of what a rollback takes away.'),
  suspendedAt: timestamp.optional().describe('Since when the clocks of the revision stand still.'),
  evidence: evidence.optional().describe('What was seen of the failure before anything was undone.'),
  rollback: rollback.optional().describe('The rollback that this failed revision owes.'),
  conditions: conditions.optional(),
});

export type ChartRecord = z.output<typeof chartRecord>;
export type RevisionComponent = z.output<typeof revisionComponent>;
export type PackageRevisionSpec = z.output<typeof packageRevisionSpec>;
export type RevisionAdditions = z.output<typeof revisionAdditions>;
export type PackageRevisionStatus = z.output<typeof packageRevisionStatus>;
export type Evidence = z.output<typeof evidence>;
export type ComponentProgress = z.output<typeof progress>;

export interface PackageRevision {
  readonly apiVersion: string;
  readonly kind: 'PackageRevision';
  readonly metadata: ObjectMeta;
  readonly spec: PackageRevisionSpec;
  readonly status?: PackageRevisionStatus | undefined;
}
