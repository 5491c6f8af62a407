import type { Resource } from '../model/resource.ts';
import { setOf } from './field-collector.ts';
import { EMPTY_SET, type FieldSet } from './field-set.ts';
import { fieldElement, type Path } from './path-element.ts';

/** Paths that nobody is ever recorded as the owner of. */
export const NEVER_OWNED: FieldSet = setOf(
  path('apiVersion'),
  path('kind'),
  path('metadata'),
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((field) => path('metadata', field)),
);

const STATUS: FieldSet = setOf(path('status'));
const SPEC: FieldSet = setOf(path('spec'));
const SPEC_AND_METADATA: FieldSet = setOf(path('spec'), path('metadata'));

/** Built-in kinds whose status requests leave more than the spec alone. */
const STATUS_IGNORES: Readonly<Record<string, FieldSet>> = {
  'apps/deployments': setOf(path('spec'), path('metadata', 'labels')),
  '/pods': setOf(path('spec'), path('metadata', 'deletionTimestamp'), path('metadata', 'ownerReferences')),
  'admissionregistration.k8s.io/validatingadmissionpolicies': SPEC_AND_METADATA,
  'apiregistration.k8s.io/apiservices': SPEC_AND_METADATA,
  'flowcontrol.apiserver.k8s.io/flowschemas': SPEC_AND_METADATA,
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': SPEC_AND_METADATA,
  'storage.k8s.io/volumeattachments': SPEC_AND_METADATA,
};

export type FieldsOwner = Pick<Resource, 'group' | 'plural' | 'kind' | 'custom' | 'subresources'>;

/** What requests to a kind, or to one of its subresources, cannot set, and so do not own. */
export function ignoredFields(resource: FieldsOwner, subresource: string | undefined): FieldSet {
  if (subresource === undefined) return resource.subresources.includes('status') ? STATUS : EMPTY_SET;
  if (subresource !== 'status') return EMPTY_SET;
  if (resource.custom) return SPEC_AND_METADATA;
  return STATUS_IGNORES[`${resource.group}/${resource.plural}`] ?? SPEC;
}

function path(...names: readonly string[]): Path {
  return names.map(fieldElement);
}
