import * as z from 'zod';
import type { ObjectMeta } from './kube.ts';
import { healthCheckExpr, readinessOptions, readyWhen } from './readiness.ts';
import { conditions, exactlyOne, int32, isSet, sha256Digest, withRules } from './schema.ts';

export const UNVERSIONED = '0.0.0-unversioned';

export const requirement = withRules(
  z.object({
    package: z.string().optional().describe('Package that must be there.'),
    capability: z
      .string()
      .optional()
      .describe('Capability that some package must provide, or an API as api:GROUP/VERSION.'),
    version: z.string().optional().describe('Constraint on the applied version; ignored for capabilities.'),
    optional: z
      .boolean()
      .optional()
      .describe('Only orders: when present it must be ready first, when absent nothing waits.'),
  }),
  exactlyOne('package', 'capability'),
);

const chart = z.object({
  repository: z
    .string()
    .regex(/^(https?|oci):\/\/.+$/, 'must be a URL that starts with https://, http:// or oci://')
    .describe('URL of the chart repository: https://, http:// or oci://.'),
  name: z.string().min(1).describe('Name of the chart.'),
  version: z.string().min(1).describe('Exact version of the chart.'),
  digest: sha256Digest.optional().describe('Digest of the chart archive, verified before use.'),
});

const install = z.object({
  namespace: z.string().max(63).optional().describe('Namespace of the release.'),
  releaseName: z.string().max(53).optional().describe("Name of the Helm release; default: the component's name."),
  privileged: z.boolean().optional().describe('The namespace gets the privileged level of pod security.'),
  dependsOn: z.array(z.string()).optional().describe('Components of the variant that must be ready first.'),
  upgradeCRDs: z
    .enum(['Skip', 'Create', 'CreateReplace'])
    .optional()
    .describe("What an upgrade does with the CRDs in the chart's crds folder; default: Skip."),
  waitStrategy: z.enum(['poller', 'legacy']).optional().describe("Flux's wait strategy; other backends ignore it."),
  healthCheckExprs: z
    .array(healthCheckExpr)
    .optional()
    .describe("CEL health checks in Flux's format, evaluated on every backend."),
  phase: z
    .enum(['PreUpgrade'])
    .optional()
    .describe(
      'PreUpgrade makes the component a hook: it runs before a revision that moves the package to another version.',
    ),
  readyWhen: z
    .array(readyWhen)
    .optional()
    .describe('What must hold, besides the release being ready, before the component is ready.'),
  readiness: readinessOptions.optional().describe('Switches of the readiness rules.'),
  recreate: z
    .enum(['FinishedJobs', 'Never'])
    .optional()
    .describe('Whether a finished Job whose template changed is made again (default) or fails as immutable.'),
  skipSchemaValidation: z.boolean().optional().describe("Do not check the values against the chart's schema."),
});

const component = withRules(
  z.object({
    name: z.string().min(1).max(63).describe('Name of the component, unique in its variant.'),
    path: z.string().min(1).optional().describe('Folder of the chart in the package tree.'),
    chart: chart.optional().describe('Chart as published on its own, instead of path.'),
    valuesFiles: z
      .array(z.string().min(1))
      .optional()
      .describe("Values files of the tree: the first replaces the chart's values.yaml, the others are merged over it."),
    libraries: z.array(z.string().min(1)).optional().describe('Library charts of the variant that the chart needs.'),
    install: install.optional().describe('How it is installed; absent: the component is not installed.'),
  }),
  exactlyOne('path', 'chart'),
  {
    rule: `!${isSet('chart')} || (!${isSet('libraries')} && !${isSet('valuesFiles')})`,
    message: 'libraries and valuesFiles go with path only',
    holds: ({ chart, libraries, valuesFiles }) =>
      chart === undefined || (libraries === undefined && valuesFiles === undefined),
  },
);

const library = z.object({
  path: z.string().min(1).describe('Folder of the library chart in the package tree.'),
  name: z.string().min(1).optional().describe('Name that components call it by; default: the last part of the path.'),
});

