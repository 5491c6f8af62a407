import * as z from 'zod';
import { packageRevisionSpec, packageRevisionStatus } from './package-revision.ts';
import { packageSourceSpec, packageSourceStatus } from './package-source.ts';
import { packageSpec, packageStatus } from './package.ts';
import { repositorySpec, repositoryStatus } from './repository.ts';

/** Served versions, the stored one first; the others have the same schema and are deprecated. */
export const SERVED_VERSIONS = ['v1', 'v1beta1', 'v1alpha1'] as const;

/** A name that also fits into a label value. */
const MAX_LABEL_NAME = 63;

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
}

export interface KindDefinition {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  /** Longest name of an object; absent: what Kubernetes allows. */
  readonly maxName?: number;
  readonly schema: z.ZodObject;
  readonly columns: readonly PrinterColumn[];
}

const text = (name: string, jsonPath: string): PrinterColumn => ({ name, type: 'string', jsonPath });
const integer = (name: string, jsonPath: string): PrinterColumn => ({ name, type: 'integer', jsonPath });
const readyColumns = [
  text('Ready', '.status.conditions[?(@.type=="Ready")].status'),
  text('Status', '.status.conditions[?(@.type=="Ready")].message'),
];

const SPEC = 'What is wanted.';
const STATUS = 'What kubepkg reports; written by kubepkg alone.';

export const PACKAGE = {
  kind: 'Package',
  plural: 'packages',
  shortNames: ['pkg', 'pkgs'],
  description: 'A package that is wanted in the cluster, under the name of its PackageSource.',
  maxName: MAX_LABEL_NAME,
  schema: z.object({
    spec: packageSpec.prefault({}).describe(SPEC),
    status: packageStatus.optional().describe(STATUS),
  }),
  columns: [
    text('Variant', '.spec.variant'),
    text('Version', '.status.version'),
    integer('Revision', '.status.currentRevision'),
    ...readyColumns,
  ],
} as const satisfies KindDefinition;

export const PACKAGE_SOURCE = {
  kind: 'PackageSource',
  plural: 'packagesources',
  shortNames: ['pks'],
  description: 'One package at one version: the Helm releases it is made of, and what it needs.',
  maxName: MAX_LABEL_NAME,
  schema: z.object({
    spec: packageSourceSpec.prefault({}).describe(SPEC),
    status: packageSourceStatus.optional().describe(STATUS),
  }),
  columns: [
    text('Version', '.spec.version'),
    integer('Build', '.spec.build'),
    text('Repository', String.raw`.metadata.labels.kubepkg\.dev/repository`),
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
} as const satisfies KindDefinition;

export const PACKAGE_REVISION = {
  kind: 'PackageRevision',
  plural: 'packagerevisions',
  shortNames: ['pkgrev'],
  description: 'One change of a package and the journal of carrying it out; made by kubepkg, never by hand.',
  schema: z.object({
    spec: packageRevisionSpec.describe('What is installed at this revision; never changes.'),
    status: packageRevisionStatus.optional().describe(STATUS),
  }),
  columns: [
    text('Package', '.spec.package'),
    integer('Revision', '.spec.revision'),
    text('Version', '.spec.version'),
    text('Phase', '.status.phase'),
  ],
} as const satisfies KindDefinition;

export const REPOSITORY = {
  kind: 'Repository',
  plural: 'repositories',
  shortNames: ['pkgrepo'],
  description: 'An index of packages that versions are taken from.',
  maxName: MAX_LABEL_NAME,
  schema: z.object({
    spec: repositorySpec.describe(SPEC),
    status: repositoryStatus.optional().describe(STATUS),
  }),
  columns: [
    text('URL', '.spec.url'),
    integer('Priority', '.spec.priority'),
    integer('Packages', '.status.packages'),
    ...readyColumns,
  ],
} as const satisfies KindDefinition;

export const KINDS = [PACKAGE, PACKAGE_SOURCE, PACKAGE_REVISION, REPOSITORY] as const;
