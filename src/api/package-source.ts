import * as z from 'zod';
import type { ObjectMeta } from './kube.ts';
import { healthCheckExpr, readinessOptions, readyWhen } from './readiness.ts';
import { celRules, conditions, sha256Digest } from './schema.ts';

export const UNVERSIONED = '0.0.0-unversioned';

const requirement = z
  .object({
    package: z.string().optional(),
    capability: z.string().optional(),
    /** Constraint on the applied version; ignored for capabilities. */
    version: z.string().optional(),
    optional: z.boolean().optional(),
  })
  .meta(
    celRules({
      rule: 'has(self.package) != has(self.capability)',
      message: 'exactly one of package and capability is needed',
    }),
  );

const chart = z.object({
  repository: z.string().regex(/^(https?|oci):\/\/.+$/),
  name: z.string().min(1),
  version: z.string().min(1),
  digest: sha256Digest.optional(),
});

const install = z.object({
  namespace: z.string().max(63).optional(),
  releaseName: z.string().max(53).optional(),
  privileged: z.boolean().optional(),
  dependsOn: z.array(z.string()).optional(),
  upgradeCRDs: z.enum(['Skip', 'Create', 'CreateReplace']).optional(),
  waitStrategy: z.enum(['poller', 'legacy']).optional(),
  healthCheckExprs: z.array(healthCheckExpr).optional(),
  phase: z.enum(['PreUpgrade']).optional(),
  readyWhen: z.array(readyWhen).optional(),
  readiness: readinessOptions.optional(),
  recreate: z.enum(['FinishedJobs', 'Never']).optional(),
  skipSchemaValidation: z.boolean().optional(),
});

const component = z
  .object({
    name: z.string().min(1).max(63),
    /** Chart folder in the package tree. */
    path: z.string().min(1).optional(),
    chart: chart.optional(),
    valuesFiles: z.array(z.string().min(1)).optional(),
    libraries: z.array(z.string().min(1)).optional(),
    /** Absent: the component is not installed. */
    install: install.optional(),
  })
  .meta(
    celRules(
      { rule: 'has(self.path) != has(self.chart)', message: 'exactly one of path and chart is needed' },
      {
        rule: '!has(self.chart) || (!has(self.libraries) && !has(self.valuesFiles))',
        message: 'libraries and valuesFiles go with path only',
      },
    ),
  );

const library = z.object({ path: z.string().min(1), name: z.string().min(1).optional() });

const variant = z.object({
  name: z.string().min(1),
  dependsOn: z.array(z.string()).optional(),
  requires: z.array(requirement).optional(),
  libraries: z.array(library).optional(),
  components: z.array(component).optional(),
});

const sourceRef = z
  .object({
    kind: z.enum(['GitRepository', 'OCIRepository', 'OCIArtifact']),
    name: z.string().optional(),
    namespace: z.string().optional(),
    url: z.string().optional(),
    path: z.string().optional(),
  })
  .meta(
    celRules({
      rule: "self.kind == 'OCIArtifact' ? has(self.url) : (has(self.name) && has(self.namespace))",
      message: 'OCIArtifact needs url; GitRepository and OCIRepository need name and namespace',
    }),
  );

/** RBAC PolicyRule. */
const policyRule = z.object({
  apiGroups: z.array(z.string()).optional(),
  resources: z.array(z.string()).optional(),
  resourceNames: z.array(z.string()).optional(),
  nonResourceURLs: z.array(z.string()).optional(),
  verbs: z.array(z.string()),
});

export const packageSourceSpec = z.object({
  version: z.string().optional(),
  build: z.int().min(0).max(2147483647).default(0),
  provides: z.array(z.string()).optional(),
  conflicts: z.array(z.string()).optional(),
  crds: z.array(z.string()).optional(),
  permissions: z.object({ clusterWide: z.boolean().optional(), rules: z.array(policyRule).optional() }).optional(),
  rollback: z.object({ safe: z.boolean().default(false) }).optional(),
  images: z.array(z.string()).optional(),
  sourceRef: sourceRef.optional(),
  variants: z.array(variant).optional(),
});

export const packageSourceStatus = z.object({ conditions: conditions.optional() });

export type WrittenPackageSourceSpec = z.input<typeof packageSourceSpec>;
export type PackageSourceSpec = z.output<typeof packageSourceSpec>;
export type SourceVariant = z.output<typeof variant>;
export type SourceComponent = z.output<typeof component>;
export type Requirement = z.output<typeof requirement>;

export interface PackageSource {
  readonly apiVersion: string;
  readonly kind: 'PackageSource';
  readonly metadata: ObjectMeta;
  readonly spec: PackageSourceSpec;
}