const variant = z.object({
  name: z.string().min(1).describe('Name of the variant.'),
  dependsOn: z.array(z.string()).optional().describe('Required packages of any version; short for requires.'),
  requires: z.array(requirement).optional().describe('What must be there before a revision starts.'),
  libraries: z.array(library).optional().describe('Library charts of the tree.'),
  components: z.array(component).optional().describe('Helm releases of the package, in order of declaration.'),
});

const sourceRef = withRules(
  z.object({
    kind: z.enum(['GitRepository', 'OCIRepository', 'OCIArtifact']).describe('What holds the package tree.'),
    name: z.string().optional().describe('Name of the Flux object.'),
    namespace: z.string().optional().describe('Namespace of the Flux object.'),
    url: z.string().optional().describe('Reference of the OCI artifact, such as oci://host/tree:1.2.0@sha256:….'),
    path: z.string().optional().describe('Folder of all charts inside the tree; default: its root.'),
  }),
  {
    rule: `self.kind == 'OCIArtifact' ? ${isSet('url')} : (${isSet('name')} && ${isSet('namespace')})`,
    message: 'OCIArtifact needs url; GitRepository and OCIRepository need name and namespace',
    holds: ({ kind, url, name, namespace }) =>
      kind === 'OCIArtifact' ? url !== undefined : name !== undefined && namespace !== undefined,
  },
);

/** RBAC PolicyRule. */
const policyRule = z.object({
  apiGroups: z.array(z.string()).optional().describe('API groups of the resources.'),
  resources: z.array(z.string()).optional().describe('Resources that the rule is about.'),
  resourceNames: z.array(z.string()).optional().describe('Names that the rule is limited to.'),
  nonResourceURLs: z.array(z.string()).optional().describe('URLs that are no resources.'),
  verbs: z.array(z.string()).describe('What is allowed.'),
});

const permissions = z.object({
  clusterWide: z.boolean().optional().describe('The package needs permissions in the whole cluster.'),
  rules: z.array(policyRule).optional().describe('Permissions that the package needs.'),
});

const rollback = z.object({
  safe: z.boolean().default(false).describe('Once this version has run, the version before it can run again.'),
});

export const packageSourceSpec = z.object({
  version: z.string().optional().describe('Version of the package; empty: unversioned.'),
  build: int32
    .min(0)
    .default(0)
    .describe('Number of the packaging; higher is newer among equal versions. Constraints never look at it.'),
  provides: z.array(z.string()).optional().describe('Capabilities; the name of the package is one already.'),
  conflicts: z.array(z.string()).optional().describe('Packages and capabilities that cannot be installed beside it.'),
  crds: z.array(z.string()).optional().describe('Names of the CRDs that the package owns.'),
  permissions: permissions.optional().describe('Permissions that the package needs; informational.'),
  rollback: rollback.optional().describe('Whether it is safe to go back from this version.'),
  images: z.array(z.string()).optional().describe('Images that the package uses, each as repository:tag@sha256:….'),
  sourceRef: sourceRef.optional().describe('Where the package tree is, for components that have a path.'),
  variants: z.array(variant).optional().describe('Ways to install the package.'),
});

export const packageSourceStatus = z.object({ conditions: conditions.optional() });

export type WrittenPackageSourceSpec = z.input<typeof packageSourceSpec>;
export type PackageSourceSpec = z.output<typeof packageSourceSpec>;
export type PackageSourceStatus = z.output<typeof packageSourceStatus>;
export type SourceVariant = z.output<typeof variant>;
export type SourceComponent = z.output<typeof component>;
export type Requirement = z.output<typeof requirement>;

export interface PackageSource {
  readonly apiVersion: string;
  readonly kind: 'PackageSource';
  readonly metadata: ObjectMeta;
  readonly spec: PackageSourceSpec;
  readonly status?: PackageSourceStatus | undefined;
}
