import type { StoredObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { groupPlural } from './traits.ts';

/** Built-in kinds whose status requests change the status and nothing else, as with custom kinds. */
const STATUS_ALONE: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'apiregistration.k8s.io/apiservices',
  'flowcontrol.apiserver.k8s.io/flowschemas',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations',
  'storage.k8s.io/volumeattachments',
]);

/** The live object with the status of another one; of most built-in kinds, with its metadata, too. */
export function withStatus(resource: Resource, object: StoredObject, live: StoredObject): StoredObject {
  const own = withStatusOf(live, object);
  const { managedFields } = object.metadata;
  if (resource.custom || STATUS_ALONE.has(groupPlural(resource))) {
    const { managedFields: _managedFields, ...metadata } = live.metadata;
    return { ...own, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
  }
  return { ...own, metadata: keptMetadata(resource, object, live) };
}

/** Of some kinds a part of the metadata stays, also when there is none. */
function keptMetadata(resource: Resource, object: StoredObject, live: StoredObject): StoredObject['metadata'] {
  const { labels, ownerReferences, ...rest } = object.metadata;
  const [kept, old] = [groupPlural(resource), live.metadata];
  const [ownLabels, ownOwners] = [
    kept === 'apps/deployments' ? old.labels : labels,
    kept === '/pods' ? old.ownerReferences : ownerReferences,
  ];
  return {
    ...rest,
    ...(ownLabels === undefined ? {} : { labels: ownLabels }),
    ...(ownOwners === undefined ? {} : { ownerReferences: ownOwners }),
  };
}

export function withStatusOf(object: StoredObject, source: StoredObject): StoredObject {
  const { status: _status, ...rest } = object;
  return source['status'] === undefined ? rest : { ...rest, status: source['status'] };
}
